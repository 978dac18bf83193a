// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to find the idle pages of a process, side by side: their cost, what they find of what is
 * true, and what they do to the process. scripts/bench runs it.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "sys.h"
#include "tap.h"

#define SIZES_MAX 8

static struct options {
	size_t mib[SIZES_MAX];
	size_t nr_sizes;
	unsigned int rounds;
	unsigned int pairs;
	size_t push_mib;
	bool is_json;
	bool is_smoke;
} options = { .rounds = 5, .pairs = 15, .push_mib = 128 };

static const char usage_text[] =
	"usage: compare-scans [OPTION...]\n"
	"Compares ways to find the idle pages of a process; needs root, and the module ebb.\n"
	"  --size MIB     size of the target's memory; several times: several sizes\n"
	"                 (default 1024, 2048, 4096)\n"
	"  --rounds N     answers of each way (default 5)\n"
	"  --pairs N      measurements of the target's slowdown (default 15; 0: none)\n"
	"  --reclaim MIB  how much to push out (default 128; 0: none)\n"
	"  --json         one JSON document in place of tables\n"
	"  --smoke        small: checks counts and exactness only, prints TAP\n";

static size_t number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n > 1UL << 20) {
		fprintf(stderr, "compare-scans: '%s' is not a number from 0 to 1048576\n", text);
		exit(1);
	}
	return n;
}

static void add_size(const char *text)
{
	if (options.nr_sizes == SIZES_MAX)
		exit(1);
	options.mib[options.nr_sizes++] = number(text);
}

static unsigned int few(const char *text)
{
	size_t n = number(text);

	return n < ROUNDS_MAX ? n : ROUNDS_MAX;
}

static void parse(int argc, char **argv)
{
	static const struct option known[] = {
		{ "size", 1, NULL, 's' },  { "rounds", 1, NULL, 'r' },
		{ "pairs", 1, NULL, 'p' }, { "reclaim", 1, NULL, 'o' },
		{ "json", 0, NULL, 'j' },  { "smoke", 0, NULL, 'q' },
		{ "help", 0, NULL, 'h' },  {},
	};
	int key;

	while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (key) {
		case 's':
			add_size(optarg);
			break;
		case 'r':
			options.rounds = few(optarg);
			break;
		case 'p':
			options.pairs = few(optarg);
			break;
		case 'o':
			options.push_mib = number(optarg);
			break;
		case 'j':
			options.is_json = true;
			break;
		case 'q':
			options.is_smoke = true;
			break;
		default:
			fputs(usage_text, key == 'h' ? stdout : stderr);
			exit(key != 'h');
		}
	}
	if (optind < argc) {
		fputs(usage_text, stderr);
		exit(1);
	}
}

static size_t init_results(struct result *results)
{
	size_t i, nr = 0;

	memset(results, 0, NR_CONTENDERS_MAX * sizeof(*results));
	for (i = 0; i < nr_contenders; i++) {
		if (!contenders[i]->missing())
			results[nr++].contender = contenders[i];
	}
	if (!nr || results[0].contender != contenders[0])
		tap_bail("%s", contenders[0]->missing());
	return nr;
}

static void run_load(const struct load *load)
{
	static struct result results[NR_CONTENDERS_MAX];
	size_t nr = init_results(results);

	measure_answers(load, results, nr, options.rounds);
	if (load->layout == LAYOUT_HOT)
		measure_lost(load, results, nr, options.pairs);
	report_load(load, results, nr);
}

static void run_size(size_t mib)
{
	struct load load = { .mib = mib, .layout = LAYOUT_HOT };

	for (load.percent = 1; load.percent <= 100; load.percent *= 10)
		run_load(&load);
	load.layout = LAYOUT_SPREAD;
	load.percent = 1;
	run_load(&load);
}

