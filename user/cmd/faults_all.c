// SPDX-License-Identifier: GPL-2.0
/* ebb faults without a process: rates of all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/table.h"
#include "cmd/faults.h"
#include "cmd/verb.h"
#include "core/top.h"
#include "sources/collector.h"

#define MAX_TASKS 262144
#define SLICE_NS 100000000ULL

struct all {
	const struct ebb_faults_options *options;
	struct ebb_collector *collector;
	struct ebb_json json;
	struct ebb_top top;
	struct ebb_top_view view;
	bool is_short; /* of memory: rows are missing */
	struct ebb_collector_stats stats; /* as of the last read */
};

static void add_cells(const struct all *all, struct ebb_table *table, const struct ebb_top_row *row)
{
	ebb_table_cell(table, "%.1f", ebb_faults_rate(row->delta.major, all->stats.interval_ns));
	ebb_table_cell(table, "%.1f", ebb_faults_rate(row->delta.minor, all->stats.interval_ns));
	ebb_table_cell(table, "%lu", row->total.major);
	ebb_table_cell(table, "%lu", row->total.minor);
	ebb_table_cell(table, "%d", row->pid);
	if (all->options->is_threads)
		ebb_table_cell(table, "%d", row->tid);
	else
		ebb_table_cell(table, "%zu", row->nr_threads);
	ebb_table_cell(table, "%s%s", row->comm, row->is_alive ? "" : " (exited)");
}

static int print_text(const struct all *all)
{
	const struct ebb_column columns[] = {
		{ "MAJ/S", 1 },	  { "MIN/S", 1 },
		{ "MAJOR", 1 },	  { "MINOR", 1 },
		{ "PID", 1 },	  { all->options->is_threads ? "TID" : "THREADS", 1 },
		{ "COMMAND", 0 },
	};
	struct ebb_table *table = ebb_table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int err = -ENOMEM;

	for (size_t i = 0; table && i < all->top.shown.nr; i++)
		add_cells(all, table, all->top.shown.at[i]);
	if (table)
		err = ebb_table_print(table, stdout, ebb_terminal_width(stdout));
	ebb_table_free(table);
	putchar('\n');
	fflush(stdout);
	return err;
}

static void print_json(struct all *all)
{
	struct ebb_json *json = &all->json;

	ebb_json_object(json, NULL);
	ebb_json_u64(json, "time_ns", all->stats.last_read_ns);
	ebb_json_u64(json, "interval_ns", all->stats.interval_ns);
	ebb_json_array(json, all->options->is_threads ? "threads" : "processes");
	for (size_t i = 0; i < all->top.shown.nr; i++) {
		const struct ebb_top_row *row = all->top.shown.at[i];

		ebb_json_object(json, NULL);
		ebb_json_i64(json, "pid", row->pid);
		if (all->options->is_threads)
			ebb_json_i64(json, "tid", row->tid);
		else
			ebb_json_u64(json, "nr_threads", row->nr_threads);
		ebb_json_str(json, "comm", row->comm);
		ebb_json_u64(json, "major", row->total.major);
		ebb_json_u64(json, "minor", row->total.minor);
		ebb_json_u64(json, "d_major", row->delta.major);
		ebb_json_u64(json, "d_minor", row->delta.minor);
		ebb_json_bool(json, "alive", row->is_alive);
		ebb_json_end(json);
	}
	ebb_json_end(json);
	ebb_json_end(json);
	fflush(stdout);
}

/* false: the user wants an end */
static bool wait_interval(struct all *all)
{
	uint64_t end_ns = all->stats.last_read_ns + all->options->interval_ns, now_ns;

	while ((now_ns = ebb_now_ns()) < end_ns) {
		uint64_t left_ns = end_ns - now_ns;

		if (ebb_wait(-1, left_ns < SLICE_NS ? left_ns : SLICE_NS) == EBB_WAKE_STOP)
			return false;
		ebb_collector_drain(all->collector);
	}
	return true;
}

static int show_interval(struct all *all)
{
	int err = ebb_collector_read(all->collector);

	ebb_collector_stats(all->collector, &all->stats);
	if (err) {
		ebb_err("cannot read the counters of tasks: %s", strerror(-err));
		return EBB_EXIT_PART;
	}
	ebb_top_fill(&all->top, ebb_collector_threads(all->collector));
	ebb_top_arrange(&all->top, &all->view);
	if (all->options->is_json)
		print_json(all);
	else if (print_text(all))
		all->is_short = true;
	return EBB_EXIT_DONE;
}

static int show_intervals(struct all *all)
{
	uint64_t nr = 0;
	int code = EBB_EXIT_DONE;

	while (!code && (!all->options->count || nr < all->options->count)) {
		if (!wait_interval(all))
			return all->options->count ? EBB_EXIT_PART : EBB_EXIT_DONE;
		code = show_interval(all);
		nr++;
	}
	return code;
}

bool ebb_faults_tell_lost(const struct ebb_collector *collector, bool is_short,
			  struct ebb_json *json)
{
	struct ebb_collector_stats stats;

	ebb_collector_stats(collector, &stats);
	if (json) {
		ebb_json_object(json, "lost");
		ebb_json_u64(json, "life_events", stats.lost_events);
		ebb_json_u64(json, "threads", stats.evicted);
		ebb_json_end_all(json);
	}
	if (stats.lost_events)
		ebb_warn("%lu ends of threads were lost: faults of those that began and ended "
			 "between two reads come in with the next one",
			 stats.lost_events);
	if (stats.evicted)
		ebb_warn("%lu threads had no place in the table", stats.evicted);
	if (is_short)
		ebb_warn("rows are missing: no memory");
	return stats.lost_events || stats.evicted || is_short;
}

static int open_all(struct all *all)
{
	char why[512];

	all->collector = ebb_collector_open(MAX_TASKS, why, sizeof(why));
	if (!all->collector) {
		ebb_err("%s", why);
		return EBB_EXIT_IMPOSSIBLE;
	}
	ebb_collector_stats(all->collector, &all->stats);
	return EBB_EXIT_DONE;
}

static int run_all(struct all *all)
{
	bool is_json = all->options->is_json;
	int code;

	ebb_json_init(&all->json, stdout);
	if (is_json) {
		ebb_json_document(&all->json, "faults");
		ebb_json_array(&all->json, "intervals");
	}
	code = show_intervals(all);
	if (is_json)
		ebb_json_end(&all->json);
	if (ebb_faults_tell_lost(all->collector, all->is_short || all->top.is_short,
				 is_json ? &all->json : NULL))
		code = EBB_EXIT_PART;
	return code;
}

int ebb_faults_all(const struct ebb_faults_options *options)
{
	struct all all = {
		.options = options,
		.view = { .is_threads = options->is_threads, .limit = options->top },
	};
	int code = open_all(&all);

	if (!code)
		code = run_all(&all);
	ebb_collector_close(all.collector);
	ebb_top_free(&all.top, &all.view);
	return code;
}
