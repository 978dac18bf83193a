// SPDX-License-Identifier: GPL-2.0
/*
 * A scan is a walk with somewhere to put what it finds: run records for netlink, or bytes for
 * idle_pages. One at a time per address space.
 */
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "cap.h"
#include "ksym.h"
#include "pip.h"
#include "scan.h"
#include "walk.h"

/*
 * One scan per address space
 */

struct slot {
	struct list_head list;
	struct mm_struct *mm; /* compared only */
};

static DEFINE_MUTEX(slots_lock);
static LIST_HEAD(slots);

static bool is_taken(const struct mm_struct *mm)
{
	struct slot *slot;

	lockdep_assert_held(&slots_lock);
	list_for_each_entry(slot, &slots, list)
		if (slot->mm == mm)
			return true;
	return false;
}

static int take_slot(struct slot *slot, struct mm_struct *mm)
{
	int err = 0;

	mutex_lock(&slots_lock);
	if (is_taken(mm)) {
		err = -EBUSY;
	} else {
		slot->mm = mm;
		list_add(&slot->list, &slots);
	}
	mutex_unlock(&slots_lock);
	return err;
}

static void leave_slot(struct slot *slot)
{
	mutex_lock(&slots_lock);
	list_del(&slot->list);
	mutex_unlock(&slots_lock);
}

/*
 * Scans into run records
 */

struct run_sink {
	struct ebb_sink sink;
	struct ebb_run *runs;
	size_t max;
	size_t nr;
};

/**
 * struct ebb_scan - a scan into run records
 * @slot: keeps others from scanning the same memory
 * @mm: whose; a reference on the struct only, so that the process can exit meanwhile
 * @walk: the walk
 * @sink: the records of the read that is under way
 * @done: the walk is through
 */
struct ebb_scan {
	struct slot slot;
	struct mm_struct *mm;
	struct ebb_walk walk;
	struct run_sink sink;
	bool done;
};

static size_t run_room(struct ebb_sink *sink, unsigned long addr)
{
	struct run_sink *out = container_of(sink, struct run_sink, sink);

	return out->max - out->nr;
}

static const u8 run_kind[] = {
	[EBB_WALK_YOUNG] = EBB_RUN_YOUNG, [EBB_WALK_DIRTY] = EBB_RUN_DIRTY,
	[EBB_WALK_IDLE] = EBB_RUN_IDLE,	  [EBB_WALK_IDLE_TABLE] = EBB_RUN_IDLE_TABLE,
	[EBB_WALK_SWAP] = EBB_RUN_SWAP,
};

static bool continues(const struct ebb_run *last, const struct ebb_run *run)
{
	return last->kind == run->kind && last->page_shift == run->page_shift &&
	       last->start + ((u64)last->nr_pages << last->page_shift) == run->start &&
	       last->nr_pages + run->nr_pages >= run->nr_pages;
}

static void run_put(struct ebb_sink *sink, enum ebb_walk_kind kind, unsigned int shift,
		    unsigned long addr, unsigned long nr)
{
	struct run_sink *out = container_of(sink, struct run_sink, sink);
	struct ebb_run run = {
		.start = addr,
		.nr_pages = nr,
		.kind = run_kind[kind],
		.page_shift = shift,
	};

	if (out->nr && continues(&out->runs[out->nr - 1], &run))
		out->runs[out->nr - 1].nr_pages += nr;
	else if (!WARN_ON_ONCE(out->nr == out->max))
		out->runs[out->nr++] = run;
}

static u32 walk_flags(u32 flags)
{
	u32 walk = 0;

	if (flags & EBB_SCAN_NO_FLUSH)
		walk |= EBB_WALK_NO_FLUSH;
	if (flags & EBB_SCAN_KEEP)
		walk |= EBB_WALK_KEEP;
	if (flags & EBB_SCAN_ALL_VMAS)
		walk |= EBB_WALK_ALL_VMAS;
	if (flags & EBB_SCAN_TELL_DIRTY)
		walk |= EBB_WALK_TELL_DIRTY;
	if (flags & EBB_SCAN_NO_HOST)
		walk |= EBB_WALK_NO_HOST;
	if (flags & EBB_SCAN_NO_GUEST)
		walk |= EBB_WALK_NO_GUEST;
	return walk;
}

/**
 * ebb_scan_begin() - begin a scan into run records
 * @mm: whose memory; the scan takes a reference of its own
 * @start: first address, a multiple of the page size
 * @end: end of the range, a multiple of the page size
 * @flags: &enum ebb_scan_flag
 * @scan: gets the scan, for ebb_scan_end()
 *
 * Context: process context, sleeps.
 * Return: 0, -EBUSY when the same memory is being scanned, -EOPNOTSUPP, -ENOMEM.
 */
int ebb_scan_begin(struct mm_struct *mm, unsigned long start, unsigned long end, u32 flags,
		   struct ebb_scan **scan)
{
	struct ebb_scan *new;
	int err;

