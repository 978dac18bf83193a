/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters that userspace sees, of one scan and of all of them.
 */
#ifndef EBB_STATS_H
#define EBB_STATS_H

#include <linux/types.h>
#include <linux/ebb.h>

/**
 * struct ebb_stats - counters of scans
 * @v: by &enum ebb_stat
 */
struct ebb_stats {
	u64 v[__EBB_STAT_MAX];
};

/**
 * struct ebb_outcomes - what became of pages
 * @v: by &enum ebb_outcome, in pages of 4 KiB
 */
struct ebb_outcomes {
	u64 v[__EBB_OUTCOME_MAX];
};

void ebb_stats_add(const struct ebb_stats *stats);
void ebb_stats_get(struct ebb_stats *stats);
void ebb_outcomes_add(const u64 outcomes[__EBB_OUTCOME_MAX]);
void ebb_outcomes_get(u64 outcomes[__EBB_OUTCOME_MAX]);

#endif /* EBB_STATS_H */
