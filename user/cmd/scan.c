// SPDX-License-Identifier: GPL-2.0
/* ebb scan: which memory of a process is touched, and which is idle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/mappings.h"
#include "cmd/survey.h"

#define DEFAULT_SCANS 2
#define SCANS_MAX 1000000

enum {
	OPT_JSON = 256,
};

struct options {
	const char *target;
	uint64_t interval_ns;
	uint64_t nr_scans;
	uint32_t flags;
	bool is_json;
};

/* the result: of the survey, and of the last look at all pages */
struct result {
	struct ebb_survey survey;
	struct ebb_mappings mappings;
	struct ebb_heat_view view;
	struct ebb_proc_memory memory;
};

static const struct argp_option argp_options[] = {
	{ "interval", 'i', "TIME", 0, "Time between two scans (default 1s)", 0 },
	{ "count", 'n', "N", 0,
	  "Number of scans, the first of which only sets the baseline (default 2)", 0 },
	{ "all", 'a', NULL, 0, "Also shared and file mappings", 0 },
	{ "no-flush", 'F', NULL, 0,
	  "Do not flush the TLB: cheaper for the process, but memory that a thread uses all the "
	  "time can look idle",
	  0 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static const char doc[] =
	"Show which memory of a process is touched and which is idle, by mapping.\v"
	"The kernel knows of each page whether it was touched, not when. So the first scan only "
	"sets the baseline; each further one tells what was touched since the scan before. With "
	"more scans the age of idle memory is shown as well.\n\n"
	"Examples:\n"
	"  ebb scan redis-server              what was touched within one second\n"
	"  ebb scan -i 10s -n 7 812           how long memory has been idle, over a minute\n\n"
	"Exit codes: 0 done, 1 wrong usage, 2 not possible here, 3 done in part.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'i':
		options->interval_ns = ebb_arg_duration(state, "--interval", arg);
		return 0;
	case 'n':
		options->nr_scans = ebb_arg_u64(state, "--count", arg, 2, SCANS_MAX);
		return 0;
	case 'a':
		options->flags |= EBB_SCAN_ALL_VMAS;
		return 0;
	case 'F':
		options->flags |= EBB_SCAN_NO_FLUSH;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	default:
		return ebb_arg_target(state, key, arg, &options->target);
	}
}

static int take_piece(uint64_t start, uint64_t nr_pages, unsigned int age, void *arg)
{
	struct result *result = arg;

	ebb_mappings_add(&result->mappings, start, nr_pages << 12,
			 age ? EBB_PAGE_IDLE : EBB_PAGE_YOUNG);
	return 0;
}

static int take_runs(const struct ebb_run *runs, size_t nr_runs, void *arg)
{
	struct result *result = arg;
	int err = 0;

	ebb_heat_view_add(result->survey.heat, &result->view, runs, nr_runs);
	for (size_t i = 0; !err && i < nr_runs; i++) {
		if (runs[i].kind == EBB_RUN_SWAP)
			ebb_mappings_add(&result->mappings, runs[i].start,
					 (uint64_t)runs[i].nr_pages << runs[i].page_shift,
					 EBB_PAGE_SWAP);
		else if (runs[i].kind != EBB_RUN_IDLE_TABLE)
			err = ebb_heat_split(result->survey.heat, &runs[i], take_piece, result);
	}
	return err;
}

/* where all the pages are, after the last scan */
static int look(struct result *result)
{
	const struct ebb_target *target = result->survey.target;
	int err = ebb_proc_memory(target->pid, &result->memory);

	if (!err)
		err = ebb_mappings_read(&result->mappings, target->pid);
	if (err) {
		ebb_err("cannot read the mappings of %s (%d): %s", target->comm, target->pid,
			strerror(-err));
		return EBB_EXIT_PART;
	}
	return ebb_survey_look(&result->survey, take_runs, result);
}

static bool is_told(const struct ebb_mapping *mapping)
{
	return mapping->young || mapping->idle || mapping->swap;
}

static struct ebb_mapping sum_up(const struct ebb_mappings *mappings)
{
	struct ebb_mapping sum = mappings->other;

	for (size_t i = 0; i < mappings->nr; i++) {
		sum.young += mappings->at[i].young;
		sum.idle += mappings->at[i].idle;
		sum.swap += mappings->at[i].swap;
	}
	return sum;
}

static void add_sizes(struct ebb_table *table, const struct ebb_mapping *mapping)
{
	char size[EBB_UNITS_MAX];

	ebb_table_cell(table, "%s", ebb_format_size(size, mapping->young + mapping->idle));
	ebb_table_cell(table, "%s", ebb_format_size(size, mapping->young));
	ebb_table_cell(table, "%s", ebb_format_size(size, mapping->idle));
	ebb_table_cell(table, "%s",
		       ebb_format_percent(size, mapping->idle, mapping->young + mapping->idle));
	ebb_table_cell(table, "%s", ebb_format_size(size, mapping->swap));
}

static void add_row(struct ebb_table *table, const struct ebb_mapping *mapping, const char *name)
{
	char size[EBB_UNITS_MAX];

	ebb_table_cell(table, "%llx", (unsigned long long)mapping->start);
	ebb_table_cell(table, "%s", mapping->perms);
	ebb_table_cell(table, "%s", ebb_format_size(size, mapping->end - mapping->start));
	add_sizes(table, mapping);
	ebb_table_cell(table, "%s", name);
}

static void add_total(struct ebb_table *table, const struct ebb_mapping *sum)
{
	ebb_table_cell(table, "total");
	ebb_table_cell(table, "%s", "");
	ebb_table_cell(table, "%s", "");
	add_sizes(table, sum);
	ebb_table_cell(table, "%s", "");
}

