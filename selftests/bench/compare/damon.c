// SPDX-License-Identifier: GPL-2.0
/*
 * DAMON over a process's addresses, by sysfs, with the defaults of its documentation and with more
 * regions. It works all the time: its answer is the last aggregation, its cost the CPU time of its
 * thread per aggregation.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

#define ADMIN "/sys/kernel/mm/damon/admin/kdamonds/"
#define CONTEXT ADMIN "0/contexts/0/"
#define TRACING "/sys/kernel/tracing/"
#define EVENT TRACING "events/damon/damon_aggregated/enable"

struct attrs {
	unsigned int sample_us, aggr_us, min_regions, max_regions;
};

static const char *missing(void)
{
	if (access(ADMIN "nr_kdamonds", W_OK))
		return "needs CONFIG_DAMON_SYSFS and CONFIG_DAMON_VADDR: Linux 5.18";
	return access(EVENT, W_OK) ? "needs the event damon_aggregated in " TRACING : NULL;
}

static void set_attrs(const struct attrs *attrs)
{
	write_file(CONTEXT "monitoring_attrs/intervals/sample_us", "%u", attrs->sample_us);
	write_file(CONTEXT "monitoring_attrs/intervals/aggr_us", "%u", attrs->aggr_us);
	/* the least first: it may not be above the most, which was set by the kernel */
	write_file(CONTEXT "monitoring_attrs/nr_regions/max", "%u", attrs->max_regions);
	write_file(CONTEXT "monitoring_attrs/nr_regions/min", "%u", attrs->min_regions);
}

static void start(struct target *target, const struct attrs *attrs)
{
	write_file(ADMIN "nr_kdamonds", "1");
	write_file(ADMIN "0/contexts/nr_contexts", "1");
	write_file(CONTEXT "operations", "vaddr");
	set_attrs(attrs);
	write_file(CONTEXT "targets/nr_targets", "1");
	write_file(CONTEXT "targets/0/pid_target", "%d", target->toucher.pid);
	write_file(TRACING "trace", "0");
	write_file(EVENT, "1");
	write_file(ADMIN "0/state", "on");
}

static void begin_default(struct target *target)
{
	static const struct attrs attrs = { 5000, 100000, 10, 1000 };

	start(target, &attrs);
}

static void begin_tuned(struct target *target)
{
	static const struct attrs attrs = { 5000, 200000, 1000, 10000 };

	start(target, &attrs);
}

static double thread_us(void)
{
	unsigned long long ns = 0;
	FILE *file = fopen(ADMIN "0/pid", "r");
	char path[64];
	int pid = -1;

	if (!file || fscanf(file, "%d", &pid) != 1 || pid <= 0)
		tap_bail("DAMON's thread has ended");
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &ns) != 1)
		tap_bail("%s: %s", path, strerror(errno));
	fclose(file);
	return ns / 1e3;
}

static void take_region(const struct target *target, struct answer *answer, uint64_t start,
			uint64_t end, unsigned int accesses)
{
	uint64_t begin = (uint64_t)target->toucher.mem;

	if (start < begin)
		start = begin;
	if (end > begin + target->toucher.nr * PAGE)
		end = begin + target->toucher.nr * PAGE;
	if (start < end)
		memset(answer->hot + (start - begin) / PAGE, accesses > 0, (end - start) / PAGE);
}

/* Each aggregation tells all regions, in ascending order: what stays is the last one. */
static unsigned int take_trace(const struct target *target, struct answer *answer)
{
	FILE *file = fopen(TRACING "trace", "r");
	unsigned long start, end, last = 0;
	unsigned int accesses, nr = 0;
	char line[512], *at;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "nr_regions=");
		if (!at || sscanf(at, "nr_regions=%*u %lu-%lu: %u", &start, &end, &accesses) != 3)
			continue;
		nr += !nr || start < last;
		last = start;
		take_region(target, answer, start, end, accesses);
	}
	if (file)
		fclose(file);
	return nr;
}

static void end_interval(struct target *target, struct answer *answer)
{
	double us = thread_us();
	unsigned int nr;

	write_file(ADMIN "0/state", "off");
	write_file(EVENT, "0");
	nr = take_trace(target, answer);
	if (nr) {
		answer->background_us = us / nr;
		answer->nr_told = target->toucher.nr;
	}
	write_file(ADMIN "nr_kdamonds", "0");
}

const struct contender contender_damon = {
	.name = "DAMON",
	.sees = "regions",
	.watch_ms = 1200,
	.missing = missing,
	.begin = begin_default,
	.end = end_interval,
};

const struct contender contender_damon_tuned = {
	.name = "DAMON, tuned",
	.sees = "regions",
	.watch_ms = 1200,
	.missing = missing,
	.begin = begin_tuned,
	.end = end_interval,
};
