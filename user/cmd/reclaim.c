// SPDX-License-Identifier: GPL-2.0
/* ebb reclaim: push the idle memory of a process out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/survey.h"

#define PAGE_SHIFT 12
#define DEFAULT_IDLE 2
#define BATCH_PAGES (8 * 1024) /* of one request: 32 MiB, so that an end comes soon */

enum {
	OPT_JSON = 256,
	OPT_EXEC,
	OPT_LIMIT,
};

struct options {
	const char *target;
	uint64_t interval_ns;
	uint64_t idle;
	uint64_t limit_pages;
	uint32_t flags;
	bool is_dry;
	bool is_json;
};

/* the idle pages, ascending; nr_pages in all */
struct plan {
	struct ebb_range *ranges;
	size_t nr_ranges;
	size_t room;
	uint64_t nr_pages;
	uint64_t nr_resident;
	unsigned int least_age;
	const struct ebb_heat *heat;
};

struct result {
	struct ebb_survey survey;
	struct plan plan;
	struct ebb_outcomes outcomes;
	struct ebb_proc_memory before;
	struct ebb_proc_memory after;
	bool has_after;
	bool is_planned;
};

static const struct argp_option argp_options[] = {
	{ "idle", 'I', "N", 0, "A page goes when it was idle in N scans running (default 2)", 0 },
	{ "interval", 'i', "TIME", 0, "Time between two scans (default 1s)", 0 },
	{ "limit", OPT_LIMIT, "SIZE", 0, "Push out at most so much (default: all that is idle)",
	  0 },
	{ "exec", OPT_EXEC, NULL, 0, "Also pages of executable mappings", 0 },
	{ "dry-run", 'd', NULL, 0, "Only say how much would be asked to go", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static const char doc[] =
	"Push the idle memory of a process out: to swap, or just away when a file has it.\v"
	"One scan sets the baseline, N more find out what stays idle. What the process touches "
	"until its turn comes is left alone. The data comes back by itself when it is touched, "
	"at the price of a page fault.\n\n"
	"Examples:\n"
	"  ebb reclaim --dry-run redis-server          how much would go\n"
	"  ebb reclaim --idle 6 --interval 10s 812     what was idle for one minute\n"
	"  ebb reclaim --limit 64M redis-server        not more than 64 MiB\n\n"
	"Exit codes: 0 done, 1 wrong usage, 2 not possible here, 3 done in part: interrupted, the "
	"process exited, or the kernel kept some of the pages (BUSY).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'I':
		options->idle = ebb_arg_u64(state, "--idle", arg, 1, EBB_HEAT_AGE_MAX);
		return 0;
	case 'i':
		options->interval_ns = ebb_arg_duration(state, "--interval", arg);
		return 0;
	case OPT_LIMIT:
		options->limit_pages = ebb_arg_size(state, "--limit", arg) >> PAGE_SHIFT;
		if (!options->limit_pages)
			argp_error(state, "--limit '%s': it is less than a page of 4K", arg);
		return 0;
	case OPT_EXEC:
		options->flags |= EBB_RECLAIM_EXEC;
		return 0;
	case 'd':
		options->is_dry = true;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	default:
		return ebb_arg_target(state, key, arg, &options->target);
	}
}

static uint64_t range_pages(const struct ebb_range *range)
{
	return (range->end - range->start) >> PAGE_SHIFT;
}

static int add_range(struct plan *plan, uint64_t start, uint64_t end)
{
	struct ebb_range *last = plan->nr_ranges ? &plan->ranges[plan->nr_ranges - 1] : NULL;

	if (last && last->end == start) {
		last->end = end;
		return 0;
	}
	if (plan->nr_ranges == plan->room) {
		size_t room = plan->room ? 2 * plan->room : 256;
		struct ebb_range *ranges = reallocarray(plan->ranges, room, sizeof(*ranges));

		if (!ranges)
			return -ENOMEM;
		plan->ranges = ranges;
		plan->room = room;
	}
	plan->ranges[plan->nr_ranges++] = (struct ebb_range){ .start = start, .end = end };
	return 0;
}

