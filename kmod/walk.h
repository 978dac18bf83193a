/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and clears the accessed bits of a process's page tables, in slices.
 */
#ifndef EBB_WALK_H
#define EBB_WALK_H

#include <linux/bitmap.h>
#include <linux/pgtable.h>
#include <linux/types.h>

#include "mark.h"
#include "stats.h"

struct mm_struct;

/**
 * enum ebb_walk_kind - what the walk found out about pages
 * @EBB_WALK_YOUNG: present and accessed
 * @EBB_WALK_DIRTY: present, accessed and dirty; only with %EBB_WALK_TELL_DIRTY
 * @EBB_WALK_IDLE: present, not accessed
 * @EBB_WALK_IDLE_TABLE: of a page table that was skipped: not accessed where present
 * @EBB_WALK_SWAP: swap entries
 * @EBB_WALK_UNKNOWN: present, accessed bit not looked at; only with %EBB_WALK_BLIND_PUD
 */
enum ebb_walk_kind {
	EBB_WALK_YOUNG,
	EBB_WALK_DIRTY,
	EBB_WALK_IDLE,
	EBB_WALK_IDLE_TABLE,
	EBB_WALK_SWAP,
	EBB_WALK_UNKNOWN,
};

/**
 * enum ebb_walk_flag - how to walk
 * @EBB_WALK_KEEP: clear nothing; visits all tables
 * @EBB_WALK_NO_FLUSH: the TLB is not to be flushed; accessed bits of upper levels are not cleared
 *	then
 * @EBB_WALK_ALL_VMAS: also file mappings that are shared or read-only, and shmem
 * @EBB_WALK_TELL_DIRTY: tell dirty pages apart
 * @EBB_WALK_BLIND_PUD: do not look at the accessed bit of pages mapped by a PUD
 * @EBB_WALK_ONLY_HUGE: leave out what is not mapped by a PMD or PUD
 * @EBB_WALK_WHOLE_IDLE: tell an idle table as such only when all of its 2 MiB are in one piece;
 *	else page by page
 * @EBB_WALK_NO_IDLE_TABLE: never tell an idle table as such
 * @EBB_WALK_NO_HOST: where the memory may have guests, tell what they touched, and not what the
 *	process itself did, whose bits stay
 * @EBB_WALK_NO_GUEST: do not tell what guests touched
 * @EBB_WALK_ONLY_MARKED: marked mappings, of shmem as well, and no others
 */
enum ebb_walk_flag {
	EBB_WALK_KEEP = 1 << 0,
	EBB_WALK_NO_FLUSH = 1 << 1,
	EBB_WALK_ALL_VMAS = 1 << 2,
	EBB_WALK_TELL_DIRTY = 1 << 3,
	EBB_WALK_BLIND_PUD = 1 << 4,
	EBB_WALK_ONLY_HUGE = 1 << 5,
	EBB_WALK_WHOLE_IDLE = 1 << 6,
	EBB_WALK_NO_IDLE_TABLE = 1 << 7,
	EBB_WALK_NO_HOST = 1 << 8,
	EBB_WALK_NO_GUEST = 1 << 9,
	EBB_WALK_ONLY_MARKED = 1 << 10,
};

/**
 * struct ebb_sink - takes what a walk finds
 * @room: how many pages, of any kinds, are sure to fit when they follow each other from @addr on.
 *	The walk clears no bit of a page that does not fit.
 * @put: takes @nr pages of 1 << @shift bytes, the first at @addr, a multiple of that size.
 *
 * Context: both are called under mmap_lock, @put under the spinlock of a page table or with
 * interrupts off.
 */
struct ebb_sink {
	size_t (*room)(struct ebb_sink *sink, unsigned long addr);
	void (*put)(struct ebb_sink *sink, enum ebb_walk_kind kind, unsigned int shift,
		    unsigned long addr, unsigned long nr);
};

/**
 * struct ebb_walk - a walk that is under way
 * @mm: whose page tables; the caller holds a reference
 * @start: first address of the range
 * @pos: address to go on at
 * @end: end of the range
 * @flags: &enum ebb_walk_flag
 * @mark: what the names of marked mappings begin with; with %EBB_WALK_ONLY_MARKED
 * @sink: takes what is found
 * @stats: counts of this walk
 * @cleared: accessed bits were cleared since the last TLB flush
 * @asks_guests: the memory may have guests, and they are asked
 * @guest_young: a page that a guest had touched, whose bit was cleared; 0: none
 * @budget: entries still to be looked at in this slice
 * @window: the PUD-sized block of addresses whose page tables are being visited; see walk.c
 * @has_window: @window and @untold are valid
 * @untold: page tables of @window whose accessed bit was taken and that are not yet visited to
 *	their end
 */
struct ebb_walk {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long pos;
	unsigned long end;
	u32 flags;
	char mark[EBB_MARK_MAX];
	struct ebb_sink *sink;
	struct ebb_stats stats;
	bool cleared;
	bool asks_guests;
	unsigned long guest_young;
	long budget;
	unsigned long window;
	bool has_window;
	DECLARE_BITMAP(untold, PTRS_PER_PMD);
};

void ebb_walk_init(struct ebb_walk *walk, struct mm_struct *mm, unsigned long start,
		   unsigned long end, u32 flags, struct ebb_sink *sink);
int ebb_walk_run(struct ebb_walk *walk);
void ebb_walk_stop(struct ebb_walk *walk);
void ebb_walk_flush(struct ebb_walk *walk);
void ebb_walk_flush_guests(struct ebb_walk *walk);
void ebb_walk_caps(void);

#endif /* EBB_WALK_H */
