// SPDX-License-Identifier: GPL-2.0
/*
 * The target forks, unmaps and moves its memory, in a loop, while scans of it run all the time; none
 * of them fails, and right afterwards the results are exact.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "sys.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define NR_PAGES 8192
#define ASIDE ((char *)0x200000000000)
#define ROUNDS 5 /* of exactness, after each event */

static struct nl nl;
static struct toucher target;
static unsigned char young[NR_PAGES];

/* shared with the target */
static struct shared {
	_Atomic int stop;
	_Atomic unsigned long done; /* how often the event has happened */
	int round;
} * shared;

static void be_sure(bool is_ok)
{
	if (!is_ok)
		_exit(1);
}

static void fork_and_write(struct toucher *toucher)
{
	size_t page;
	pid_t pid = fork();

	if (!pid) {
		for (page = 0; page < NR_PAGES; page += 16)
			toucher->mem[page * PAGE] = 2;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void unmap_and_map(struct toucher *toucher)
{
	char *half = toucher->mem + NR_PAGES / 2 * PAGE;
	size_t size = NR_PAGES / 4 * PAGE;

	be_sure(!munmap(half, size));
	be_sure(mmap(half, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0) == half);
	madvise(half, size, MADV_NOHUGEPAGE);
	memset(half, 1, size);
}

/* Whole page tables and parts of them, there and back. */
static void move_there_and_back(struct toucher *toucher)
{
	size_t size = NR_PAGES / 4 * PAGE + 7 * PAGE;
	int flags = MREMAP_MAYMOVE | MREMAP_FIXED;

	be_sure(mremap(toucher->mem, size, size, flags, ASIDE) == ASIDE);
	be_sure(mremap(ASIDE, size, size, flags, toucher->mem) == toucher->mem);
}

static const struct event {
	const char *name;
	void (*fn)(struct toucher *toucher);
} events[] = {
	{ "fork", fork_and_write },
	{ "munmap and mmap", unmap_and_map },
	{ "mremap", move_there_and_back },
};
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

static const struct event *current; /* the target's */

static void loop(struct toucher *toucher)
{
	while (!atomic_load(&shared->stop)) {
		current->fn(toucher);
		atomic_fetch_add(&shared->done, 1);
	}
}

static void begin_loop(struct toucher *toucher)
{
	current = &events[shared->round];
	loop(toucher);
}

static bool is_hot(int page, int round)
{
	return (page * 2654435761U + round * 40503U) % 97 < 5;
}

static void touch_hot(struct toucher *toucher)
{
	int page;

	for (page = 0; page < NR_PAGES; page++)
		if (is_hot(page, shared->round))
			(void)*(volatile char *)(toucher->mem + page * PAGE);
}

static void have_done(void (*fn)(struct toucher *toucher))
{
	if (!toucher_do(&target, fn))
		tap_bail("the process under test is gone");
}

static void take_run(const struct ebb_run *run, void *arg)
{
	uint64_t i, at;

	for (i = 0;
	     run->kind == EBB_RUN_YOUNG && i < (uint64_t)run->nr_pages << (run->page_shift - 12);
	     i++) {
		at = run->start + i * PAGE;
		if (at >= (uint64_t)target.mem && at < (uint64_t)target.mem + NR_PAGES * PAGE)
			young[(at - (uint64_t)target.mem) / PAGE] = true;
	}
}

static int scan(int pid)
{
	memset(young, 0, sizeof(young));
	return nl_scan(&nl, pid, 0, 0, 0, take_run, NULL, NULL);
}

static void check_exact(const char *after)
{
	int i, page, wrong = 0;

	scan(target.pid);
	for (i = 0; i < ROUNDS; i++) {
		shared->round = i + 1000;
		have_done(touch_hot);
		scan(target.pid);
		for (page = 0; page < NR_PAGES; page++)
			wrong += young[page] != is_hot(page, shared->round);
	}
	tap_equal(wrong, 0, "wrong pages in %d rounds after %s", ROUNDS, after);
}

/* A helper gives the order, so that the scans run meanwhile. */
static void check_event(int nr, unsigned long times)
{
	int err, scans = 0, failed = 0;
	pid_t helper;

	shared->round = nr;
	atomic_store(&shared->stop, 0);
	atomic_store(&shared->done, 0);
	helper = fork();
	if (!helper)
		_exit(!toucher_do(&target, begin_loop));
	while (atomic_load(&shared->done) < times && !waitpid(helper, NULL, WNOHANG)) {
		err = scan(target.pid);
		failed += err != 0;
		scans++;
	}
	atomic_store(&shared->stop, 1);
	waitpid(helper, NULL, 0);
	tap_ok(!failed && scans && atomic_load(&shared->done) >= times,
	       "%s: %lu times during %d scans, %d failed", events[nr].name,
	       (unsigned long)atomic_load(&shared->done), scans, failed);
	check_exact(events[nr].name);
}

int main(void)
{
	size_t i;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	sys_run("echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
	for (i = 0; i < NR_EVENTS; i++)
		check_event(i, 20);
	toucher_stop(&target);
	nl_close(&nl);
	return tap_end();
}
