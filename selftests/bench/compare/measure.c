// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "measure.h"
#include "tap.h"

#define WINDOW_US 100000

/* A fixed seed: each run has the same order. */
static void shuffle(size_t *order, size_t nr, unsigned int *seed)
{
	size_t i, other, held;

	for (i = 0; i < nr; i++)
		order[i] = i;
	for (i = nr; i > 1; i--) {
		other = rand_r(seed) % i;
		held = order[i - 1];
		order[i - 1] = order[other];
		order[other] = held;
	}
}

static void compare(const struct target *target, const struct answer *answer, struct accuracy *sum)
{
	size_t i, nr = target->toucher.nr;
	bool knows_pages = answer->nr_told;

	sum->untold += nr - answer->nr_told;
	sum->told_hot += answer->nr_hot;
	for (i = 0; i < nr; i++) {
		sum->hot += !!target->truth[i];
		sum->cold += !target->truth[i];
		sum->told_hot += !!answer->hot[i];
		sum->told_cold += knows_pages && !answer->hot[i];
		sum->right_cold += knows_pages && !answer->hot[i] && !target->truth[i];
	}
}

static void measure_one(struct target *target, struct result *result, unsigned int epoch)
{
	const struct contender *contender = result->contender;
	struct answer answer = { .hot = calloc(target->toucher.nr, 1) };
	double begin, us;

	if (!answer.hot)
		tap_bail("out of memory");
	memset(answer.hot, 0, target->toucher.nr); /* so that no page fault is measured */
	if (contender->open)
		contender->open(target);
	contender->begin(target);
	target_epoch(target, epoch, contender->watch_ms);
	begin = now_us();
	contender->end(target, &answer);
	us = now_us() - begin;
	if (contender->close)
		contender->close(target);
	result->us[result->nr_rounds] = contender->watch_ms ? answer.background_us : us;
	result->inside_us[result->nr_rounds++] = answer.inside_us;
	compare(target, &answer, &result->accuracy);
	free(answer.hot);
}

static void start(struct target *target, const struct load *load)
{
	target_layout(load->layout, load->percent);
	target_start(target, load->mib * MIB / PAGE);
}

void measure_answers(const struct load *load, struct result *results, size_t nr,
		     unsigned int rounds)
{
	size_t order[NR_CONTENDERS_MAX], i;
	struct target target;
	unsigned int seed = 1, round;

	start(&target, load);
	for (round = 0; round < rounds; round++) {
		shuffle(order, nr, &seed);
		for (i = 0; i < nr; i++)
			measure_one(&target, &results[order[i]], round);
	}
	target_stop(&target);
}

/*
 * The speed of the target in a window, with an answer in the middle of it or without.
 * @us gets the length of the window.
 */
static double speed(struct target *target, const struct contender *contender, double *us)
{
	struct answer answer = { .hot = calloc(target->toucher.nr, 1) };
	double rate, begin;

	if (!answer.hot)
		tap_bail("out of memory");
	if (contender)
		contender->begin(target);
	target_epoch(target, 0, 0); /* what begin() makes slow is over */
	begin = now_us();
	target_run(target);
	usleep(WINDOW_US / 2);
	if (contender)
		contender->end(target, &answer);
	usleep(WINDOW_US / 2);
	rate = target_halt(target);
	*us = now_us() - begin;
	free(answer.hot);
	return rate;
}

static void measure_pair(struct target *target, struct result *result, bool is_first_with)
{
	const struct contender *contender = result->contender;
	double with = 0, without, us, unused;

	if (contender->open)
		contender->open(target);
	if (is_first_with)
		with = speed(target, contender, &us);
	without = speed(target, NULL, &unused);
	if (!is_first_with)
		with = speed(target, contender, &us);
	if (contender->close)
		contender->close(target);
	result->lost_us[result->nr_pairs++] = us * (1 - with / without);
}

void measure_lost(const struct load *load, struct result *results, size_t nr, unsigned int pairs)
{
	size_t order[NR_CONTENDERS_MAX], i;
	struct target target;
	unsigned int seed = 2, pair;

	start(&target, load);
	for (pair = 0; pair < pairs; pair++) {
		shuffle(order, nr, &seed);
		for (i = 0; i < nr; i++) {
			if (!results[order[i]].contender->watch_ms)
				measure_pair(&target, &results[order[i]], pair % 2);
		}
	}
	target_stop(&target);
}

double accuracy_precision(const struct accuracy *accuracy)
{
	return accuracy->told_cold ? (double)accuracy->right_cold / accuracy->told_cold : NAN;
}

double accuracy_recall(const struct accuracy *accuracy)
{
	bool knows_pages = accuracy->told_cold || !accuracy->untold;

	return accuracy->cold && knows_pages ? (double)accuracy->right_cold / accuracy->cold : NAN;
}
