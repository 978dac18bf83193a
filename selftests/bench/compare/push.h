/* SPDX-License-Identifier: GPL-2.0 */
/* Pushing pages out: by ebb and by process_madvise(MADV_PAGEOUT), the same pages. */
#ifndef EBB_BENCH_PUSH_H
#define EBB_BENCH_PUSH_H

#include <stddef.h>

#include "measure.h"

/**
 * struct push - of one way
 * @name: which
 * @us: time of each round
 * @stayed: pages that pagemap shows in memory afterwards, of all rounds
 * @said: pages that it said to have pushed out, of all rounds
 * @nr_rounds: number of @us
 * @nr_pages: asked for in each round
 */
struct push {
	const char *name;
	double us[ROUNDS_MAX];
	size_t stayed;
	size_t said;
	size_t nr_rounds;
	size_t nr_pages;
};

#define NR_PUSHES 2

/**
 * measure_pushes() - push a mapping out to zram, by one way after the other
 * @mib: its size
 * @rounds: how often
 * @pushes: gets the outcome, ebb's first
 */
void measure_pushes(size_t mib, unsigned int rounds, struct push pushes[NR_PUSHES]);

#endif