	if (!ebb_cap_available(EBB_CAP_SCAN))
		return -EOPNOTSUPP;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	err = take_slot(&new->slot, mm);
	if (err) {
		kfree(new);
		return err;
	}
	mmgrab(mm);
	new->mm = mm;
	new->sink.sink = (struct ebb_sink){ .room = run_room, .put = run_put };
	ebb_walk_init(&new->walk, mm, start, end, walk_flags(flags), &new->sink.sink);
	*scan = new;
	return 0;
}

static void flush(struct ebb_scan *scan)
{
	if (scan->walk.flags & EBB_WALK_NO_FLUSH)
		return;
	ebb_walk_flush(&scan->walk);
	ebb_walk_flush_guests(&scan->walk);
}

static ssize_t read_runs(struct ebb_scan *scan)
{
	int err = ebb_walk_run(&scan->walk);

	if (err && err != -ENOSPC)
		return err;
	if (!err) {
		scan->done = true;
		scan->walk.stats.v[EBB_STAT_SCANS] = 1;
		flush(scan);
	}
	return scan->sink.nr;
}

/**
 * ebb_scan_read() - go on with a scan
 * @scan: the scan
 * @runs: gets the next records
 * @max: room in @runs, at least 1
 *
 * Context: process context, sleeps.
 * Return: number of records; 0 at the end, when the TLB has been flushed; -ESRCH when the process
 * has exited or runs another program, -EINTR when killed.
 */
ssize_t ebb_scan_read(struct ebb_scan *scan, struct ebb_run *runs, size_t max)
{
	ssize_t nr;

	if (scan->done)
		return 0;
	if (!mmget_not_zero(scan->mm))
		return -ESRCH;
	scan->sink.runs = runs;
	scan->sink.max = max;
	scan->sink.nr = 0;
	nr = read_runs(scan);
	mmput(scan->mm);
	return nr;
}

/**
 * ebb_scan_stats() - the counters of a scan
 * @scan: the scan
 *
 * Context: any.
 * Return: the counters, valid until ebb_scan_end().
 */
const struct ebb_stats *ebb_scan_stats(const struct ebb_scan *scan)
{
	return &scan->walk.stats;
}

static void abandon(struct ebb_scan *scan)
{
	if (!mmget_not_zero(scan->mm))
		return;
	ebb_walk_stop(&scan->walk);
	flush(scan);
	mmput(scan->mm);
}

/**
 * ebb_scan_end() - end a scan, whether it is through or not
 * @scan: the scan; is freed
 *
 * Context: process context, sleeps.
 */
void ebb_scan_end(struct ebb_scan *scan)
{
	if (!scan->done)
		abandon(scan);
	ebb_stats_add(&scan->walk.stats);
	leave_slot(&scan->slot);
	mmdrop(scan->mm);
	kfree(scan);
}

/*
 * The idle_pages stream
 */

struct pip_sink {
	struct ebb_sink sink;
	struct ebb_pip_buf pip;
	bool as_huge;
	bool has_block; /* with as_huge: the block below is not yet written */
	unsigned long block;
	enum ebb_walk_kind kind;
};

static const u8 pip_of_pte[] = {
	[EBB_WALK_YOUNG] = EBB_PIP_PTE_ACCESSED,
	[EBB_WALK_DIRTY] = EBB_PIP_PTE_DIRTY,
	[EBB_WALK_IDLE] = EBB_PIP_PTE_IDLE,
};

static const u8 pip_of_pmd[] = {
	[EBB_WALK_YOUNG] = EBB_PIP_PMD_ACCESSED,
	[EBB_WALK_DIRTY] = EBB_PIP_PMD_DIRTY,
	[EBB_WALK_IDLE] = EBB_PIP_PMD_IDLE,
	[EBB_WALK_IDLE_TABLE] = EBB_PIP_PMD_IDLE,
};

static void put_block(struct pip_sink *out)
{
	if (out->has_block)
		ebb_pip_put(&out->pip, pip_of_pmd[out->kind], out->block, 1);
	out->has_block = false;
}

/* In AS_HUGE a block that was begun always gets to its end, since room was left for it. */
static size_t pip_room(struct ebb_sink *sink, unsigned long addr)
{
	struct pip_sink *out = container_of(sink, struct pip_sink, sink);
	unsigned long block = addr & PMD_MASK;

	if (!out->as_huge)
		return ebb_pip_room(&out->pip, addr);
	if (!out->has_block || out->block != block) {
		put_block(out);
		if (!ebb_pip_room(&out->pip, block))
			return 0;
	}
	return (block + PMD_SIZE - addr) >> PAGE_SHIFT;
}

/* Young, then dirty over young, counts most. */
static bool outweighs(enum ebb_walk_kind kind, enum ebb_walk_kind than)
{
	static const u8 weight[] = {
		[EBB_WALK_IDLE_TABLE] = 0,
		[EBB_WALK_IDLE] = 0,
		[EBB_WALK_YOUNG] = 1,
		[EBB_WALK_DIRTY] = 2,
	};

	return weight[kind] > weight[than];
}

static void add_to_block(struct pip_sink *out, enum ebb_walk_kind kind, unsigned long block)
{
	if (!out->has_block || out->block != block) {
		out->has_block = true;
		out->block = block;
		out->kind = kind;
	} else if (outweighs(kind, out->kind)) {
		out->kind = kind;
	}
}

