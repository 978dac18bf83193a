/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured of each contender. */
#ifndef EBB_BENCH_MEASURE_H
#define EBB_BENCH_MEASURE_H

#include <stdbool.h>

#include "contender.h"

#define NR_CONTENDERS_MAX 16
#define ROUNDS_MAX 64

/**
 * struct load - what the target does
 * @mib: size of its mapping
 * @layout: which pages it touches
 * @percent: share of the pages that it touches, with LAYOUT_HOT and LAYOUT_SPREAD
 */
struct load {
	size_t mib;
	enum layout layout;
	unsigned int percent;
};

/**
 * struct accuracy - answers against the truth, in pages of all rounds
 * @cold: pages that were not touched
 * @told_cold: pages of which it was said so
 * @right_cold: both
 * @hot: pages that were touched
 * @told_hot: pages that were said to be, also by those who know a total only
 * @untold: pages of which nothing was said
 */
struct accuracy {
	size_t cold;
	size_t told_cold;
	size_t right_cold;
	size_t hot;
	size_t told_hot;
	size_t untold;
};

/**
 * struct result - of one contender with one load
 * @contender: which
 * @nr_rounds: rounds measured
 * @us: time of each answer
 * @inside_us: of it, in ebb's module
 * @accuracy: of all rounds
 * @lost_us: of each pair: time that the target lost by one answer, against a window without
 * @nr_pairs: number of @lost_us
 */
struct result {
	const struct contender *contender;
	size_t nr_rounds;
	double us[ROUNDS_MAX];
	double inside_us[ROUNDS_MAX];
	struct accuracy accuracy;
	double lost_us[ROUNDS_MAX];
	size_t nr_pairs;
};

/**
 * measure_answers() - time and accuracy of answers
 * @load: what the target does
 * @results: one for each contender; gets the outcome
 * @nr: number of @results
 * @rounds: how often; the contenders take turns, in another order each time
 */
void measure_answers(const struct load *load, struct result *results, size_t nr,
		     unsigned int rounds);

/**
 * measure_lost() - time that a target which touches memory all the time loses by one answer
 * @load: what the target does
 * @results: one for each contender; gets the outcome, but for those that work all the time
 * @nr: number of @results
 * @pairs: how often; each time without and with the contender
 */
void measure_lost(const struct load *load, struct result *results, size_t nr, unsigned int pairs);

/** accuracy_precision() - share of the pages said to be cold that were; NaN: none was said to be */
double accuracy_precision(const struct accuracy *accuracy);

/** accuracy_recall() - share of the cold pages that were found; NaN: there was none */
double accuracy_recall(const struct accuracy *accuracy);

#endif
