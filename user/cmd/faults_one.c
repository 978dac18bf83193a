// SPDX-License-Identifier: GPL-2.0
/* ebb faults of one process: by thread, latency and code. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/faults.h"
#include "cmd/faults_view.h"
#include "cmd/verb.h"
#include "core/top.h"
#include "core/watch.h"

#define SLICE_MS 100
#define BAR_WIDTH 40

struct one {
	const struct ebb_faults_options *options;
	const struct ebb_target *target;
	struct ebb_watch *watch;
	struct ebb_json json;
	struct ebb_watch_sums sums;
	struct ebb_watch_thread *threads;
	size_t nr_threads;
	size_t max_threads;
	bool is_short; /* of memory: rows are missing */
	bool has_ended;
	uint64_t opened_ns;
};

static void print_fault(const struct ebb_watch_fault *fault, void *arg)
{
	const struct one *one = arg;
	char latency[EBB_UNITS_MAX] = "-";

	if (one->watch && ebb_watch_knows_latency(one->watch))
		ebb_format_duration(latency, fault->latency_ns);
	printf("%.6f %d %s %s 0x%" PRIx64 " %s %s\n", fault->time_ns / 1e9, fault->tid,
	       fault->is_major ? "major" : "minor", fault->is_kernel ? "kernel" : "user",
	       fault->address, latency, fault->function);
}

static int open_watch(struct one *one)
{
	const struct ebb_faults_options *options = one->options;
	const struct ebb_watch_opts opts = {
		.counts_only = options->counts_only,
		.stack_bytes = options->stack_bytes,
		.ring_bytes = options->ring_bytes,
		.source = options->source,
		.on_fault = options->is_events && !options->is_json ? print_fault : NULL,
		.arg = one,
	};
	const char *why;

	one->opened_ns = ebb_now_ns();
	one->watch = ebb_watch_open(one->target->pid, &opts, &why);
	if (one->watch)
		return EBB_EXIT_DONE;
	ebb_err("%s", why);
	return errno == EINVAL ? EBB_EXIT_USAGE : EBB_EXIT_IMPOSSIBLE;
}

static void add_thread(const struct ebb_watch_thread *thread, void *arg)
{
	struct one *one = arg;
	size_t max = one->max_threads ? 2 * one->max_threads : 64;
	struct ebb_watch_thread *threads;

	if (one->nr_threads == one->max_threads) {
		threads = realloc(one->threads, max * sizeof(*threads));
		if (!threads) {
			one->is_short = true;
			return;
		}
		one->threads = threads;
		one->max_threads = max;
	}
	one->threads[one->nr_threads++] = *thread;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? 1 : -(a > b);
}

static int compare_threads(const void *a, const void *b)
{
	const struct ebb_watch_thread *x = a, *y = b;
	int order = compare_u64(x->d_major, y->d_major);

	if (!order)
		order = compare_u64(x->d_minor, y->d_minor);
	if (!order)
		order = compare_u64(x->major, y->major);
	if (!order)
		order = compare_u64(x->minor, y->minor);
	return order ? order : compare_u64(y->tid, x->tid);
}

static void collect_threads(struct one *one)
{
	one->nr_threads = 0;
	ebb_watch_each_thread(one->watch, add_thread, one);
	if (one->nr_threads)
		qsort(one->threads, one->nr_threads, sizeof(*one->threads), compare_threads);
}

static void add_row(struct ebb_table *table, uint64_t ns, uint64_t d_major, uint64_t d_minor,
		    uint64_t major, uint64_t minor)
{
	ebb_table_cell(table, "%.1f", ebb_faults_rate(d_major, ns));
	ebb_table_cell(table, "%.1f", ebb_faults_rate(d_minor, ns));
	ebb_table_cell(table, "%" PRIu64, major);
	ebb_table_cell(table, "%" PRIu64, minor);
}

static void add_sum_rows(struct ebb_table *table, const struct one *one, size_t nr_shown)
{
	const struct ebb_watch_sums *sums = &one->sums;

	if (nr_shown < one->nr_threads) {
		for (int i = 0; i < 5; i++)
			ebb_table_cell(table, "...");
		ebb_table_cell(table, "%zu threads more", one->nr_threads - nr_shown);
	}
	ebb_table_cell(table, "%s", "");
	ebb_table_cell(table, "%s", "");
	ebb_table_cell(table, "%" PRIu64, sums->exited_major);
	ebb_table_cell(table, "%" PRIu64, sums->exited_minor);
	ebb_table_cell(table, "%s", "");
	ebb_table_cell(table, "exited threads");
	add_row(table, sums->interval_ns, sums->d_major, sums->d_minor, sums->major, sums->minor);
	ebb_table_cell(table, "%d", one->target->pid);
	ebb_table_cell(table, "all of %s", one->target->comm);
}

