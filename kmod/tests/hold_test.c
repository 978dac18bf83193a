// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: how long mmap_lock was held.
 */
#include <kunit/test.h>
#include <linux/mmap_lock.h>

#include "hold.h"
#include "memory.h"

static void hold_buckets(struct kunit *test)
{
	static const struct {
		u64 ns;
		unsigned int bucket;
	} cases[] = {
		{ 0, 0 },	    { 1, 0 },		{ 2, 1 },	 { 3, 1 },
		{ 4, 2 },	    { 1023, 9 },	{ 1024, 10 },	 { (1ULL << 39) - 1, 38 },
		{ 1ULL << 39, 39 }, { 1ULL << 40, 39 }, { U64_MAX, 39 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, ebb_hold_bucket(cases[i].ns), cases[i].bucket, "%llu ns",
				    cases[i].ns);
}

static u64 sum_of(const u64 *counts)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < EBB_LOCK_HELD_BUCKETS; i++)
		sum += counts[i];
	return sum;
}

static void hold_is_counted(struct kunit *test)
{
	u64 before[EBB_LOCK_HELD_BUCKETS], after[EBB_LOCK_HELD_BUCKETS], start, ns;
	unsigned int bucket;

	ebb_hold_get(before);
	KUNIT_ASSERT_EQ(test, ebb_hold_begin(memory_mm(), &start), 0);
	mmap_assert_locked(memory_mm());
	ns = ebb_hold_end(memory_mm(), start);
	ebb_hold_get(after);
	bucket = ebb_hold_bucket(ns);
	KUNIT_EXPECT_GE(test, after[bucket], before[bucket] + 1);
	KUNIT_EXPECT_GE(test, sum_of(after), sum_of(before) + 1);
	KUNIT_EXPECT_TRUE(test, mmap_write_trylock(memory_mm()));
	mmap_write_unlock(memory_mm());
}

static struct kunit_case hold_cases[] = {
	KUNIT_CASE(hold_buckets),
	KUNIT_CASE(hold_is_counted),
	{},
};

static struct kunit_suite hold_suite = {
	.name = "ebb_hold",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.init = memory_init,
	.exit = memory_exit,
	.test_cases = hold_cases,
};
kunit_test_suite(hold_suite);
