// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: what becomes of pages that are to be reclaimed, page by page. The outcomes that need
 * swap are tested in selftests/reclaim.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/swap.h>

#include "memory.h"
#include "reclaim.h"

#define RW (PROT_READ | PROT_WRITE)

/* Reclaim a range: all of it has to have these outcomes, and nothing else. */
static void expect(struct kunit *test, unsigned long addr, unsigned long nr, u32 flags,
		   const u64 expected[__EBB_OUTCOME_MAX])
{
	struct ebb_range range = { addr, addr + nr * PAGE_SIZE };
	u64 out[__EBB_OUTCOME_MAX];
	int i;

	KUNIT_EXPECT_EQ(test, ebb_reclaim_ranges(memory_mm(), &range, 1, flags, out), 0);
	KUNIT_EXPECT_EQ(test, out[EBB_OUTCOME_ASKED], (u64)nr);
	for (i = EBB_OUTCOME_ASKED + 1; i < __EBB_OUTCOME_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, out[i], expected[i], "outcome %d", i);
}

#define EXPECT(addr, nr, flags, ...) \
	expect(test, addr, nr, flags, (const u64[__EBB_OUTCOME_MAX]){ __VA_ARGS__ })

static void reclaim_of_nothing(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);

	EXPECT(addr, 512, 0, [EBB_OUTCOME_ABSENT] = 512);
	memory_unmap(test, addr, PMD_SIZE);
	EXPECT(addr, 512, 0, [EBB_OUTCOME_ABSENT] = 512);
}

static void reclaim_of_zero_pages(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);

	memory_read(test, addr, 3);
	EXPECT(addr, 512, 0, [EBB_OUTCOME_UNSUPPORTED] = 3, [EBB_OUTCOME_ABSENT] = 509);
}

static void reclaim_of_locked_pages(struct kunit *test)
{
	unsigned long addr = memory_map(test, 4 * PAGE_SIZE, RW, MAP_LOCKED);

	memory_write(test, addr, 4);
	EXPECT(addr, 4, 0, [EBB_OUTCOME_LOCKED] = 4);
}

static void reclaim_of_code(struct kunit *test)
{
	unsigned long addr = memory_map(test, 4 * PAGE_SIZE, RW | PROT_EXEC, 0);

	memory_write(test, addr, 4);
	EXPECT(addr, 4, 0, [EBB_OUTCOME_EXEC] = 4);
}

static void reclaim_of_young_pages(struct kunit *test)
{
	unsigned long addr = memory_map(test, 8 * PAGE_SIZE, RW, 0);

	memory_write(test, addr, 4);
	EXPECT(addr, 8, EBB_RECLAIM_ONLY_IDLE, [EBB_OUTCOME_YOUNG] = 4, [EBB_OUTCOME_ABSENT] = 4);
}

/* No swap in this machine: what was isolated comes back to its list. */
static void reclaim_without_swap(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PMD_SIZE, RW, 0);
	int i;

	if (get_nr_swap_pages())
		kunit_skip(test, "the machine has swap");
	memory_write(test, addr, 1024);
	for (i = 0; i < 2; i++)
		EXPECT(addr, 1024, 0, [EBB_OUTCOME_BUSY] = 1024);
}

/* Any address will do for single pages, and one page is counted for each. */
static void reclaim_of_addresses(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PAGE_SIZE, RW, 0);
	unsigned long addrs[] = { 0, addr, addr, ULONG_MAX & PAGE_MASK, TASK_SIZE_MAX };
	u64 out[__EBB_OUTCOME_MAX];

	memory_read(test, addr, 1);
	KUNIT_EXPECT_EQ(test, ebb_reclaim_addrs(memory_mm(), addrs, ARRAY_SIZE(addrs), 0, out), 0);
	KUNIT_EXPECT_EQ(test, out[EBB_OUTCOME_ASKED], 5ULL);
	KUNIT_EXPECT_EQ(test, out[EBB_OUTCOME_UNSUPPORTED], 2ULL);
	KUNIT_EXPECT_EQ(test, out[EBB_OUTCOME_ABSENT], 3ULL);
}

static void reclaim_of_the_whole_address_space_ends(struct kunit *test)
{
	struct ebb_range range = { 0, TASK_SIZE_MAX };
	u64 sum = 0, out[__EBB_OUTCOME_MAX];
	int i;

	KUNIT_EXPECT_EQ(test,
			ebb_reclaim_ranges(memory_mm(), &range, 1, EBB_RECLAIM_ONLY_IDLE, out), 0);
	for (i = EBB_OUTCOME_ASKED + 1; i < __EBB_OUTCOME_MAX; i++)
		sum += out[i];
	KUNIT_EXPECT_EQ(test, sum, out[EBB_OUTCOME_ASKED]);
	KUNIT_EXPECT_EQ(test, sum, (u64)TASK_SIZE_MAX >> PAGE_SHIFT);
}

static struct kunit_case reclaim_cases[] = {
	KUNIT_CASE(reclaim_of_nothing),
	KUNIT_CASE(reclaim_of_zero_pages),
	KUNIT_CASE(reclaim_of_locked_pages),
	KUNIT_CASE(reclaim_of_code),
	KUNIT_CASE(reclaim_of_young_pages),
	KUNIT_CASE(reclaim_without_swap),
	KUNIT_CASE(reclaim_of_addresses),
	KUNIT_CASE(reclaim_of_the_whole_address_space_ends),
	{},
};

static struct kunit_suite reclaim_suite = {
	.name = "ebb_reclaim",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.init = memory_init,
	.exit = memory_exit,
	.test_cases = reclaim_cases,
};
kunit_test_suite(reclaim_suite);
