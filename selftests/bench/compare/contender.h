/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to find the idle pages of a process. Each is one file and one row in contenders.c.
 */
#ifndef EBB_BENCH_CONTENDER_H
#define EBB_BENCH_CONTENDER_H

#include <stdint.h>

#include "target.h"

/**
 * struct answer - what a contender found out
 * @hot: for each page of the target's mapping, nonzero: touched; all zero before
 * @nr_told: pages of which it said something, touched or not
 * @nr_hot: how many are touched, where that is all it can say; else 0
 * @inside_us: the part of the time that was spent in ebb's kernel module; 0: not known
 * @background_us: CPU time of a kernel thread for one answer; 0: there is none
 */
struct answer {
	uint8_t *hot;
	size_t nr_told;
	size_t nr_hot;
	double inside_us;
	double background_us;
};

/**
 * struct contender - one way
 * @name: in tables
 * @sees: what it can tell: "pages", "writes", "a total", "regions"
 * @is_exact: it has to find exactly what was touched: a failure otherwise
 * @watch_ms: it works while the target does, which then touches its pages for so long
 * @missing: NULL, or why it cannot be had on this kernel
 * @open: set up for a target; may be NULL
 * @begin: an interval begins: forget what was touched until now
 * @end: the interval has ended: say what was touched, and begin the next
 * @close: undo @open; may be NULL
 *
 * Only @end is measured, and what it answers as @background_us.
 */
struct contender {
	const char *name;
	const char *sees;
	bool is_exact;
	unsigned int watch_ms;
	const char *(*missing)(void);
	void (*open)(struct target *target);
	void (*begin)(struct target *target);
	void (*end)(struct target *target, struct answer *answer);
	void (*close)(struct target *target);
};

extern const struct contender *const contenders[];
extern const size_t nr_contenders;

extern const struct contender contender_ebb, contender_ebb_no_flush, contender_ebb_heat;
extern const struct contender contender_smaps, contender_soft_dirty, contender_pagemap_scan;
extern const struct contender contender_page_idle, contender_damon, contender_damon_tuned;

/* The target's file below /proc. Ends the program when it cannot be opened. */
int open_proc(const struct target *target, const char *name, int flags);

/* Write a text to a file. Ends the program on failure. */
void write_file(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The target's part of /proc/PID/pagemap: @fn gets @nr entries from page @first on. */
void read_pagemap(const struct target *target,
		  void (*fn)(const uint64_t *entries, size_t first, size_t nr, void *arg),
		  void *arg);

#endif
