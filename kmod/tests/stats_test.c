// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: sums of counters. The module's own, so only differences are looked at.
 */
#include <kunit/test.h>

#include "stats.h"

static void stats_are_summed(struct kunit *test)
{
	struct ebb_stats before, after, one = {};

	one.v[EBB_STAT_SCANS] = 1;
	one.v[EBB_STAT_PTES_VISITED] = 512;
	ebb_stats_get(&before);
	ebb_stats_add(&one);
	ebb_stats_add(&one);
	ebb_stats_get(&after);
	KUNIT_EXPECT_EQ(test, after.v[EBB_STAT_SCANS] - before.v[EBB_STAT_SCANS], 2);
	KUNIT_EXPECT_EQ(test, after.v[EBB_STAT_PTES_VISITED] - before.v[EBB_STAT_PTES_VISITED],
			1024);
	KUNIT_EXPECT_EQ(test, after.v[EBB_STAT_PAGES_IDLE], before.v[EBB_STAT_PAGES_IDLE]);
}

/* The longest hold is a maximum, not a sum. */
static void stats_keep_the_longest(struct kunit *test)
{
	struct ebb_stats before, after, one = {};

	ebb_stats_get(&before);
	one.v[EBB_STAT_LOCK_MAX_NS] = before.v[EBB_STAT_LOCK_MAX_NS] / 2;
	ebb_stats_add(&one);
	ebb_stats_get(&after);
	KUNIT_EXPECT_EQ(test, after.v[EBB_STAT_LOCK_MAX_NS], before.v[EBB_STAT_LOCK_MAX_NS]);
}

static void outcomes_are_summed(struct kunit *test)
{
	u64 before[__EBB_OUTCOME_MAX], after[__EBB_OUTCOME_MAX], one[__EBB_OUTCOME_MAX];
	int i;

	for (i = 0; i < __EBB_OUTCOME_MAX; i++)
		one[i] = 0;
	one[EBB_OUTCOME_ASKED] = 3;
	one[EBB_OUTCOME_BUSY] = 3;
	ebb_outcomes_get(before);
	ebb_outcomes_add(one);
	ebb_outcomes_get(after);
	for (i = EBB_OUTCOME_ASKED; i < __EBB_OUTCOME_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, after[i] - before[i], one[i], "outcome %d", i);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(stats_are_summed),
	KUNIT_CASE(stats_keep_the_longest),
	KUNIT_CASE(outcomes_are_summed),
	{},
};

static struct kunit_suite stats_suite = {
	.name = "ebb_stats",
	.test_cases = stats_cases,
};
kunit_test_suite(stats_suite);