static int take_piece(uint64_t start, uint64_t nr_pages, unsigned int age, void *arg)
{
	struct plan *plan = arg;

	if (age < plan->least_age)
		return 0;
	plan->nr_pages += nr_pages;
	return add_range(plan, start, start + (nr_pages << PAGE_SHIFT));
}

static int take_runs(const struct ebb_run *runs, size_t nr_runs, void *arg)
{
	struct plan *plan = arg;
	int err = 0;

	for (size_t i = 0; !err && i < nr_runs; i++) {
		if (runs[i].kind != EBB_RUN_IDLE && runs[i].kind != EBB_RUN_YOUNG)
			continue;
		plan->nr_resident += (uint64_t)runs[i].nr_pages
				     << (runs[i].page_shift - PAGE_SHIFT);
		if (runs[i].kind == EBB_RUN_IDLE)
			err = ebb_heat_split(plan->heat, &runs[i], take_piece, plan);
	}
	return ebb_stopped() ? -EINTR : err;
}

static int make_plan(struct result *result, const struct options *options)
{
	struct plan *plan = &result->plan;
	int code = ebb_survey_run(&result->survey, (unsigned int)options->idle + 1,
				  options->interval_ns);

	if (code)
		return code;
	plan->heat = result->survey.heat;
	plan->least_age = (unsigned int)options->idle;
	code = ebb_survey_look(&result->survey, take_runs, plan);
	result->is_planned = !code;
	return code;
}

/* takes up to @room pages from the plan's ranges, from *@at on, which it shortens */
static size_t take_batch(struct plan *plan, size_t *at, uint64_t room, struct ebb_range *batch)
{
	size_t nr = 0;

	while (room && nr < EBB_RANGES_MAX && *at < plan->nr_ranges) {
		struct ebb_range *range = &plan->ranges[*at];
		uint64_t pages = range_pages(range);

		batch[nr] = *range;
		if (pages > room) {
			pages = room;
			batch[nr].end = range->start + (room << PAGE_SHIFT);
			range->start = batch[nr].end;
		} else {
			++*at;
		}
		room -= pages;
		nr++;
	}
	return nr;
}

static uint64_t batch_room(const struct result *result, const struct options *options)
{
	uint64_t done = result->outcomes.pages[EBB_OUTCOME_RECLAIMED], left;

	if (!options->limit_pages)
		return BATCH_PAGES;
	left = options->limit_pages > done ? options->limit_pages - done : 0;
	return left < BATCH_PAGES ? left : BATCH_PAGES;
}

static int say_failed(const struct result *result, int err)
{
	const struct ebb_target *target = result->survey.target;
	char what[EBB_COMM_MAX + 48];

	if (err == -ESRCH && !ebb_target_is_alive(target)) {
		ebb_warn("%s (%d) has exited", target->comm, target->pid);
		return EBB_EXIT_PART;
	}
	snprintf(what, sizeof(what), "reclaim memory of %s (%d)", target->comm, target->pid);
	ebb_module_refused(result->survey.client, what, err);
	return result->outcomes.pages[EBB_OUTCOME_ASKED] ? EBB_EXIT_PART : EBB_EXIT_IMPOSSIBLE;
}

static void show_progress(const struct result *result)
{
	char done[EBB_UNITS_MAX], all[EBB_UNITS_MAX];
	const uint64_t *pages = result->outcomes.pages;

	ebb_progress("%s (%d): %s of %s asked to go", result->survey.target->comm,
		     result->survey.target->pid,
		     ebb_format_size(done, pages[EBB_OUTCOME_ASKED] << PAGE_SHIFT),
		     ebb_format_size(all, result->plan.nr_pages << PAGE_SHIFT));
}

