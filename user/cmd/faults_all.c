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
#include "core/threads.h"
#include "sources/collector.h"

#define MAX_TASKS 262144
#define SLICE_NS 100000000ULL

/* a process or a thread */
struct row {
	pid_t pid;
	pid_t tid;
	char comm[EBB_THREAD_COMM_MAX];
	struct ebb_faults total;
	struct ebb_faults delta;
	size_t nr_threads;
	bool is_alive;
};

struct all {
	const struct ebb_faults_options *options;
	struct ebb_collector *collector;
	struct ebb_json json;
	struct row *rows;
	size_t nr_rows;
	size_t max_rows;
	bool is_short; /* of memory: rows are missing */
	struct ebb_collector_stats stats; /* as of the last read */
};

static struct row *new_row(struct all *all)
{
	size_t max = all->max_rows ? 2 * all->max_rows : 256;
	struct row *rows;

	if (all->nr_rows == all->max_rows) {
		rows = realloc(all->rows, max * sizeof(*rows));
		if (!rows) {
			all->is_short = true;
			return NULL;
		}
		all->rows = rows;
		all->max_rows = max;
	}
	return &all->rows[all->nr_rows++];
}

static void add_process(const struct ebb_process_info *info, void *arg)
{
	struct row *row = new_row(arg);

	if (!row)
		return;
	*row = (struct row){
		.pid = info->tgid,
		.total = info->total,
		.delta = info->delta,
		.nr_threads = info->nr_threads,
		.is_alive = info->is_alive,
	};
	memcpy(row->comm, info->comm, sizeof(row->comm));
}

static void add_thread(const struct ebb_thread_info *info, void *arg)
{
	struct row *row = new_row(arg);

	if (!row)
		return;
	*row = (struct row){
		.pid = info->tgid,
		.tid = info->tid,
		.total = info->total,
		.delta = info->delta,
		.is_alive = info->is_alive,
	};
	memcpy(row->comm, info->comm, sizeof(row->comm));
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? 1 : -(a > b);
}

/* most faults within the interval first, major ones before all */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = compare_u64(x->delta.major, y->delta.major);

	if (!order)
		order = compare_u64(x->delta.minor, y->delta.minor);
	if (!order)
		order = compare_u64(x->total.major, y->total.major);
	if (!order)
		order = compare_u64(x->total.minor, y->total.minor);
	return order ? order : compare_u64(y->pid, x->pid);
}

static void collect_rows(struct all *all)
{
	struct ebb_threads *threads = ebb_collector_threads(all->collector);

	all->nr_rows = 0;
	if (all->options->is_threads)
		ebb_threads_each(threads, add_thread, all);
	else
		ebb_threads_each_process(threads, add_process, all);
	if (all->nr_rows)
		qsort(all->rows, all->nr_rows, sizeof(*all->rows), compare_rows);
	if (all->options->top && all->nr_rows > all->options->top)
		all->nr_rows = all->options->top;
}

static void add_cells(const struct all *all, struct ebb_table *table, const struct row *row)
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

	for (size_t i = 0; table && i < all->nr_rows; i++)
		add_cells(all, table, &all->rows[i]);
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
	for (size_t i = 0; i < all->nr_rows; i++) {
		const struct row *row = &all->rows[i];

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
	collect_rows(all);
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

static int tell_lost(struct all *all, int code)
{
	uint64_t events, evicted;

	ebb_collector_stats(all->collector, &all->stats);
	events = all->stats.lost_events;
	evicted = all->stats.evicted;
	if (all->options->is_json) {
		ebb_json_end(&all->json);
		ebb_json_object(&all->json, "lost");
		ebb_json_u64(&all->json, "life_events", events);
		ebb_json_u64(&all->json, "threads", evicted);
		ebb_json_end_all(&all->json);
	}
	if (events)
		ebb_warn("%lu ends of threads were lost: faults of those that began and ended "
			 "between two reads come in with the next one",
			 events);
	if (evicted)
		ebb_warn("%lu threads had no place in the table", evicted);
	if (all->is_short)
		ebb_warn("rows are missing: no memory");
	return events || evicted || all->is_short ? EBB_EXIT_PART : code;
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

int ebb_faults_all(const struct ebb_faults_options *options)
{
	struct all all = { .options = options };
	int code;

	code = open_all(&all);
	if (!code) {
		ebb_json_init(&all.json, stdout);
		if (options->is_json) {
			ebb_json_document(&all.json, "faults");
			ebb_json_array(&all.json, "intervals");
		}
		code = tell_lost(&all, show_intervals(&all));
	}
	ebb_collector_close(all.collector);
	free(all.rows);
	return code;
}
