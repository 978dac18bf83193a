// SPDX-License-Identifier: GPL-2.0
/*
 * Whoever scans or reclaims can be killed at any moment; then nothing stays behind: the memory can be
 * scanned again, and what is touched is told.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define NR_PAGES 16384
#define ROUNDS 25
#define PATIENCE 600 /* tenths of a second */

static struct nl nl;
static struct toucher target;
static size_t nr_young;

static void count_young(const struct ebb_run *run, void *arg)
{
	if (run->kind == EBB_RUN_YOUNG)
		nr_young += run->nr_pages;
}

static int scan_target(struct nl *client)
{
	const uint64_t start = (uint64_t)target.mem;

	return nl_scan(client, target.pid, start, start + NR_PAGES * PAGE, 0, count_young, NULL,
		       NULL);
}

/* No swap: the pages are isolated, tried, and put back. */
static int reclaim_target(struct nl *client)
{
	const uint64_t start = (uint64_t)target.mem;
	const struct ebb_range range = { start, start + NR_PAGES * PAGE };
	uint64_t outcomes[__EBB_OUTCOME_MAX];

	return nl_reclaim(client, target.pid, &range, 1, 0, outcomes);
}

static pid_t start(int (*work)(struct nl *client))
{
	pid_t pid = fork();
	struct nl client;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nl_open(&client))
		_exit(1);
	for (;;)
		work(&client);
}

/* The kernel lets go of a closed socket a little later. */
static int scan_when_free(void)
{
	int i, err = -EBUSY;

	for (i = 0; err == -EBUSY && i < PATIENCE; i++) {
		nr_young = 0;
		err = scan_target(&nl);
		if (err == -EBUSY)
			usleep(100000);
	}
	return err;
}

static void check_killed(const char *what, int (*work)(struct nl *client))
{
	int i, status, alive = 0, refused = 0, wrong = 0;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = start(work);
		usleep(random() % 40000);
		kill(pid, SIGKILL);
		alive += waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status);
		refused += scan_when_free() != 0;
		toucher_touch(&target, 0, NR_PAGES, 1);
		refused += scan_when_free() != 0;
		wrong += nr_young != NR_PAGES;
	}
	tap_equal(alive, 0, "%s: killed in %d rounds, but ended otherwise", what, ROUNDS);
	tap_equal(refused, 0, "%s: scans refused afterwards", what);
	tap_equal(wrong, 0, "%s: scans afterwards that do not tell all touched pages", what);
}

int main(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	srandom(1);
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
	check_killed("SCAN", scan_target);
	check_killed("RECLAIM", reclaim_target);
	toucher_stop(&target);
	nl_close(&nl);
	return tap_end();
}
