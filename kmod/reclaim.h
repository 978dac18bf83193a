/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pushes pages out to swap, or drops them when clean, and counts what became of each.
 */
#ifndef EBB_RECLAIM_H
#define EBB_RECLAIM_H

#include <linux/types.h>
#include <linux/ebb.h>

struct mm_struct;

int ebb_reclaim_ranges(struct mm_struct *mm, const struct ebb_range *ranges, size_t nr, u32 flags,
		       u64 outcomes[__EBB_OUTCOME_MAX]);
int ebb_reclaim_addrs(struct mm_struct *mm, const unsigned long *addrs, size_t nr, u32 flags,
		      u64 outcomes[__EBB_OUTCOME_MAX]);

#endif /* EBB_RECLAIM_H */
