// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads that touch some pages and end.
 *
 *	threads SHORT LIVE
 *
 * Prints "ready", waits for a line on stdin, makes SHORT threads that end, eight at a time, and LIVE
 * ones that stay; prints "done", and ends with stdin. Thread number i touches i % 13 + 1 pages.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL
#define AT_ONCE 8

static pthread_barrier_t touched;

static void touch(size_t nr)
{
	char *pages =
		mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		abort();
	for (size_t i = 0; i < nr; i++)
		pages[i * PAGE] = 1;
	munmap(pages, nr * PAGE);
}

static void *run_short(void *arg)
{
	touch((uintptr_t)arg % 13 + 1);
	return NULL;
}

static void *run_live(void *arg)
{
	touch((uintptr_t)arg % 13 + 1);
	pthread_barrier_wait(&touched);
	for (;;)
		pause();
	return NULL;
}

static pthread_t start(void *(*fn)(void *), size_t i)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, (void *)(uintptr_t)i))
		abort();
	return thread;
}

static void run_all_short(size_t nr)
{
	pthread_t threads[AT_ONCE];

	for (size_t i = 0; i < nr; i += AT_ONCE) {
		size_t n = nr - i < AT_ONCE ? nr - i : AT_ONCE;

		for (size_t j = 0; j < n; j++)
			threads[j] = start(run_short, i + j);
		for (size_t j = 0; j < n; j++)
			pthread_join(threads[j], NULL);
	}
}

int main(int argc, char **argv)
{
	size_t nr_short, nr_live;
	char line[16];

	if (argc != 3)
		return 2;
	nr_short = strtoul(argv[1], NULL, 10);
	nr_live = strtoul(argv[2], NULL, 10);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	pthread_barrier_init(&touched, NULL, nr_live + 1);
	run_all_short(nr_short);
	for (size_t i = 0; i < nr_live; i++)
		start(run_live, i);
	pthread_barrier_wait(&touched);
	puts("done");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
