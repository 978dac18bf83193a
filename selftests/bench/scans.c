// SPDX-License-Identifier: GPL-2.0
/*
 * Time of one scan of a process, by ebb and by what every kernel has: clear_refs with smaps, and
 * pagemap, which tells no accesses at all. Each round touches the hot pages, then measures one way; the
 * ways take turns, so that all see the same machine. Prints medians.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "nl.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define MIB (1024 * 1024UL)
#define ROUNDS 9

static struct nl nl;
static struct toucher target;
static char buf[1 << 20];
static double kernel_us; /* of the last scan over netlink, by the module's own clock */

static int open_proc(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", target.pid, name);
	fd = open(path, flags);
	if (fd < 0)
		tap_bail("%s: %s", path, strerror(errno));
	return fd;
}

static void by_netlink(void)
{
	uint64_t stats[__EBB_STAT_MAX];

	if (nl_scan(&nl, target.pid, 0, 0, 0, NULL, NULL, stats))
		tap_bail("SCAN: %s", nl.text);
	kernel_us = stats[EBB_STAT_SCAN_NS] / 1e3;
}

/* The mapping only, as etmem reads it. */
static void by_idle_pages(void)
{
	off_t pos = (off_t)(unsigned long)target.mem, end = pos + target.nr * PAGE;
	int fd = open_proc("idle_pages", O_RDONLY);

	lseek(fd, pos, SEEK_SET);
	for (; pos < end; pos = lseek(fd, 0, SEEK_CUR))
		if (read(fd, buf, (end - pos) / PAGE / 8 + EBB_PIP_READ_MIN) < 0)
			tap_bail("idle_pages: %s", strerror(errno));
	close(fd);
}

static void by_smaps(void)
{
	int fd = open_proc("smaps", O_RDONLY);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	fd = open_proc("clear_refs", O_WRONLY);
	if (write(fd, "1", 1) != 1)
		tap_bail("clear_refs: %s", strerror(errno));
	close(fd);
}

static void by_pagemap(void)
{
	off_t pos = (off_t)((unsigned long)target.mem / PAGE * 8), end = pos + target.nr * 8;
	int fd = open_proc("pagemap", O_RDONLY);
	ssize_t len;

	while (pos < end) {
		len = pread(fd, buf, sizeof(buf), pos);
		if (len <= 0)
			tap_bail("pagemap: %s", strerror(errno));
		pos += len;
	}
	close(fd);
}

static const struct way {
	const char *name;
	void (*fn)(void);
} ways[] = {
	{ "ebb SCAN", by_netlink },
	{ "idle_pages", by_idle_pages },
	{ "clear_refs+smaps", by_smaps },
	{ "pagemap", by_pagemap },
};
#define NR_WAYS (sizeof(ways) / sizeof(ways[0]))

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 2];
}

static void print_row(const char *what, double us[NR_WAYS][ROUNDS], double *in_kernel)
{
	double first = median(us[0]), time;
	size_t way;

	printf("%-22s %9.2f", what, median(in_kernel) / 1e3);
	for (way = 0; way < NR_WAYS; way++) {
		time = median(us[way]);
		printf(" %9.2f %6.1fx", time / 1e3, time / first);
	}
	putchar('\n');
	fflush(stdout);
}

static void measure(const char *what, size_t nr_hot, size_t step)
{
	double us[NR_WAYS][ROUNDS], in_kernel[ROUNDS], begin;
	size_t way;
	int round;

	by_netlink();
	for (round = 0; round < ROUNDS; round++) {
		for (way = 0; way < NR_WAYS; way++) {
			toucher_touch(&target, 0, nr_hot, step);
			begin = now_us();
			ways[way].fn();
			us[way][round] = now_us() - begin;
		}
		in_kernel[round] = kernel_us;
	}
	print_row(what, us, in_kernel);
}

static void measure_size(size_t mib)
{
	size_t nr = mib * MIB / PAGE;
	char what[64];
	int percent;

	toucher_start(&target, nr, MADV_NOHUGEPAGE);
	for (percent = 1; percent <= 100; percent *= 10) {
		snprintf(what, sizeof(what), "%4zu MiB, %3d%% hot", mib, percent);
		measure(what, nr * percent / 100, 1);
	}
	snprintf(what, sizeof(what), "%4zu MiB,   1%% spread", mib);
	measure(what, nr / 100, 100);
	toucher_stop(&target);
}

int main(void)
{
	size_t way;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	printf("%-22s %9s", "milliseconds a scan", "in kernel");
	for (way = 0; way < NR_WAYS; way++)
		printf(" %17s", ways[way].name);
	printf("\n");
	measure_size(256);
	measure_size(1024);
	nl_close(&nl);
	return 0;
}
