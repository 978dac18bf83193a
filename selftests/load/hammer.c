// SPDX-License-Identifier: GPL-2.0
/*
 * Load for tests that load, unload and switch the module: each worker does one thing in a loop, module
 * there or not, until the program gets SIGTERM. Then it prints one line: how often each thing
 * succeeded, and how often something failed in a way it must not. Exit status: 0, or 1 when
 * something did.
 *
 *	hammer PROC...		where proc is mounted; prints "ready" when all workers run
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "nl.h"
#include "tap.h"

#define NR_TARGETS 3

/* Counters, shared by all processes. Workers are nice: the test that they load has to get on. */
struct counts {
	unsigned long opens, reads, writes, lists, stats, caps, scans, unexpected;
};
static struct counts *counts;

static pid_t targets[NR_TARGETS];
static char **mounts;
static int nr_mounts;

static void count(unsigned long *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void complain(const char *what, int err)
{
	count(&counts->unexpected);
	if (counts->unexpected < 10)
		fprintf(stderr, "hammer: %s: %s\n", what, strerror(err));
}

/*
 * The entry may be gone, and an open that had found it already then meets a bad inode: EIO. What was
 * opened works, come what may.
 */
static int open_or_count(const char *proc, pid_t pid, const char *name, int flags)
{
	int fd = open_entry(proc, pid, name, flags);

	if (fd >= 0)
		count(&counts->opens);
	else if (errno != ENOENT && errno != EIO)
		complain("open", errno);
	return fd;
}

static void read_one(const char *proc, pid_t pid)
{
	int fd = open_or_count(proc, pid, IDLE_PAGES, O_RDONLY);
	uint32_t flag = EBB_SCAN_DIRTY_PAGE;
	char buf[64];

	if (fd < 0)
		return;
	if (ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &flag))
		complain("ioctl", errno);
	if (pread(fd, buf, sizeof(buf), MARK_ADDR) > 0)
		count(&counts->reads);
	else if (errno != EBUSY)
		complain("read", errno);
	close(fd);
}

static void write_one(const char *proc, pid_t pid)
{
	int fd = open_or_count(proc, pid, SWAP_PAGES, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, "1000\n", 5) == 5)
		count(&counts->writes);
	else
		complain("write", errno);
	close(fd);
}

static void list_one(const char *proc, pid_t pid)
{
	char dir[128];
	int found;

	snprintf(dir, sizeof(dir), "%s/%d", proc, pid);
	found = count_entry(dir, IDLE_PAGES, 512);
	if (found == 1)
		count(&counts->lists);
	else if (found < 0 || found > 1)
		complain("readdir", found < 0 ? errno : EEXIST);
}

static void stat_one(const char *proc, pid_t pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, SWAP_PAGES);
	if (!access(path, R_OK))
		count(&counts->stats);
	else if (errno != ENOENT && errno != EIO)
		complain("access", errno);
}

static void on_each_entry(void (*fn)(const char *proc, pid_t pid))
{
	int m, t;

	for (m = 0; m < nr_mounts; m++)
		for (t = 0; t < NR_TARGETS; t++)
			fn(mounts[m], targets[t]);
}

static void open_and_read(void)
{
	on_each_entry(read_one);
}

static void open_and_write(void)
{
	on_each_entry(write_one);
}

static void list(void)
{
	on_each_entry(list_one);
}

static void look(void)
{
	on_each_entry(stat_one);
}

/*
 * The family may go at any moment (a dump that begins then is answered EPROTONOSUPPORT), and another
 * scan may be under way.
 */
static void judge_answer(int err, unsigned long *counter, const char *what)
{
	if (!err)
		count(counter);
	else if (err != -ENOENT && err != -EPROTONOSUPPORT && err != -EBUSY)
		complain(what, -err);
}

static void ask_family(void)
{
	struct nl_request request;
	struct nl nl;
	int err = nl_open(&nl);

	if (err) {
		if (err != -ENOENT)
			complain("looking for the family", -err);
		return;
	}
	nl_begin(&nl, &request, EBB_CMD_CAPS, false);
	judge_answer(nl_ask(&nl, &request, NULL, NULL), &counts->caps, "CAPS");
	judge_answer(nl_scan(&nl, targets[0], 0, 0, 0, NULL, NULL, NULL), &counts->scans, "SCAN");
	nl_close(&nl);
}

static pid_t start_worker(void (*work)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nice(15) < 0)
		_exit(1);
	/* in the pause neither RCU tasks nor an unload has to wait for a slow processor */
	for (;;) {
		work();
		usleep(10000);
	}
}

static void wait_for_term(const sigset_t *set)
{
	int sig;

	printf("ready\n");
	fflush(stdout);
	sigwait(set, &sig);
}

int main(int argc, char **argv)
{
	void (*const work[])(void) = { open_and_read, open_and_write, list, look, ask_family };
	const size_t nr_work = sizeof(work) / sizeof(work[0]);
	pid_t workers[sizeof(work) / sizeof(work[0])];
	sigset_t set;
	size_t i;

	mounts = argv + 1;
	nr_mounts = argc - 1;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	for (i = 0; i < NR_TARGETS; i++)
		targets[i] = child_start(map_mark, NULL);
	for (i = 0; i < nr_work; i++)
		workers[i] = start_worker(work[i]);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	wait_for_term(&set);
	for (i = 0; i < nr_work; i++)
		child_end(workers[i]);
	printf("opens %lu reads %lu writes %lu lists %lu stats %lu caps %lu scans %lu unexpected %lu\n",
	       counts->opens, counts->reads, counts->writes, counts->lists, counts->stats,
	       counts->caps, counts->scans, counts->unexpected);
	return counts->unexpected ? 1 : 0;
}