static int carry_out(struct result *result, const struct options *options)
{
	struct ebb_range batch[EBB_RANGES_MAX];
	size_t at = 0, nr;
	int err = 0;

	while (!err && !ebb_stopped()) {
		nr = take_batch(&result->plan, &at, batch_room(result, options), batch);
		if (!nr)
			break;
		err = ebb_client_reclaim(result->survey.client, result->survey.target->pid, batch,
					 nr, options->flags, &result->outcomes);
		show_progress(result);
	}
	ebb_progress(NULL);
	if (err)
		return say_failed(result, err);
	if (ebb_stopped())
		ebb_warn("interrupted: what follows is what was done until now");
	return ebb_stopped() || result->outcomes.pages[EBB_OUTCOME_BUSY] ? EBB_EXIT_PART
									 : EBB_EXIT_DONE;
}

static const struct {
	enum ebb_outcome outcome;
	const char *name;
	const char *meaning;
} outcome_rows[] = {
	{ EBB_OUTCOME_RECLAIMED, "reclaimed", "out of memory now" },
	{ EBB_OUTCOME_ABSENT, "absent", "was not resident any more" },
	{ EBB_OUTCOME_YOUNG, "young", "touched meanwhile" },
	{ EBB_OUTCOME_SHARED, "shared", "other processes map it, too" },
	{ EBB_OUTCOME_LOCKED, "locked", "mlocked or unevictable" },
	{ EBB_OUTCOME_EXEC, "exec", "program code, left alone without --exec" },
	{ EBB_OUTCOME_BUSY, "busy", "in use by the kernel, or no room in swap" },
	{ EBB_OUTCOME_UNSUPPORTED, "unsupported", "hugetlb, zero page or device memory" },
};
#define NR_ROWS (sizeof(outcome_rows) / sizeof(outcome_rows[0]))

static void print_outcomes(const struct ebb_outcomes *outcomes)
{
	static const struct ebb_column columns[] = { { "", 0 }, { "SIZE", 1 }, { "MEANING", 0 } };
	struct ebb_table *table = ebb_table_new(columns, 3);
	char size[EBB_UNITS_MAX];

	if (!table)
		return;
	for (size_t i = 0; i < NR_ROWS; i++) {
		uint64_t pages = outcomes->pages[outcome_rows[i].outcome];

		if (!pages && outcome_rows[i].outcome != EBB_OUTCOME_RECLAIMED)
			continue;
		ebb_table_cell(table, "%s", outcome_rows[i].name);
		ebb_table_cell(table, "%s", ebb_format_size(size, pages << PAGE_SHIFT));
		ebb_table_cell(table, "%s", outcome_rows[i].meaning);
	}
	ebb_table_print(table, stdout, ebb_terminal_width(stdout));
	ebb_table_free(table);
}

static void print_change(const char *name, uint64_t before, uint64_t after)
{
	char from[EBB_UNITS_MAX], to[EBB_UNITS_MAX];

	printf("%-5s %s -> %s\n", name, ebb_format_size(from, before), ebb_format_size(to, after));
}

static void print_dry_run(const struct result *result, const struct options *options)
{
	char size[EBB_UNITS_MAX];
	uint64_t pages = result->plan.nr_pages;

	if (options->limit_pages && options->limit_pages < pages)
		pages = options->limit_pages;
	printf("dry run: %s would be asked to go\n", ebb_format_size(size, pages << PAGE_SHIFT));
}

static void print_text(const struct result *result, const struct options *options)
{
	const struct ebb_survey *survey = &result->survey;
	char idle[EBB_UNITS_MAX], resident[EBB_UNITS_MAX], since[EBB_UNITS_MAX];

	if (!result->is_planned) {
		printf("nothing was asked to go\n");
		return;
	}
	printf("%s (%d): %s of %s resident memory was idle for %s or more\n", survey->target->comm,
	       survey->target->pid, ebb_format_size(idle, result->plan.nr_pages << PAGE_SHIFT),
	       ebb_format_size(resident, result->plan.nr_resident << PAGE_SHIFT),
	       ebb_format_duration(since, ebb_survey_idle_ns(survey, (unsigned int)options->idle)));
	if (options->is_dry) {
		print_dry_run(result, options);
		return;
	}
	print_outcomes(&result->outcomes);
	if (!result->has_after)
		return;
	print_change("RSS", result->before.rss, result->after.rss);
	print_change("swap", result->before.swap, result->after.swap);
}

