// SPDX-License-Identifier: GPL-2.0
#include "export/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/text.h"
#include "base/units.h"
#include "core/threads.h"
#include "sources/collector.h"

struct scrape {
	FILE *out;
	bool is_openmetrics;
	struct ebb_process_info *at;
	size_t nr;
	size_t max;
	uint64_t missing;
};

static void take_process(const struct ebb_process_info *info, void *arg)
{
	struct scrape *scrape = arg;
	size_t max = scrape->max ? 2 * scrape->max : 256;
	struct ebb_process_info *at;

	if (scrape->nr == scrape->max) {
		at = reallocarray(scrape->at, max, sizeof(*at));
		if (!at) {
			scrape->missing++;
			return;
		}
		scrape->at = at;
		scrape->max = max;
	}
	scrape->at[scrape->nr++] = *info;
}

/* by id; of one id the latest first */
static int compare_ids(const void *a, const void *b)
{
	const struct ebb_process_info *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return (x->start_boottime_ns < y->start_boottime_ns) -
	       (x->start_boottime_ns > y->start_boottime_ns);
}

static int compare_faults(const void *a, const void *b)
{
	const struct ebb_process_info *x = a, *y = b;
	uint64_t m = x->total.minor + x->total.major, n = y->total.minor + y->total.major;

	return m != n ? (m < n) - (m > n) : compare_ids(a, b);
}

/* the id of an exited process may be in use again: a series must not come twice */
static void drop_former(struct scrape *scrape)
{
	size_t kept = 0;

	for (size_t i = 0; i < scrape->nr; i++) {
		if (!kept || scrape->at[kept - 1].tgid != scrape->at[i].tgid)
			scrape->at[kept++] = scrape->at[i];
	}
	scrape->nr = kept;
}

static void choose(struct scrape *scrape, uint64_t max)
{
	if (!scrape->nr)
		return;
	qsort(scrape->at, scrape->nr, sizeof(*scrape->at), compare_ids);
	drop_former(scrape);
	if (scrape->nr <= max)
		return;
	qsort(scrape->at, scrape->nr, sizeof(*scrape->at), compare_faults);
	scrape->missing += scrape->nr - max;
	scrape->nr = max;
}

/* @name: of the series; OpenMetrics names a family of counters without "_total" */
static void put_family(const struct scrape *scrape, const char *name, const char *type,
		       const char *help)
{
	size_t len = strlen(name);

	if (scrape->is_openmetrics && !strcmp(type, "counter"))
		len -= strlen("_total");
	fprintf(scrape->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", (int)len, name, help, (int)len,
		name, type);
}

static void put_label_value(FILE *out, const char *text)
{
	char copy[EBB_THREAD_COMM_MAX];

	snprintf(copy, sizeof(copy), "%s", text);
	ebb_text_printable(copy);
	for (const char *c = copy; *c; c++) {
		if (*c == '\\' || *c == '"')
			putc('\\', out);
		putc(*c, out);
	}
}

static void put_process(FILE *out, const char *name, const char *type,
			const struct ebb_process_info *info, uint64_t value)
{
	fprintf(out, "%s{", name);
	if (type)
		fprintf(out, "type=\"%s\",", type);
	fprintf(out, "pid=\"%d\",comm=\"", info->tgid);
	put_label_value(out, info->comm);
	fprintf(out, "\"} %lu\n", value);
}

static void put_processes(const struct scrape *scrape)
{
	put_family(scrape, "ebb_pagefaults_total", "counter",
		   "Page faults of a process since it began, exited threads included.");
	for (size_t i = 0; i < scrape->nr; i++) {
		const struct ebb_process_info *info = &scrape->at[i];

		put_process(scrape->out, "ebb_pagefaults_total", "major", info, info->total.major);
		put_process(scrape->out, "ebb_pagefaults_total", "minor", info, info->total.minor);
	}
	put_family(scrape, "ebb_process_threads", "gauge", "Live threads of a process.");
	for (size_t i = 0; i < scrape->nr; i++)
		put_process(scrape->out, "ebb_process_threads", NULL, &scrape->at[i],
			    scrape->at[i].nr_threads);
}

static void put_number(const struct scrape *scrape, const char *name, const char *type,
		       const char *help, uint64_t value)
{
	put_family(scrape, name, type, help);
	fprintf(scrape->out, "%s %lu\n", name, value);
}

static uint64_t own_memory(void)
{
	struct ebb_proc_memory memory;

	return ebb_proc_memory(getpid(), &memory) ? 0 : memory.rss;
}

static void put_collector(const struct scrape *scrape, struct ebb_collector *collector)
{
	struct ebb_collector_stats stats;

	ebb_collector_stats(collector, &stats);
	put_number(scrape, "ebb_polls_total", "counter", "Reads of the counters of all tasks.",
		   stats.reads);
	put_family(scrape, "ebb_poll_seconds_total", "counter", "Time that the reads took.");
	fprintf(scrape->out, "ebb_poll_seconds_total %.9f\n",
		(double)stats.read_ns / (double)EBB_NSEC_PER_SEC);
	put_number(scrape, "ebb_events_total", "counter", "Ends of tasks that were told by events.",
		   stats.events);
	put_family(scrape, "ebb_lost_total", "counter", "What could not be told, by reason.");
	fprintf(scrape->out,
		"ebb_lost_total{reason=\"ring_full\"} %lu\n"
		"ebb_lost_total{reason=\"table_full\"} %lu\n",
		stats.lost_events, stats.evicted);
}

static void put_self(const struct scrape *scrape, struct ebb_metrics *metrics)
{
	put_collector(scrape, metrics->collector);
	put_number(scrape, "ebb_scrapes_total", "counter", "Scrapes answered.", metrics->scrapes);
	put_number(scrape, "ebb_series_dropped_total", "counter",
		   "Processes left out of scrapes, see max_series.", metrics->dropped);
	put_number(scrape, "ebb_resident_memory_bytes", "gauge", "Resident memory of ebbd.",
		   own_memory());
}

char *ebb_metrics_text(struct ebb_metrics *metrics, bool is_openmetrics, size_t *size)
{
	struct scrape scrape = { .is_openmetrics = is_openmetrics };
	char *text = NULL;
	bool is_bad;

	scrape.out = open_memstream(&text, size);
	if (!scrape.out)
		return NULL;
	ebb_threads_each_process(ebb_collector_threads(metrics->collector), take_process, &scrape);
	choose(&scrape, metrics->max_series);
	metrics->scrapes++;
	metrics->dropped += scrape.missing;
	put_processes(&scrape);
	put_self(&scrape, metrics);
	if (is_openmetrics)
		fputs("# EOF\n", scrape.out);
	free(scrape.at);
	is_bad = ferror(scrape.out);
	if (!fclose(scrape.out) && !is_bad)
		return text;
	free(text);
	return NULL;
}