static void print_mappings(const struct result *result)
{
	static const struct ebb_column columns[] = {
		{ "ADDRESS", 1 }, { "PERM", 0 },  { "SIZE", 1 }, { "RESIDENT", 1 }, { "YOUNG", 1 },
		{ "IDLE", 1 },	  { "IDLE%", 1 }, { "SWAP", 1 }, { "MAPPING", 0 },
	};
	struct ebb_table *table = ebb_table_new(columns, 9);
	struct ebb_mapping sum = sum_up(&result->mappings);

	if (!table)
		return;
	for (size_t i = 0; i < result->mappings.nr; i++) {
		const struct ebb_mapping *mapping = &result->mappings.at[i];

		if (is_told(mapping))
			add_row(table, mapping, *mapping->path ? mapping->path : "[anon]");
	}
	if (is_told(&result->mappings.other))
		add_row(table, &result->mappings.other, "(mapped meanwhile)");
	add_total(table, &sum);
	ebb_table_print(table, stdout, ebb_terminal_width(stdout));
	ebb_table_free(table);
}

static void print_text(const struct result *result)
{
	const struct ebb_survey *survey = &result->survey;
	char rss[EBB_UNITS_MAX], swap[EBB_UNITS_MAX], interval[EBB_UNITS_MAX];

	printf("%s (%d): RSS %s, swap %s; ", survey->target->comm, survey->target->pid,
	       ebb_format_size(rss, result->memory.rss),
	       ebb_format_size(swap, result->memory.swap));
	if (survey->nr_scans < 2) {
		printf("only the baseline was set: nothing is known of what was touched\n");
		return;
	}
	printf("young: touched in the last %s\n\n",
	       ebb_format_duration(interval, ebb_survey_idle_ns(survey, 1)));
	print_mappings(result);
	if (!(survey->flags & EBB_SCAN_ALL_VMAS))
		printf("\nShared mappings and files mapped read-only are left out (--all).\n");
	if (survey->nr_scans > 2) {
		printf("\n");
		ebb_survey_print_ages(survey, &result->view, stdout);
	}
}

static void json_sums(struct ebb_json *json, const struct ebb_mapping *mapping)
{
	ebb_json_u64(json, "resident", mapping->young + mapping->idle);
	ebb_json_u64(json, "young", mapping->young);
	ebb_json_u64(json, "idle", mapping->idle);
	ebb_json_u64(json, "swap", mapping->swap);
}

static void json_mapping(struct ebb_json *json, const struct ebb_mapping *mapping)
{
	ebb_json_object(json, NULL);
	ebb_json_addr(json, "start", mapping->start);
	ebb_json_addr(json, "end", mapping->end);
	ebb_json_str(json, "perms", mapping->perms);
	ebb_json_str(json, "path", mapping->path);
	json_sums(json, mapping);
	ebb_json_end(json);
}

static void print_json(const struct result *result, bool is_complete)
{
	struct ebb_mapping sum = sum_up(&result->mappings);
	struct ebb_json json;

	ebb_json_init(&json, stdout);
	ebb_json_document(&json, "scan");
	ebb_json_target(&json, result->survey.target);
	ebb_json_bool(&json, "complete", is_complete);
	ebb_json_u64(&json, "scans", result->survey.nr_scans);
	ebb_json_u64(&json, "rss", result->memory.rss);
	ebb_json_object(&json, "total");
	json_sums(&json, &sum);
	ebb_json_end(&json);
	ebb_json_array(&json, "mappings");
	for (size_t i = 0; i < result->mappings.nr; i++) {
		if (is_told(&result->mappings.at[i]))
			json_mapping(&json, &result->mappings.at[i]);
	}
	if (is_told(&result->mappings.other))
		json_mapping(&json, &result->mappings.other);
	ebb_json_end(&json);
	ebb_survey_json_ages(&result->survey, &result->view, &json);
	ebb_survey_json_stats(&result->survey, &json);
	ebb_json_end_all(&json);
}

static int scan_target(const struct options *options, struct ebb_target *target)
{
	struct result result = { .survey = { .flags = options->flags } };
	int code = ebb_survey_open(&result.survey, target), look_code;

	if (code)
		return code;
	code = ebb_survey_run(&result.survey, (unsigned int)options->nr_scans,
			      options->interval_ns);
	if (code != EBB_EXIT_IMPOSSIBLE && ebb_target_is_alive(target)) {
		look_code = look(&result);
		code = code ? code : look_code;
	}
	if (code != EBB_EXIT_IMPOSSIBLE && options->is_json)
		print_json(&result, code == EBB_EXIT_DONE);
	else if (code != EBB_EXIT_IMPOSSIBLE && result.mappings.nr)
		print_text(&result);
	ebb_mappings_free(&result.mappings);
	ebb_survey_close(&result.survey);
	return code;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, "PID|NAME", doc,
					  NULL,		NULL,	      NULL };
	struct options options = { .interval_ns = EBB_NSEC_PER_SEC, .nr_scans = DEFAULT_SCANS };
	struct ebb_target target;
	int code;

	ebb_parse_args(&argp, argc, argv, &options);
	code = ebb_target_open(options.target, &target);
	if (code)
		return code;
	code = ebb_signals_init() ? EBB_EXIT_IMPOSSIBLE : scan_target(&options, &target);
	ebb_target_close(&target);
	return code;
}

EBB_VERB(scan, "see", "show which memory of a process is touched and which is idle", run);
