/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans of a process's memory: a walk, and its results as run records or as the idle_pages stream.
 */
#ifndef EBB_SCAN_H
#define EBB_SCAN_H

#include <linux/types.h>
#include <linux/ebb.h>

#include "mark.h"
#include "stats.h"

struct mm_struct;
struct ebb_scan;

/* Flags of idle_pages that are accepted. */
#define EBB_PIP_FLAGS_ALL                                                                   \
	(EBB_SCAN_HUGE_PAGE | EBB_SCAN_SKIM_IDLE | EBB_SCAN_DIRTY_PAGE | EBB_SCAN_AS_HUGE | \
	 EBB_SCAN_IGN_HOST | EBB_VM_SCAN_HOST | (EBB_MARK_POSSIBLE ? EBB_VMA_SCAN_FLAG : 0))

int ebb_scan_begin(struct mm_struct *mm, unsigned long start, unsigned long end, u32 flags,
		   struct ebb_scan **scan);
ssize_t ebb_scan_read(struct ebb_scan *scan, struct ebb_run *runs, size_t max);
const struct ebb_stats *ebb_scan_stats(const struct ebb_scan *scan);
void ebb_scan_end(struct ebb_scan *scan);

ssize_t ebb_scan_pip(struct mm_struct *mm, u64 *pos, size_t span, u32 flags, void *buf,
		     size_t size);
void ebb_scan_flush(struct mm_struct *mm);

#endif /* EBB_SCAN_H */