static void print_threads(struct one *one)
{
	static const struct ebb_column columns[] = {
		{ "MAJ/S", 1 }, { "MIN/S", 1 }, { "MAJOR", 1 },
		{ "MINOR", 1 }, { "TID", 1 },	{ "THREAD", 0 },
	};
	struct ebb_table *table = ebb_table_new(columns, sizeof(columns) / sizeof(columns[0]));
	size_t nr = one->nr_threads;

	if (one->options->top && nr > one->options->top)
		nr = one->options->top;
	for (size_t i = 0; table && i < nr; i++) {
		const struct ebb_watch_thread *thread = &one->threads[i];

		add_row(table, one->sums.interval_ns, thread->d_major, thread->d_minor,
			thread->major, thread->minor);
		ebb_table_cell(table, "%d", thread->tid);
		ebb_table_cell(table, "%s%s", thread->comm, thread->alive ? "" : " (exited)");
	}
	if (table)
		add_sum_rows(table, one, nr);
	if (!table || ebb_table_print(table, stdout, ebb_terminal_width(stdout)))
		one->is_short = true;
	ebb_table_free(table);
	putchar('\n');
	fflush(stdout);
}

static void json_sums(struct one *one)
{
	struct ebb_json *json = &one->json;
	const struct ebb_watch_sums *sums = &one->sums;

	ebb_json_u64(json, "major", sums->major);
	ebb_json_u64(json, "minor", sums->minor);
	ebb_json_u64(json, "exited_major", sums->exited_major);
	ebb_json_u64(json, "exited_minor", sums->exited_minor);
	ebb_json_u64(json, "d_major", sums->d_major);
	ebb_json_u64(json, "d_minor", sums->d_minor);
	ebb_json_u64(json, "nr_threads", sums->nr_threads);
	ebb_json_bool(json, "final", sums->is_final);
}

static void json_thread(struct ebb_json *json, const struct ebb_watch_thread *thread)
{
	ebb_json_object(json, NULL);
	ebb_json_i64(json, "tid", thread->tid);
	ebb_json_str(json, "comm", thread->comm);
	ebb_json_u64(json, "start_boottime_ns", thread->start_boottime_ns);
	ebb_json_u64(json, "major", thread->major);
	ebb_json_u64(json, "minor", thread->minor);
	ebb_json_u64(json, "d_major", thread->d_major);
	ebb_json_u64(json, "d_minor", thread->d_minor);
	ebb_json_bool(json, "alive", thread->alive);
	ebb_json_end(json);
}

static void json_interval(struct one *one)
{
	struct ebb_json *json = &one->json;

	ebb_json_object(json, NULL);
	ebb_json_u64(json, "time_ns", one->sums.time_ns);
	ebb_json_u64(json, "interval_ns", one->sums.interval_ns);
	json_sums(one);
	ebb_json_array(json, "threads");
	for (size_t i = 0; i < one->nr_threads; i++)
		json_thread(json, &one->threads[i]);
	ebb_json_end(json);
	ebb_json_end(json);
	fflush(stdout);
}

/* the interval, or less when the process ends or the user wants an end */
static int wait_interval(struct one *one)
{
	uint64_t end_ns = ebb_now_ns() + one->options->interval_ns, now_ns;
	int ret = 0;

	while (!one->has_ended && !ebb_stopped() && (now_ns = ebb_now_ns()) < end_ns) {
		uint64_t left_ms = (end_ns - now_ns + 999999) / 1000000;

		ret = ebb_watch_poll(one->watch, left_ms < SLICE_MS ? left_ms : SLICE_MS);
		if (ret < 0 && ret != -EINTR)
			return ret;
		one->has_ended = ret == 1;
	}
	return 0;
}

static int show_interval(struct one *one)
{
	int err = wait_interval(one);

	if (!err)
		err = ebb_watch_read(one->watch);
	if (err) {
		ebb_err("cannot read the faults of %s (%d): %s", one->target->comm,
			one->target->pid, strerror(-err));
		return EBB_EXIT_PART;
	}
	ebb_watch_sums(one->watch, &one->sums);
	if (one->sums.is_final)
		one->has_ended = true;
	collect_threads(one);
	if (one->options->is_json)
		json_interval(one);
	else
		print_threads(one);
	return EBB_EXIT_DONE;
}

