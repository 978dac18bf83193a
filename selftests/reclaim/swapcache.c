// SPDX-License-Identifier: GPL-2.0
/*
 * The swap cache is trimmed to the low watermark when it is above the high one, and not below it. A
 * process's memory is pushed out; a fork of it reads all of it and ends: then it is in the swap
 * cache, and nobody maps it.
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "entry.h"
#include "sys.h"
#include "tap.h"

#define PAGE 4096UL
#define LOW 1 /* percent of RAM */
#define HIGH 2
#define LEAST (HIGH + 1) /* of what the test puts into the cache */
#define SLACK_KIB 4096 /* pages on their way in or out, and those of others */
#define PATIENCE_S 200

static void *volatile no_addr = (void *)8;
static int fd;
static char *mem;
static size_t nr_pages;

static long meminfo(const char *name)
{
	char line[128];
	long kib = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			kib = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kib;
}

static int set_marks(uint32_t low, uint32_t high)
{
	uint32_t marks = low | high << 8;

	return ioctl(fd, EBB_SWAPCACHE_SET_WATERMARK, &marks);
}

static size_t count_right(void)
{
	size_t i, right = 0;

	for (i = 0; i < nr_pages; i++)
		right += *(size_t *)(mem + i * PAGE) == i;
	return right;
}

static void map(void)
{
	size_t i;

	nr_pages = meminfo("MemTotal") / 4 * LEAST / 100;
	mem = mmap(NULL, nr_pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (mem == MAP_FAILED || madvise(mem, nr_pages * PAGE, MADV_NOHUGEPAGE))
		tap_bail("no memory");
	for (i = 0; i < nr_pages; i++)
		*(size_t *)(mem + i * PAGE) = i;
}

static void fill_cache(void)
{
	pid_t pid;

	if (madvise(mem, nr_pages * PAGE, MADV_PAGEOUT))
		tap_bail("madvise");
	pid = fork();
	if (!pid)
		_exit(count_right() != nr_pages);
	waitpid(pid, NULL, 0);
}

static void test_rules(void)
{
	tap_errno(ioctl(fd, EBB_SWAPCACHE_SET_WATERMARK, no_addr), EFAULT, "a bad pointer");
	tap_errno(set_marks(0, 101), EFAULT, "a high watermark of 101%%");
	tap_errno(set_marks(101, 101), EFAULT, "a low one of 101%%");
	tap_errno(set_marks(3, 2), EFAULT, "a low one above the high one");
	tap_equal(set_marks(0, 0), 0, "both 0");
	tap_equal(set_marks(100, 100), 0, "both 100%%");
	tap_equal(ioctl(fd, EBB_SWAPCACHE_RECLAIM_OFF, NULL), 0, "off");
}

static void test_below(long before)
{
	tap_equal(set_marks(0, 100), 0, "a high watermark that is not reached");
	tap_equal(ioctl(fd, EBB_SWAPCACHE_RECLAIM_ON, NULL), 0, "on");
	sleep(1);
	tap_ok(meminfo("SwapCached") > before / 2, "nothing is trimmed below the high watermark");
}

static void test_above(void)
{
	long ram = meminfo("MemTotal"), limit = ram * LOW / 100 + SLACK_KIB, now;
	int i;

	tap_equal(set_marks(LOW, HIGH), 0, "watermarks of %d%% and %d%%", LOW, HIGH);
	tap_equal(ioctl(fd, EBB_SWAPCACHE_RECLAIM_ON, NULL), 0, "on");
	for (i = 0; i < PATIENCE_S * 10 && meminfo("SwapCached") > limit; i++)
		usleep(100000);
	now = meminfo("SwapCached");
	tap_note("now %ld KiB, in %d.%d s", now, i / 10, i % 10);
	tap_ok(now <= limit, "above the high watermark it is trimmed to the low one");
	tap_ok(now >= ram * LOW / 100 / 2, "and no further");
}

int main(void)
{
	long before;

	sys_swap_on();
	fd = open_entry("/proc", getpid(), SWAP_PAGES, O_WRONLY);
	if (fd < 0)
		tap_bail("%s: %s", SWAP_PAGES, strerror(errno));
	test_rules();
	map();
	fill_cache();
	before = meminfo("SwapCached");
	tap_note("swap cache: %ld of %ld KiB", before, meminfo("MemTotal"));
	tap_ok(before > meminfo("MemTotal") * HIGH / 100, "there is swap cache to trim");
	test_below(before);
	test_above();
	tap_equal(count_right(), nr_pages, "pages with the right contents afterwards");
	close(fd);
	return tap_end();
}
