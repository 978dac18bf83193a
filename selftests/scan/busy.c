// SPDX-License-Identifier: GPL-2.0
/*
 * A program that never sleeps touches a small set of pages over and over. With the TLB flushed at
 * the end of each scan, none of them is ever told as idle; without, some may be: that is shown only.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "tap.h"

#define PAGE 4096UL
#define NR_PAGES 1024
#define STEP 31 /* every so many pages is hot */
#define ROUNDS 100
#define ROUNDS_SHOWN 20

static struct nl nl;
static char *mem;
static bool young[NR_PAGES];
static _Atomic unsigned long *loops; /* of the program; shared with it */

static void go_to_processor(int nr)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(nr, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void __attribute__((noreturn)) be_busy(void)
{
	size_t page;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	go_to_processor(1);
	memset(mem, 1, NR_PAGES * PAGE);
	for (;;) {
		for (page = 0; page < NR_PAGES; page += STEP)
			(void)*(volatile char *)(mem + page * PAGE);
		atomic_fetch_add(loops, 1);
	}
}

/* Wait until it has touched each page since now: the loop that is under way does not count. */
static void wait_for_loops(void)
{
	unsigned long until = atomic_load(loops) + 2;

	while (atomic_load(loops) < until)
		usleep(100);
}

static void take_run(const struct ebb_run *run, void *arg)
{
	uint64_t i, page;

	for (i = 0; run->kind == EBB_RUN_YOUNG && i < run->nr_pages; i++) {
		page = (run->start - (uint64_t)mem) / PAGE + i;
		if (run->start + i * PAGE >= (uint64_t)mem && page < NR_PAGES)
			young[page] = true;
	}
}

static void scan(int pid, uint32_t flags)
{
	memset(young, 0, sizeof(young));
	if (nl_scan(&nl, pid, 0, 0, flags, take_run, NULL, NULL))
		tap_bail("SCAN: %s", nl.text);
}

static void check_rounds(int pid, int rounds, uint32_t flags, int *false_idle, int *false_young)
{
	int i, page;

	*false_idle = *false_young = 0;
	scan(pid, 0);
	for (i = 0; i < rounds; i++) {
		wait_for_loops();
		scan(pid, flags);
		for (page = 0; page < NR_PAGES; page++) {
			*false_idle += page % STEP == 0 && !young[page];
			*false_young += page % STEP != 0 && young[page];
		}
	}
}

int main(void)
{
	int pid, false_idle, false_young;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	mem = mmap(NULL, NR_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	loops = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	madvise(mem, NR_PAGES * PAGE, MADV_NOHUGEPAGE);
	pid = fork();
	if (!pid)
		be_busy();
	go_to_processor(0);
	wait_for_loops();
	check_rounds(pid, ROUNDS, 0, &false_idle, &false_young);
	tap_equal(false_idle, 0, "false idle in %d rounds of %lu hot pages", ROUNDS,
		  (NR_PAGES + STEP - 1UL) / STEP);
	tap_equal(false_young, 0, "false young");
	check_rounds(pid, ROUNDS_SHOWN, EBB_SCAN_NO_FLUSH, &false_idle, &false_young);
	tap_note("without flushes: %d false idle in %d rounds", false_idle, ROUNDS_SHOWN);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	nl_close(&nl);
	return tap_end();
}
