// SPDX-License-Identifier: GPL-2.0
#include "cmd/faults_view.h"

#include <stdlib.h>

#include "base/log2.h"
#include "base/table.h"
#include "base/units.h"

#define FRAMES_SHOWN 12

struct thread_list {
	struct ebb_watch_thread *at;
	size_t nr;
	bool is_short; /* of memory */
};

static void take_thread(const struct ebb_watch_thread *thread, void *arg)
{
	struct thread_list *list = arg;
	struct ebb_watch_thread *at = list->at;

	/* a power of two is full: double it */
	if (!(list->nr & (list->nr - 1))) {
		at = reallocarray(at, list->nr ? 2 * list->nr : 1, sizeof(*at));
		if (!at) {
			list->is_short = true;
			return;
		}
		list->at = at;
	}
	at[list->nr++] = *thread;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* most major faults first, then most minor ones, then the lowest id */
static int compare_threads(const void *a, const void *b)
{
	const struct ebb_watch_thread *x = a, *y = b;
	int order = compare_u64(y->d_major, x->d_major);

	if (!order)
		order = compare_u64(y->d_minor, x->d_minor);
	return order ? order : compare_u64((uint64_t)x->tid, (uint64_t)y->tid);
}

static struct thread_list list_threads(struct ebb_watch *watch)
{
	struct thread_list list = { .at = NULL };

	ebb_watch_each_thread(watch, take_thread, &list);
	if (list.nr)
		qsort(list.at, list.nr, sizeof(*list.at), compare_threads);
	return list;
}

static double per_second(uint64_t count, uint64_t ns)
{
	return ns ? (double)count * (double)EBB_NSEC_PER_SEC / (double)ns : 0;
}

static void print_threads(struct ebb_watch *watch, size_t max, uint64_t interval_ns, FILE *out)
{
	static const struct ebb_column columns[] = { { "TID", 1 },     { "NAME", 0 },
						     { "MINOR/s", 1 }, { "MAJOR/s", 1 },
						     { "MINOR", 1 },   { "MAJOR", 1 } };
	struct ebb_table *table = ebb_table_new(columns, 6);
	struct thread_list list = list_threads(watch);

	if (!table) {
		free(list.at);
		return;
	}
	for (size_t i = 0; i < list.nr && i < max; i++) {
		const struct ebb_watch_thread *thread = &list.at[i];

		ebb_table_cell(table, "%d", thread->tid);
		ebb_table_cell(table, "%s%s", thread->comm, thread->alive ? "" : " (exited)");
		ebb_table_cell(table, "%.1f", per_second(thread->d_minor, interval_ns));
		ebb_table_cell(table, "%.1f", per_second(thread->d_major, interval_ns));
		ebb_table_cell(table, "%llu", (unsigned long long)thread->minor);
		ebb_table_cell(table, "%llu", (unsigned long long)thread->major);
	}
	ebb_table_print(table, out, ebb_terminal_width(out));
	if (list.nr > max)
		fprintf(out, "... and %zu more threads\n", list.nr - max);
	ebb_table_free(table);
	free(list.at);
}

static uint64_t mean_ns(const struct ebb_watch_latency *latency)
{
	return latency->count ? latency->total_ns / latency->count : 0;
}

static void print_latency(struct ebb_watch *watch, bool is_major, FILE *out)
{
	struct ebb_watch_latency latency;
	char mean[EBB_UNITS_MAX], high[EBB_UNITS_MAX];

	ebb_watch_latency(watch, is_major, &latency);
	if (!latency.count)
		return;
	fprintf(out, "%s faults: %llu seen", is_major ? "major" : "minor",
		(unsigned long long)latency.count);
	if (ebb_watch_knows_latency(watch))
		fprintf(out, ", mean latency %s, 99%% below %s",
			ebb_format_duration(mean, mean_ns(&latency)),
			ebb_format_duration(high,
					    ebb_log2_below(latency.slots, EBB_WATCH_SLOTS, 99)));
	putc('\n', out);
}

struct stack_args {
	struct ebb_watch *watch;
	FILE *out;
	struct ebb_json *json;
};

static void print_stack(const struct ebb_watch_stack *stack, void *arg)
{
	struct stack_args *args = arg;
	char mean[EBB_UNITS_MAX];

	fprintf(args->out, "\n%llu faults, %llu major", (unsigned long long)stack->count,
		(unsigned long long)stack->major);
	if (ebb_watch_knows_latency(args->watch) && stack->count)
		fprintf(args->out, ", mean %s",
			ebb_format_duration(mean, stack->ns / stack->count));
	fprintf(args->out, "  (%s)\n", stack->how);
	/* who touched the page is the program's part: the kernel's is the same every time */
	for (size_t i = stack->nr_kernel; i < stack->nr_frames; i++) {
		if (i - stack->nr_kernel == FRAMES_SHOWN) {
			fprintf(args->out, "    ... %zu more\n", stack->nr_frames - i);
			break;
		}
		fprintf(args->out, "    %s\n", stack->frames[i]);
	}
}

static const struct {
	const char *key;
	const char *text;
	size_t offset;
} losses[] = {
#define LOSS(member, text)                                             \
	{                                                              \
#member, text, offsetof(struct ebb_watch_lost, member) \
	}
	LOSS(ring_full, "faults without stack and address, the ring was full"),
	LOSS(unpaired, "faults whose end was not seen"),
	LOSS(no_user_stack, "user stacks not readable"),
	LOSS(no_kernel_stack, "kernel stacks not readable"),
	LOSS(no_piece, "pieces of stack not readable"),
	LOSS(missed, "probes not run, another one ran on that CPU"),
	LOSS(life_events, "ends of threads, the ring was full"),
	LOSS(stack_table_full, "faults whose stack had no place in the table"),
	LOSS(threads, "threads without a place in the table"),
#undef LOSS
};
#define NR_LOSSES (sizeof(losses) / sizeof(losses[0]))

static uint64_t loss_count(const struct ebb_watch_lost *lost, size_t i)
{
	return *(const uint64_t *)((const char *)lost + losses[i].offset);
}

void ebb_faults_print_lost(struct ebb_watch *watch, FILE *out)
{
	struct ebb_watch_lost lost;

	ebb_watch_lost(watch, &lost);
	for (size_t i = 0; i < NR_LOSSES; i++) {
		if (loss_count(&lost, i))
			fprintf(out, "lost: %llu %s\n", (unsigned long long)loss_count(&lost, i),
				losses[i].text);
	}
}

void ebb_faults_print(struct ebb_watch *watch, size_t max_threads, size_t max_stacks, FILE *out)
{
	struct stack_args args = { .watch = watch, .out = out };
	struct ebb_watch_sums sums;
	char interval[EBB_UNITS_MAX];
	size_t nr_stacks;

	ebb_watch_sums(watch, &sums);
	fprintf(out, "Page faults in %s: %llu minor, %llu major (source: %s%s)\n",
		ebb_format_duration(interval, sums.interval_ns), (unsigned long long)sums.d_minor,
		(unsigned long long)sums.d_major, ebb_watch_source(watch),
		ebb_watch_knows_latency(watch) ? "" : ", which does not tell latencies");
	print_threads(watch, max_threads, sums.interval_ns, out);
	print_latency(watch, false, out);
	print_latency(watch, true, out);
	nr_stacks = ebb_watch_top_stacks(watch, max_stacks, print_stack, &args);
	if (nr_stacks > max_stacks)
		fprintf(out, "\n... and %zu more stacks\n", nr_stacks - max_stacks);
	ebb_faults_print_lost(watch, out);
}

static void json_thread(struct ebb_json *json, const struct ebb_watch_thread *thread)
{
	ebb_json_object(json, NULL);
	ebb_json_i64(json, "tid", thread->tid);
	ebb_json_str(json, "comm", thread->comm);
	ebb_json_u64(json, "major", thread->major);
	ebb_json_u64(json, "minor", thread->minor);
	ebb_json_u64(json, "d_major", thread->d_major);
	ebb_json_u64(json, "d_minor", thread->d_minor);
	ebb_json_bool(json, "alive", thread->alive);
	ebb_json_end(json);
}

static void json_latency(struct ebb_watch *watch, const char *key, bool is_major,
			 struct ebb_json *json)
{
	struct ebb_watch_latency latency;

	ebb_watch_latency(watch, is_major, &latency);
	ebb_json_object(json, key);
	ebb_json_u64(json, "count", latency.count);
	if (!ebb_watch_knows_latency(watch)) {
		ebb_json_null(json, "total_ns");
		ebb_json_null(json, "log2_ns");
		ebb_json_end(json);
		return;
	}
	ebb_json_u64(json, "total_ns", latency.total_ns);
	ebb_json_array(json, "log2_ns");
	for (size_t i = 0; i < EBB_WATCH_SLOTS; i++)
		ebb_json_u64(json, NULL, latency.slots[i]);
	ebb_json_end(json);
	ebb_json_end(json);
}

static void json_stack(const struct ebb_watch_stack *stack, void *arg)
{
	struct stack_args *args = arg;
	struct ebb_json *json = args->json;

	ebb_json_object(json, NULL);
	ebb_json_u64(json, "count", stack->count);
	ebb_json_u64(json, "major", stack->major);
	if (ebb_watch_knows_latency(args->watch))
		ebb_json_u64(json, "ns", stack->ns);
	else
		ebb_json_null(json, "ns");
	ebb_json_str(json, "how", stack->how);
	ebb_json_array(json, "kernel");
	for (size_t i = 0; i < stack->nr_kernel; i++)
		ebb_json_str(json, NULL, stack->frames[i]);
	ebb_json_end(json);
	ebb_json_array(json, "user");
	for (size_t i = stack->nr_kernel; i < stack->nr_frames; i++)
		ebb_json_str(json, NULL, stack->frames[i]);
	ebb_json_end(json);
	ebb_json_end(json);
}

static void json_losses(struct ebb_watch *watch, struct ebb_json *json)
{
	struct ebb_watch_lost lost;

	ebb_watch_lost(watch, &lost);
	ebb_json_object(json, "lost");
	for (size_t i = 0; i < NR_LOSSES; i++)
		ebb_json_u64(json, losses[i].key, loss_count(&lost, i));
	ebb_json_end(json);
}

void ebb_faults_json_details(struct ebb_watch *watch, size_t max_stacks, struct ebb_json *json)
{
	struct stack_args args = { .watch = watch, .json = json };

	ebb_json_object(json, "latency");
	json_latency(watch, "major", true, json);
	json_latency(watch, "minor", false, json);
	ebb_json_end(json);
	ebb_json_array(json, "stacks");
	ebb_watch_top_stacks(watch, max_stacks, json_stack, &args);
	ebb_json_end(json);
	json_losses(watch, json);
}

void ebb_faults_json(struct ebb_watch *watch, size_t max_stacks, struct ebb_json *json)
{
	struct thread_list list = list_threads(watch);
	struct ebb_watch_sums sums;

	ebb_watch_sums(watch, &sums);
	ebb_json_object(json, "faults");
	ebb_json_str(json, "source", ebb_watch_source(watch));
	ebb_json_u64(json, "interval_ns", sums.interval_ns);
	ebb_json_u64(json, "major", sums.major);
	ebb_json_u64(json, "minor", sums.minor);
	ebb_json_u64(json, "d_major", sums.d_major);
	ebb_json_u64(json, "d_minor", sums.d_minor);
	ebb_json_array(json, "threads");
	for (size_t i = 0; i < list.nr; i++)
		json_thread(json, &list.at[i]);
	ebb_json_end(json);
	ebb_faults_json_details(watch, max_stacks, json);
	ebb_json_end(json);
	free(list.at);
}
