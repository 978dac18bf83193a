// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: finding and locking entries of page tables.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>

#include "memory.h"
#include "table.h"

#define SIZE (2 * PMD_SIZE)

static void table_of_touched_page(struct kunit *test)
{
	unsigned long next, addr = memory_map(test, SIZE, PROT_READ | PROT_WRITE, 0);
	spinlock_t *lock;
	bool present;
	pmd_t *pmd;
	pte_t *pte;

	memory_write(test, addr + PAGE_SIZE, 1);
	mmap_read_lock(memory_mm());
	pmd = ebb_table_pmd(memory_mm(), addr + PAGE_SIZE, &next);
	pte = pmd ? ebb_table_lock(memory_mm(), pmd, addr + PAGE_SIZE, &lock) : NULL;
	present = pte && pte_present(pte[0]) && !pte_present(pte[-1]) && !pte_present(pte[1]);
	if (pte)
		ebb_table_unlock(lock);
	mmap_read_unlock(memory_mm());
	KUNIT_EXPECT_NOT_NULL(test, pmd);
	KUNIT_EXPECT_EQ(test, next, addr + PMD_SIZE);
	KUNIT_EXPECT_TRUE(test, present);
}

/* Where there is no table the next address is behind this one, and no entry is skipped by it. */
static void table_of_untouched_page(struct kunit *test)
{
	unsigned long next, addr = memory_map(test, SIZE, PROT_READ | PROT_WRITE, 0);
	unsigned long hole = addr + PMD_SIZE;
	spinlock_t *lock;
	pmd_t *pmd;
	pte_t *pte;

	memory_write(test, addr, 1);
	mmap_read_lock(memory_mm());
	pmd = ebb_table_pmd(memory_mm(), hole, &next);
	pte = pmd ? ebb_table_lock(memory_mm(), pmd, hole, &lock) : NULL;
	if (pte)
		ebb_table_unlock(lock);
	mmap_read_unlock(memory_mm());
	KUNIT_EXPECT_NULL(test, pte);
	KUNIT_EXPECT_GT(test, next, hole);
	if (pmd)
		KUNIT_EXPECT_EQ(test, next, hole + PMD_SIZE);
	else
		KUNIT_EXPECT_EQ(test, next & ~PUD_MASK, 0UL);
}

static void table_of_nothing(struct kunit *test)
{
	unsigned long next = 0, addr = 3 * PGDIR_SIZE / 2;
	pmd_t *pmd;

	mmap_read_lock(memory_mm());
	pmd = find_vma_intersection(memory_mm(), 0, addr) ? NULL
							  : ebb_table_pmd(memory_mm(), 0, &next);
	mmap_read_unlock(memory_mm());
	KUNIT_EXPECT_NULL(test, pmd);
	if (next)
		KUNIT_EXPECT_EQ(test, next & ~PUD_MASK, 0UL);
}

static void entry_is_taken_once(struct kunit *test)
{
	pte_t pte = __pte(_PAGE_PRESENT | _PAGE_ACCESSED | _PAGE_DIRTY);

	KUNIT_EXPECT_TRUE(test, ebb_entry_take_young(&pte));
	KUNIT_EXPECT_FALSE(test, ebb_entry_take_young(&pte));
	KUNIT_EXPECT_EQ(test, pte_val(pte), (pteval_t)(_PAGE_PRESENT | _PAGE_DIRTY));
}

static void kinds_of_entries(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ebb_pmd_is_table(__pmd(_KERNPG_TABLE | _PAGE_USER)));
	KUNIT_EXPECT_FALSE(test, ebb_pmd_is_table(__pmd(0)));
	KUNIT_EXPECT_FALSE(test, ebb_pmd_is_table(__pmd(_KERNPG_TABLE | _PAGE_USER | _PAGE_PSE)));
	KUNIT_EXPECT_FALSE(test, ebb_pmd_is_table(__pmd(_PAGE_ACCESSED | _PAGE_RW)));
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_of_touched_page), KUNIT_CASE(table_of_untouched_page),
	KUNIT_CASE(table_of_nothing),	   KUNIT_CASE(entry_is_taken_once),
	KUNIT_CASE(kinds_of_entries),	   {},
};

static struct kunit_suite table_suite = {
	.name = "ebb_table",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.init = memory_init,
	.exit = memory_exit,
	.test_cases = table_cases,
};
kunit_test_suite(table_suite);