static void run_all(void)
{
	struct load mixed = { .mib = 64, .layout = LAYOUT_MIXED };
	struct push pushes[NR_PUSHES];
	size_t i;

	report_begin(options.is_json);
	report_absent();
	run_load(&mixed);
	for (i = 0; i < options.nr_sizes; i++)
		run_size(options.mib[i]);
	if (options.push_mib) {
		sys_swap_on();
		measure_pushes(options.push_mib, options.rounds, pushes);
		report_pushes(pushes);
	}
	report_end();
}

/*
 * The smoke test: all contenders answer, and the exact ones are exact. No times.
 */

/*
 * Who sees single writes cannot miss them all. A sum, or regions, or a way without a TLB flush may
 * miss a small hot set under emulation.
 */
static bool has_answered(const struct result *result)
{
	bool must_tell = !strcmp(result->contender->sees, "writes");

	return result->nr_rounds && (result->accuracy.told_hot || !must_tell);
}

static void check_result(const char *load, const struct result *result)
{
	const struct accuracy *accuracy = &result->accuracy;
	const char *name = result->contender->name;

	if (!result->contender->is_exact) {
		tap_ok(has_answered(result), "%s, %s: an answer: %zu of %zu hot", load, name,
		       accuracy->told_hot, accuracy->hot);
		return;
	}
	tap_ok(!accuracy->untold && accuracy->told_hot == accuracy->hot &&
		       accuracy->right_cold == accuracy->cold &&
		       accuracy->told_cold == accuracy->cold,
	       "%s, %s: right of %zu hot and %zu cold pages: told %zu and %zu (%zu right), %zu untold",
	       load, name, accuracy->hot, accuracy->cold, accuracy->told_hot, accuracy->told_cold,
	       accuracy->right_cold, accuracy->untold);
}

static void smoke_load(const char *name, const struct load *load, unsigned int rounds)
{
	static struct result results[NR_CONTENDERS_MAX];
	size_t nr = init_results(results), i;

	measure_answers(load, results, nr, rounds);
	for (i = 0; i < nr; i++)
		check_result(name, &results[i]);
}

static void smoke_lost(void)
{
	static struct result results[NR_CONTENDERS_MAX];
	struct load load = { .mib = 16, .layout = LAYOUT_HOT, .percent = 100 };
	size_t nr = init_results(results), i, nr_finite = 0;

	measure_lost(&load, results, nr, 1);
	for (i = 0; i < nr; i++)
		nr_finite += results[i].contender->watch_ms || isfinite(results[i].lost_us[0]);
	tap_equal(nr_finite, nr,
		  "ways that take a known time off the target, or work all the time");
}

static void smoke_pushes(void)
{
	struct push pushes[NR_PUSHES];

	sys_swap_on();
	measure_pushes(16, 2, pushes);
	tap_ok(pushes[0].said + pushes[0].stayed == 2 * pushes[0].nr_pages && pushes[0].said,
	       "of %zu pages ebb says that %zu are out, pagemap shows %zu in memory",
	       2 * pushes[0].nr_pages, pushes[0].said, pushes[0].stayed);
	tap_ok(pushes[1].said == 2 * pushes[1].nr_pages, "%s says %zu", pushes[1].name,
	       pushes[1].said);
}

static int smoke(void)
{
	struct load mixed = { .mib = 32, .layout = LAYOUT_MIXED };
	struct load hot = { .mib = 32, .layout = LAYOUT_HOT, .percent = 10 };
	size_t i;

	for (i = 0; i < nr_contenders; i++) {
		if (contenders[i]->missing())
			tap_skip(contenders[i]->name, "%s", contenders[i]->missing());
	}
	smoke_load("mixed", &mixed, 4);
	smoke_load("10% hot", &hot, 1);
	smoke_lost();
	smoke_pushes();
	return tap_end();
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (options.is_smoke)
		return smoke();
	if (!options.nr_sizes) {
		options.mib[options.nr_sizes++] = 1024;
		options.mib[options.nr_sizes++] = 2048;
		options.mib[options.nr_sizes++] = 4096;
	}
	run_all();
	return 0;
}
