/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding and locking entries of page tables, x86-64. Nothing here is exported by all kernels, or
 * the same in all of them, so it is written out; the rules are those of mm/pgtable-generic.c.
 */
#ifndef EBB_TABLE_H
#define EBB_TABLE_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

pmd_t *ebb_table_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *next);
pte_t *ebb_table_lock(struct mm_struct *mm, pmd_t *pmd, unsigned long addr, spinlock_t **lock);

/**
 * ebb_table_unlock() - let go of a table
 * @lock: from ebb_table_lock()
 */
static inline void ebb_table_unlock(spinlock_t *lock)
{
	__acquire(RCU);
	__acquire(lock);
	spin_unlock(lock);
	rcu_read_unlock();
}

/**
 * ebb_pmd_is_table() - does the entry point to a page table?
 * @pmd: the entry's value
 *
 * Return: true when it does; false when it is empty, not present, or maps a page itself.
 */
static inline bool ebb_pmd_is_table(pmd_t pmd)
{
	return pmd_present(pmd) && !pmd_leaf(pmd) && !pmd_bad(pmd);
}

/**
 * ebb_entry_take_young() - test and clear the accessed bit
 * @entry: a pte_t or pmd_t, locked by the caller so that it stays what it is
 *
 * The CPU sets the bit by an atomic operation of its own, so this is one as well. The TLB is left
 * alone, as by ptep_test_and_clear_young().
 *
 * Return: true when it was set.
 */
static inline bool ebb_entry_take_young(void *entry)
{
	unsigned long *word = entry;

	return (READ_ONCE(*word) & _PAGE_ACCESSED) && test_and_clear_bit(_PAGE_BIT_ACCESSED, word);
}

#endif /* EBB_TABLE_H */
