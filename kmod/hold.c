// SPDX-License-Identifier: GPL-2.0
/*
 * All that ebb does under a target's mmap_lock it does between ebb_hold_begin() and ebb_hold_end(),
 * so that the histogram shows every time the target may have had to wait for.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "hold.h"

static atomic64_t held[EBB_LOCK_HELD_BUCKETS];

/**
 * ebb_hold_begin() - take mmap_lock for reading
 * @mm: whose
 * @start_ns: gets the time, for ebb_hold_end()
 *
 * Context: process context, sleeps.
 * Return: 0; -EINTR when killed, the lock is not held then.
 */
int ebb_hold_begin(struct mm_struct *mm, u64 *start_ns)
{
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	*start_ns = ktime_get_ns();
	return 0;
}

/**
 * ebb_hold_begin_always() - take mmap_lock for reading, even when killed
 * @mm: whose
 * @start_ns: gets the time, for ebb_hold_end()
 *
 * For what has to be undone.
 *
 * Context: process context, sleeps.
 */
void ebb_hold_begin_always(struct mm_struct *mm, u64 *start_ns)
{
	mmap_read_lock(mm);
	*start_ns = ktime_get_ns();
}

/**
 * ebb_hold_end() - let go of mmap_lock and count how long it was held
 * @mm: whose
 * @start_ns: from ebb_hold_begin()
 *
 * Context: process context.
 * Return: nanoseconds that it was held.
 */
u64 ebb_hold_end(struct mm_struct *mm, u64 start_ns)
{
	u64 ns = ktime_get_ns() - start_ns;

	mmap_read_unlock(mm);
	atomic64_inc(&held[ebb_hold_bucket(ns)]);
	return ns;
}

/**
 * ebb_hold_bucket() - where a time is counted
 * @ns: the time
 *
 * Context: any.
 * Return: number of the bucket, see %EBB_A_LOCK_HELD.
 */
unsigned int ebb_hold_bucket(u64 ns)
{
	return ns ? min_t(unsigned int, ilog2(ns), EBB_LOCK_HELD_BUCKETS - 1) : 0;
}

/**
 * ebb_hold_get() - how often the lock was held, by time
 * @counts: gets the numbers since the module was loaded
 *
 * Context: any.
 */
void ebb_hold_get(u64 counts[EBB_LOCK_HELD_BUCKETS])
{
	unsigned int i;

	for (i = 0; i < EBB_LOCK_HELD_BUCKETS; i++)
		counts[i] = atomic64_read(&held[i]);
}