static int show_intervals(struct one *one)
{
	uint64_t count = one->options->count, nr = 0;
	int code = EBB_EXIT_DONE;

	while (!code && !one->has_ended && !ebb_stopped() && (!count || nr < count)) {
		code = show_interval(one);
		nr++;
	}
	if (one->has_ended && !one->sums.is_final) {
		ebb_warn("%s ended, and its last faults could not be read", one->target->comm);
		return EBB_EXIT_PART;
	}
	if (!code && count && nr < count) {
		ebb_warn("%s after %" PRIu64 " of %" PRIu64 " intervals",
			 one->has_ended ? "the process ended" : "stopped", nr, count);
		return EBB_EXIT_PART;
	}
	return code;
}

static void print_bar(uint64_t part, uint64_t whole)
{
	size_t width = whole ? (part * BAR_WIDTH + whole - 1) / whole : 0;

	while (width--)
		putchar('#');
	putchar('\n');
}

static void print_slots(const struct ebb_watch_latency *latency)
{
	char from[EBB_UNITS_MAX], to[EBB_UNITS_MAX];
	uint64_t most = 0;

	for (size_t i = 0; i < EBB_WATCH_SLOTS; i++) {
		if (latency->slots[i] > most)
			most = latency->slots[i];
	}
	for (size_t i = 0; i < EBB_WATCH_SLOTS; i++) {
		if (!latency->slots[i])
			continue;
		ebb_format_duration(from, 1ULL << i);
		ebb_format_duration(to, 2ULL << i);
		printf("  %8s - %-8s %8" PRIu64 " ", from, to, latency->slots[i]);
		print_bar(latency->slots[i], most);
	}
}

static void print_latency(struct one *one, bool is_major)
{
	struct ebb_watch_latency latency;
	char mean[EBB_UNITS_MAX];

	ebb_watch_latency(one->watch, is_major, &latency);
	printf("%s faults watched: %" PRIu64, is_major ? "major" : "minor", latency.count);
	if (!ebb_watch_knows_latency(one->watch)) {
		printf(", latency not known (source %s)\n", ebb_watch_source(one->watch));
		return;
	}
	if (latency.count)
		printf(", mean latency %s",
		       ebb_format_duration(mean, latency.total_ns / latency.count));
	putchar('\n');
	print_slots(&latency);
}

static void print_stack(const struct ebb_watch_stack *stack, void *arg)
{
	const struct one *one = arg;
	char mean[EBB_UNITS_MAX];

	printf("\n%" PRIu64 " faults, %" PRIu64 " major", stack->count, stack->major);
	if (ebb_watch_knows_latency(one->watch) && stack->count)
		printf(", mean latency %s", ebb_format_duration(mean, stack->ns / stack->count));
	printf("; user stack by %s\n", stack->how);
	for (size_t i = 0; i < stack->nr_frames; i++)
		printf("    %s\n", stack->frames[i]);
}

static void finish_json(struct one *one)
{
	struct ebb_json *json = &one->json;

	ebb_json_end(json); /* intervals */
	ebb_json_object(json, "sums");
	json_sums(one);
	ebb_json_end(json);
	ebb_faults_json_details(one->watch, one->options->stacks, json);
	ebb_json_bool(json, "ended", one->has_ended);
	ebb_json_end_all(json);
}

static void finish_text(struct one *one)
{
	if (!one->options->counts_only) {
		print_latency(one, true);
		print_latency(one, false);
		ebb_watch_top_stacks(one->watch, one->options->stacks, print_stack, one);
	}
	if (one->has_ended)
		printf("\n%s (%d) has ended.\n", one->target->comm, one->target->pid);
	ebb_faults_print_lost(one->watch, stdout);
}

static int finish(struct one *one, int code)
{
	struct ebb_watch_lost lost;

	/* what came in after the last table */
	ebb_watch_poll(one->watch, 0);
	ebb_watch_lost(one->watch, &lost);
	if (one->options->is_json)
		finish_json(one);
	else
		finish_text(one);
	if (one->is_short)
		ebb_warn("rows are missing: no memory");
	return one->is_short || ebb_watch_has_lost(&lost) ? EBB_EXIT_PART : code;
}

static void begin_output(struct one *one)
{
	struct ebb_json *json = &one->json;

	ebb_json_init(json, stdout);
	if (!one->options->is_json)
		return;
	ebb_json_document(json, "faults");
	ebb_json_i64(json, "pid", one->target->pid);
	ebb_json_str(json, "comm", one->target->comm);
	ebb_json_str(json, "source", ebb_watch_source(one->watch));
	ebb_json_bool(json, "knows_latency", ebb_watch_knows_latency(one->watch));
	ebb_json_array(json, "intervals");
}

int ebb_faults_one(const struct ebb_faults_options *options, const struct ebb_target *target)
{
	struct one one = { .options = options, .target = target };
	int code = open_watch(&one);

	if (code)
		return code;
	begin_output(&one);
	code = finish(&one, show_intervals(&one));
	ebb_watch_close(one.watch);
	free(one.threads);
	return code;
}
