// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are out are touched by functions with known names.
 *
 *	touch anon|FILE PAGES
 *
 * FILE: a file of so many pages in place of anonymous memory, where there is no swap. Prints "ready"
 * and waits for a line on stdin. Then each function gets fresh pages that are out, and a line
 * "FUNCTION START MAJOR MINOR" says what the kernel counted while it ran. Ends with stdin.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "touch.h"

#define PAGE 4096UL
#define TRIES 600

static size_t nr_pages;

int touch_global(volatile char *pages, size_t nr);
int call_inner(int which, volatile char *pages, size_t nr);
int call_outer(int which, volatile char *pages, size_t nr);

int __attribute__((noinline)) touch_global(volatile char *pages, size_t nr)
{
	int sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += pages[i * PAGE];
	return sum;
}

static int __attribute__((noinline)) touch_static(volatile char *pages, size_t nr)
{
	int sum = 1;

	for (size_t i = 0; i < nr; i++)
		sum ^= pages[i * PAGE];
	return sum;
}

int __attribute__((noinline)) call_inner(int which, volatile char *pages, size_t nr)
{
	switch (which) {
	case 0:
		return touch_global(pages, nr) + 1;
	case 1:
		return touch_static(pages, nr) + 2;
	default:
		return touch_in_library(pages, nr) + 3;
	}
}

int __attribute__((noinline)) call_outer(int which, volatile char *pages, size_t nr)
{
	return call_inner(which, pages, nr) * 3;
}

static void die(const char *what)
{
	fprintf(stderr, "touch: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *map_anon(void)
{
	char *pages = mmap(NULL, nr_pages * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	madvise(pages, nr_pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr_pages * PAGE; i += 64)
		pages[i] = i >> 6 ^ i >> 12;
	return pages;
}

static char *map_file(const char *path)
{
	int fd = open(path, O_RDWR);
	char *pages;

	if (fd < 0)
		die(path);
	pages = mmap(NULL, nr_pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		die("mmap");
	/* a fault reads one page and none of its neighbours */
	madvise(pages, nr_pages * PAGE, MADV_RANDOM);
	/* only what is clean and mapped can go out */
	if (fsync(fd))
		die("fsync");
	for (size_t i = 0; i < nr_pages; i++)
		(void)((volatile char *)pages)[i * PAGE];
	close(fd);
	return pages;
}

static size_t nr_resident(char *pages, unsigned char *vec)
{
	size_t nr = 0;

	if (mincore(pages, nr_pages * PAGE, vec))
		die("mincore");
	for (size_t i = 0; i < nr_pages; i++)
		nr += vec[i] & 1;
	return nr;
}

/* some pages may be busy for a while */
static void push_out(char *pages)
{
	unsigned char *vec = malloc(nr_pages);

	for (int i = 0; vec && i < TRIES; i++) {
		madvise(pages, nr_pages * PAGE, MADV_PAGEOUT);
		if (!nr_resident(pages, vec)) {
			free(vec);
			return;
		}
		usleep(100000);
	}
	fprintf(stderr, "touch: the pages do not go out\n");
	exit(1);
}

static void run(int which, const char *name, const char *source)
{
	char *pages = strcmp(source, "anon") ? map_file(source) : map_anon();
	struct rusage before, after;

	push_out(pages);
	getrusage(RUSAGE_SELF, &before);
	call_outer(which, pages, nr_pages);
	getrusage(RUSAGE_SELF, &after);
	printf("%s %p %ld %ld\n", name, pages, after.ru_majflt - before.ru_majflt,
	       after.ru_minflt - before.ru_minflt);
	fflush(stdout);
	munmap(pages, nr_pages * PAGE);
}

/* pages wait in a list of the processor that brought them in; only its own list is emptied */
static void stay_on_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "touch_global", "touch_static", "touch_in_library" };
	char line[16];

	if (argc != 3)
		return 2;
	nr_pages = strtoul(argv[2], NULL, 10);
	stay_on_cpu();
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	for (int i = 0; i < 3; i++)
		run(i, names[i], argv[1]);
	puts("done");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
