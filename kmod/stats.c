// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of the counters since the module was loaded.
 */
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include "stats.h"

static DEFINE_SPINLOCK(sum_lock);
static struct ebb_stats sum;
static struct ebb_outcomes outcome_sum;

/**
 * ebb_stats_add() - add the counters of a scan to the sums
 * @stats: its counters
 *
 * Context: process context.
 */
void ebb_stats_add(const struct ebb_stats *stats)
{
	u64 longest;
	int i;

	spin_lock(&sum_lock);
	longest = max(sum.v[EBB_STAT_LOCK_MAX_NS], stats->v[EBB_STAT_LOCK_MAX_NS]);
	for (i = 0; i < __EBB_STAT_MAX; i++)
		sum.v[i] += stats->v[i];
	sum.v[EBB_STAT_LOCK_MAX_NS] = longest;
	spin_unlock(&sum_lock);
}

/**
 * ebb_stats_get() - the sums over all scans
 * @stats: gets them
 *
 * Context: process context.
 */
void ebb_stats_get(struct ebb_stats *stats)
{
	spin_lock(&sum_lock);
	*stats = sum;
	spin_unlock(&sum_lock);
}

/**
 * ebb_outcomes_add() - add the outcomes of a request to the sums
 * @outcomes: by &enum ebb_outcome
 *
 * Context: process context.
 */
void ebb_outcomes_add(const u64 outcomes[__EBB_OUTCOME_MAX])
{
	int i;

	spin_lock(&sum_lock);
	for (i = 0; i < __EBB_OUTCOME_MAX; i++)
		outcome_sum.v[i] += outcomes[i];
	spin_unlock(&sum_lock);
}

/**
 * ebb_outcomes_get() - the sums over all requests
 * @outcomes: gets them, by &enum ebb_outcome
 *
 * Context: process context.
 */
void ebb_outcomes_get(u64 outcomes[__EBB_OUTCOME_MAX])
{
	int i;

	spin_lock(&sum_lock);
	for (i = 0; i < __EBB_OUTCOME_MAX; i++)
		outcomes[i] = outcome_sum.v[i];
	spin_unlock(&sum_lock);
}