static void put_ptes(struct pip_sink *out, enum ebb_walk_kind kind, unsigned long addr,
		     unsigned long nr)
{
	if (out->as_huge)
		add_to_block(out, kind, addr & PMD_MASK);
	else if (kind == EBB_WALK_IDLE_TABLE)
		ebb_pip_put(&out->pip, EBB_PIP_PMD_IDLE_PTES, addr, 1);
	else
		ebb_pip_put(&out->pip, pip_of_pte[kind], addr, nr);
}

static void pip_put(struct ebb_sink *sink, enum ebb_walk_kind kind, unsigned int shift,
		    unsigned long addr, unsigned long nr)
{
	struct pip_sink *out = container_of(sink, struct pip_sink, sink);

	if (kind == EBB_WALK_SWAP)
		return;
	if (shift == PAGE_SHIFT)
		put_ptes(out, kind, addr, nr);
	else if (shift == PMD_SHIFT)
		ebb_pip_put(&out->pip, pip_of_pmd[kind], addr, nr);
	else
		ebb_pip_put(&out->pip, EBB_PIP_PUD_PRESENT, addr, nr);
}

static u32 pip_walk_flags(u32 flags)
{
	u32 walk = EBB_WALK_BLIND_PUD | EBB_WALK_WHOLE_IDLE;

	if (!(flags & EBB_SCAN_SKIM_IDLE))
		walk |= EBB_WALK_NO_IDLE_TABLE;
	if (flags & EBB_SCAN_DIRTY_PAGE)
		walk |= EBB_WALK_TELL_DIRTY;
	if (flags & EBB_SCAN_HUGE_PAGE)
		walk |= EBB_WALK_ONLY_HUGE;
	if (flags & EBB_SCAN_IGN_HOST)
		walk |= EBB_WALK_NO_HOST;
	if (flags & EBB_VM_SCAN_HOST)
		walk |= EBB_WALK_NO_GUEST;
	if (flags & EBB_VMA_SCAN_FLAG)
		walk |= EBB_WALK_ONLY_MARKED;
	return walk;
}

static ssize_t read_pip(struct ebb_walk *walk, struct pip_sink *out)
{
	int err = ebb_walk_run(walk);

	if (err)
		ebb_walk_stop(walk);
	ebb_walk_flush_guests(walk);
	put_block(out);
	if (err == -EINTR && !out->pip.len)
		return err;
	return out->pip.len;
}

/**
 * ebb_scan_pip() - tell the pages of a range as an idle_pages stream
 * @mm: whose memory
 * @pos: first address, a multiple of the page size; gets the address to go on at
 * @span: size of the range, bytes
 * @flags: flags of idle_pages, of %EBB_PIP_FLAGS_ALL
 * @buf: gets the stream
 * @size: room in @buf, at least %EBB_PIP_READ_MIN
 *
 * Exactly the pages that are told have their accessed bits cleared. The TLB is not flushed at the
 * end, see ebb_scan_flush(); those of guests are.
 *
 * Context: process context, sleeps.
 * Return: bytes written; 0: nothing in the range. -ESRCH when the process has exited, -EBUSY when
 * its memory is being scanned, -EOPNOTSUPP, -EINTR when killed before anything was told.
 */
ssize_t ebb_scan_pip(struct mm_struct *mm, u64 *pos, size_t span, u32 flags, void *buf, size_t size)
{
	struct pip_sink out = {
		.sink = { .room = pip_room, .put = pip_put },
		.as_huge = flags & EBB_SCAN_AS_HUGE,
	};
	unsigned long end = min_t(u64, *pos + span, TASK_SIZE_MAX);
	struct ebb_walk walk;
	struct slot slot;
	ssize_t ret;

	if (!ebb_cap_available(EBB_CAP_SCAN))
		return -EOPNOTSUPP;
	if ((flags & EBB_SCAN_IGN_HOST) && !ebb_cap_available(EBB_CAP_GUESTS))
		return -EOPNOTSUPP;
	if (!mmget_not_zero(mm))
		return -ESRCH;
	ret = take_slot(&slot, mm);
	if (ret)
		goto put_mm;
	if (out.as_huge)
		end = round_up(end, PMD_SIZE);
	ebb_pip_init(&out.pip, buf, size);
	ebb_walk_init(&walk, mm, *pos, end, pip_walk_flags(flags), &out.sink);
	ret = read_pip(&walk, &out);
	*pos = walk.pos;
	ebb_stats_add(&walk.stats);
	leave_slot(&slot);
put_mm:
	mmput(mm);
	return ret;
}

/**
 * ebb_scan_flush() - flush the TLB of a process after its idle_pages were read
 * @mm: whose
 *
 * Context: process context, may sleep.
 */
void ebb_scan_flush(struct mm_struct *mm)
{
	struct ebb_walk walk = { .mm = mm, .cleared = true };

	if (!ebb_cap_available(EBB_CAP_SCAN) || !mmget_not_zero(mm))
		return;
	ebb_walk_flush(&walk);
	mmput(mm);
	ebb_stats_add(&walk.stats);
}
