/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes the mmap_lock of a target, and measures for how long it was held.
 */
#ifndef EBB_HOLD_H
#define EBB_HOLD_H

#include <linux/types.h>
#include <linux/ebb.h>

struct mm_struct;

int ebb_hold_begin(struct mm_struct *mm, u64 *start_ns);
void ebb_hold_begin_always(struct mm_struct *mm, u64 *start_ns);
u64 ebb_hold_end(struct mm_struct *mm, u64 start_ns);
unsigned int ebb_hold_bucket(u64 ns);
void ebb_hold_get(u64 counts[EBB_LOCK_HELD_BUCKETS]);

#endif /* EBB_HOLD_H */
