// SPDX-License-Identifier: GPL-2.0
/*
 * Finding and locking entries of page tables.
 */
#include "table.h"

static unsigned long after(unsigned long addr, unsigned long size)
{
	return (addr & ~(size - 1)) + size;
}

/**
 * ebb_table_pmd() - find the PMD entry of an address
 * @mm: the address space
 * @addr: an address inside a mapping, which keeps the tables above it in place
 * @next: gets the first address behind @addr that has another PMD entry, or, when there is none
 *	for @addr, may have one
 *
 * Context: mmap_lock held.
 * Return: the entry; NULL when there is none, or a PUD maps the page itself.
 */
pmd_t *ebb_table_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud, pudval;

	mmap_assert_locked(mm);
	*next = after(addr, PGDIR_SIZE);
	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	*next = after(addr, P4D_SIZE);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return NULL;
	pud = pud_offset(p4d, addr);
	*next = after(addr, PUD_SIZE);
	pudval = READ_ONCE(*pud);
	if (!pud_present(pudval) || pud_leaf(pudval) || pud_bad(pudval))
		return NULL;
	*next = after(addr, PMD_SIZE);
	return pmd_offset(&pudval, addr);
}

/**
 * ebb_table_lock() - lock the page table below a PMD entry
 * @mm: the address space
 * @pmd: the entry
 * @addr: address
 * @lock: gets the lock, for ebb_table_unlock()
 *
 * Since 6.5 a page table may be taken away under mmap_lock held for reading; RCU keeps its memory
 * until we have seen, under the lock, that it is still the one in place.
 *
 * Context: mmap_lock held. On success with a spinlock and RCU read lock held.
 * Return: the entry of @addr in the table; NULL when there is no table any more.
 */
pte_t *ebb_table_lock(struct mm_struct *mm, pmd_t *pmd, unsigned long addr, spinlock_t **lock)
{
	pmd_t val;

	rcu_read_lock();
	for (;;) {
		val = READ_ONCE(*pmd);
		if (!ebb_pmd_is_table(val))
			break;
		*lock = pte_lockptr(mm, &val);
		spin_lock(*lock);
		if (pmd_same(val, READ_ONCE(*pmd))) {
			/* sparse knows no lock taken on success only: to it, the pair is neutral */
			__release(*lock);
			__release(RCU);
			return pte_offset_kernel(&val, addr);
		}
		spin_unlock(*lock);
	}
	rcu_read_unlock();
	return NULL;
}
