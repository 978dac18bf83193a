// SPDX-License-Identifier: GPL-2.0
#include "sources/collector.h"

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "core/threads.h"
#include "life.bpf.h"
#include "sources/life.h"
#include "sources/samples.h"
#include "sources/tasks.h"
#include "tasks.bpf.h"

struct ebb_collector {
	struct ebb_threads *threads;
	struct ebb_tasks *tasks;
	struct ebb_life *life;
	struct ebb_collector_stats stats;
};

static void on_task(const struct ebb_task_record *record, void *arg)
{
	struct ebb_collector *collector = arg;
	struct ebb_thread_sample sample;

	if (record->is_kernel)
		return;
	ebb_sample_of_record(record, &sample);
	ebb_threads_sample(collector->threads, &sample);
}

static void on_life(const struct ebb_life_event *event, void *arg)
{
	struct ebb_collector *collector = arg;
	struct ebb_thread_sample sample;

	collector->stats.events++;
	ebb_sample_of_event(event, &sample);
	if (event->kind == EBB_LIFE_EXIT)
		ebb_threads_exited(collector->threads, &sample);
	else if (event->kind == EBB_LIFE_GONE)
		ebb_threads_gone(collector->threads, &sample);
}

int ebb_collector_drain(struct ebb_collector *collector)
{
	return ebb_life_drain(collector->life);
}

int ebb_collector_read(struct ebb_collector *collector)
{
	struct ebb_collector_stats *stats = &collector->stats;
	uint64_t begin_ns = ebb_now_ns(), now_ns;
	int err = ebb_life_drain(collector->life);

	if (err)
		return err;
	ebb_threads_begin(collector->threads);
	err = ebb_tasks_read(collector->tasks, 0, on_task, collector);
	if (err)
		return err;
	ebb_threads_end(collector->threads);
	now_ns = ebb_now_ns();
	stats->interval_ns = stats->reads ? now_ns - stats->last_read_ns : 0;
	stats->last_read_ns = now_ns;
	stats->read_ns += now_ns - begin_ns;
	stats->reads++;
	return 0;
}

static int start(struct ebb_collector *collector, size_t max_tasks, char *why, size_t size)
{
	int err;

	snprintf(why, size, "no memory");
	collector->threads = ebb_threads_new(max_tasks);
	if (!collector->threads)
		return -1;
	collector->life = ebb_life_open(0, on_life, collector, why, size);
	if (!collector->life)
		return -1;
	collector->tasks = ebb_tasks_open(why, size);
	if (!collector->tasks)
		return -1;
	err = ebb_collector_read(collector);
	if (err)
		snprintf(why, size, "cannot read the counters of tasks: %s", strerror(-err));
	return err;
}

struct ebb_collector *ebb_collector_open(size_t max_tasks, char *why, size_t size)
{
	struct ebb_collector *collector = calloc(1, sizeof(*collector));

	if (!collector) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	ebb_threads_join();
	if (!start(collector, max_tasks, why, size))
		return collector;
	ebb_collector_close(collector);
	return NULL;
}

int ebb_collector_fd(const struct ebb_collector *collector)
{
	return ebb_life_fd(collector->life);
}

struct ebb_threads *ebb_collector_threads(struct ebb_collector *collector)
{
	return collector->threads;
}

void ebb_collector_stats(const struct ebb_collector *collector, struct ebb_collector_stats *stats)
{
	*stats = collector->stats;
	stats->lost_events = ebb_life_lost(collector->life);
	stats->evicted = ebb_threads_nr_evicted(collector->threads);
}

void ebb_collector_close(struct ebb_collector *collector)
{
	if (!collector)
		return;
	ebb_tasks_close(collector->tasks);
	ebb_life_close(collector->life);
	ebb_threads_free(collector->threads);
	ebb_threads_leave();
	free(collector);
}