static void json_memory(struct ebb_json *json, const char *key,
			const struct ebb_proc_memory *memory, bool is_known)
{
	if (!is_known) {
		ebb_json_null(json, key);
		return;
	}
	ebb_json_object(json, key);
	ebb_json_u64(json, "rss", memory->rss);
	ebb_json_u64(json, "swap", memory->swap);
	ebb_json_end(json);
}

static void print_json(const struct result *result, const struct options *options, int code)
{
	struct ebb_json json;

	ebb_json_init(&json, stdout);
	ebb_json_document(&json, "reclaim");
	ebb_json_target(&json, result->survey.target);
	ebb_json_bool(&json, "complete", code == EBB_EXIT_DONE);
	ebb_json_bool(&json, "dry_run", options->is_dry);
	ebb_json_u64(&json, "scans", result->survey.nr_scans);
	ebb_json_u64(&json, "resident", result->plan.nr_resident << PAGE_SHIFT);
	ebb_json_u64(&json, "idle", result->plan.nr_pages << PAGE_SHIFT);
	ebb_json_object(&json, "outcomes");
	ebb_json_u64(&json, "asked", result->outcomes.pages[EBB_OUTCOME_ASKED] << PAGE_SHIFT);
	for (size_t i = 0; i < NR_ROWS; i++)
		ebb_json_u64(&json, outcome_rows[i].name,
			     result->outcomes.pages[outcome_rows[i].outcome] << PAGE_SHIFT);
	ebb_json_end(&json);
	json_memory(&json, "before", &result->before, true);
	json_memory(&json, "after", &result->after, result->has_after);
	ebb_json_end_all(&json);
}

/* before the work: what will come of it without swap */
static void warn_without_swap(const struct ebb_proc_memory *memory)
{
	char text[4096];
	ssize_t len = ebb_proc_read("/proc/swaps", text, sizeof(text));

	if (!memory->rss_anon || (len > 0 && strchr(text, '\n')))
		return;
	ebb_warn("there is no swap: only pages that a file has can go");
	ebb_hint("swapon a device, or zram for swap in compressed memory");
}

static int reclaim_target(const struct options *options, struct ebb_target *target)
{
	struct result result = { .survey = { .flags = 0 } };
	int code = ebb_survey_open(&result.survey, target);

	if (code)
		return code;
	ebb_proc_memory(target->pid, &result.before);
	warn_without_swap(&result.before);
	code = make_plan(&result, options);
	if (!code && !options->is_dry) {
		code = carry_out(&result, options);
		result.has_after =
			!ebb_proc_memory(target->pid, &result.after) && result.after.has_mm;
	}
	if (code != EBB_EXIT_IMPOSSIBLE && options->is_json)
		print_json(&result, options, code);
	else if (code != EBB_EXIT_IMPOSSIBLE)
		print_text(&result, options);
	free(result.plan.ranges);
	ebb_survey_close(&result.survey);
	return code;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, "PID|NAME", doc,
					  NULL,		NULL,	      NULL };
	struct options options = { .interval_ns = EBB_NSEC_PER_SEC,
				   .idle = DEFAULT_IDLE,
				   .flags = EBB_RECLAIM_ONLY_IDLE };
	struct ebb_target target;
	int code;

	ebb_parse_args(&argp, argc, argv, &options);
	code = ebb_target_open(options.target, &target);
	if (code)
		return code;
	code = ebb_signals_init() ? EBB_EXIT_IMPOSSIBLE : reclaim_target(&options, &target);
	ebb_target_close(&target);
	return code;
}

EBB_VERB(reclaim, "act", "push the idle memory of a process out to swap", run);
