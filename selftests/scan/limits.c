// SPDX-License-Identifier: GPL-2.0
/*
 * What a scan refuses, and what it does when its reader or its target is gone half-way.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "nl.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define NR_PAGES 32768 /* every other one hot: a dump of many messages */
#define PATIENCE 600 /* tenths of a second */

static struct nl nl;
static struct toucher target;

/* the pages of the target's mapping that were told as young, counted */
static unsigned char young[NR_PAGES];

static void take_run(const struct ebb_run *run, void *arg)
{
	uint64_t page, base = (uint64_t)target.mem;
	uint32_t i;

	for (i = 0; run->kind == EBB_RUN_YOUNG && i < run->nr_pages; i++) {
		page = (run->start + i * PAGE - base) / PAGE;
		if (run->start + i * PAGE >= base && page < NR_PAGES)
			young[page]++;
	}
}

static int scan(uint32_t flags)
{
	memset(young, 0, sizeof(young));
	return nl_scan(&nl, target.pid, 0, 0, flags, take_run, NULL, NULL);
}

static size_t nr_young(void)
{
	size_t i, sum = 0;

	for (i = 0; i < NR_PAGES; i++)
		sum += young[i];
	return sum;
}

static void open_or_bail(struct nl *client)
{
	if (nl_open(client))
		tap_bail("the family ebb: is the module loaded?");
}

static void renew_target(void)
{
	toucher_stop(&target);
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
}

/* Begin a scan that cannot be over after its first message. */
static void begin(struct nl *reader)
{
	open_or_bail(reader);
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
	if (nl_scan_begin(reader, target.pid, take_run, NULL) != 1)
		tap_bail("SCAN ended in its first message: %s", reader->text);
}

/* The kernel lets go of a closed socket a little later. */
static int scan_when_free(void)
{
	int i, err = -EBUSY;

	for (i = 0; err == -EBUSY && i < PATIENCE; i++) {
		err = scan(0);
		if (err == -EBUSY)
			usleep(100000);
	}
	return err;
}

static void test_busy(void)
{
	struct nl reader;

	scan(0);
	begin(&reader);
	tap_equal(scan(0), -EBUSY, "a second scan of the same process");
	tap_ok(nl.text[0], "and why: %s", nl.text);
	tap_equal(nl_scan(&nl, getpid(), 0, 0, 0, NULL, NULL, NULL), 0,
		  "a scan of another process meanwhile");
	tap_equal(nl_scan_go_on(&reader, NULL, NULL), 0, "the first scan goes on to its end");
	tap_equal(scan(0), 0, "then the next one may begin");
	nl_close(&reader);
}

/* What the first message told is cleared; all else is still there for the next scan. */
static void test_abandoned(void)
{
	unsigned char before[NR_PAGES];
	struct nl reader;
	size_t i, wrong = 0;

	scan(0);
	memset(young, 0, sizeof(young));
	begin(&reader);
	memcpy(before, young, sizeof(before));
	nl_close(&reader);
	tap_equal(scan_when_free(), 0, "a scan after one whose reader has gone away");
	for (i = 0; i < NR_PAGES; i++)
		wrong += i % 2 ? young[i] || before[i] : before[i] && young[i];
	tap_equal(wrong, 0, "pages told twice, or told without having been touched");
	tap_ok(nr_young() && nr_young() < NR_PAGES / 2, "%lu of %d touched pages are still told",
	       (long)nr_young(), NR_PAGES / 2);
}

/* Lost are only pages of messages that nobody has read. */
static void test_tables_are_given_back(void)
{
	struct nl reader;
	size_t i, wrong = 0;

	scan(0);
	begin(&reader);
	nl_close(&reader);
	scan_when_free();
	for (i = NR_PAGES - 16; i < NR_PAGES; i++)
		wrong += young[i] != !(i % 2);
	tap_equal(wrong, 0, "pages wrong behind where an abandoned scan had got to");
}

static int read_one_and_wait(void *arg)
{
	int *ready = arg;
	struct nl reader;

	begin(&reader);
	if (write(ready[1], "", 1) != 1)
		return 1;
	for (;;)
		pause();
}

static void test_killed_reader(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		tap_bail("pipe");
	pid = fork();
	if (!pid)
		_exit(read_one_and_wait(ready));
	if (read(ready[0], &byte, 1) != 1)
		tap_bail("a reader could not be had");
	tap_equal(scan(0), -EBUSY, "a scan while another reader sleeps");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tap_equal(scan_when_free(), 0, "a scan after that reader was killed");
	close(ready[0]);
	close(ready[1]);
}

/* A scan that waits for its reader keeps no lock of the target. */
static void map_and_unmap(struct toucher *toucher)
{
	void *mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(mem, PAGE);
	munmap(toucher->mem + toucher->nr * PAGE / 2, toucher->nr * PAGE / 4);
}

static void fork_and_leave(struct toucher *toucher)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void leave(struct toucher *toucher)
{
	_exit(0);
}

static void run_another_program(struct toucher *toucher)
{
	execl("/bin/sleep", "sleep", "1000", NULL);
	_exit(1);
}

static void check_meanwhile(const char *what, void (*fn)(struct toucher *toucher), int expected)
{
	bool returns = expected == 0;
	struct nl reader;

	scan(0);
	begin(&reader);
	if (toucher_do(&target, fn) != returns)
		tap_bail("the process under test could not do it: %s", what);
	tap_equal(nl_scan_go_on(&reader, NULL, NULL), expected, "%s in mid-scan", what);
	if (expected)
		tap_ok(reader.text[0], "and why: %s", reader.text);
	nl_close(&reader);
	renew_target();
}

static void expect(const char *what, struct nl_request *req, int expected)
{
	int err = nl_ask(&nl, req, NULL, NULL);

	tap_equal(err, expected, "%s", what);
	tap_ok(nl.text[0], "and why: %s", nl.text);
}

static void begin_request(struct nl_request *req)
{
	nl_begin(&nl, req, EBB_CMD_SCAN, true);
	nl_put_u32(req, EBB_A_PID, target.pid);
}

static void expect_bad_range(const char *what, uint64_t start, uint64_t end)
{
	struct nl_request req;

	begin_request(&req);
	nl_put_u64(&req, EBB_A_START, start);
	nl_put_u64(&req, EBB_A_END, end);
	expect(what, &req, -EINVAL);
}

static void test_bad_requests(void)
{
	struct nl_request req;

	begin_request(&req);
	nl_put_u32(&req, EBB_A_FLAGS, 1 << 30);
	expect("an unknown flag", &req, -EINVAL);
	begin_request(&req);
	nl_put_u32(&req, __EBB_A_MAX + 5, 1);
	expect("an unknown attribute", &req, -EINVAL);
	begin_request(&req);
	nl_put(&req, EBB_A_RANGES, "0123456789abcdef", 16);
	expect("an attribute of another command", &req, -EINVAL);
	begin_request(&req);
	nl_put(&req, EBB_A_START, "1234", 4);
	expect("an attribute of a wrong size", &req, -EINVAL);
	nl_begin(&nl, &req, EBB_CMD_SCAN, true);
	expect("no process", &req, -EINVAL);
	nl_begin(&nl, &req, EBB_CMD_SCAN, true);
	nl_put_u32(&req, EBB_A_PID, 0x7fffffff);
	expect("a process that does not exist", &req, -ESRCH);
	nl_begin(&nl, &req, EBB_CMD_SCAN, true);
	nl_put_u32(&req, EBB_A_PID, 2);
	expect("a kernel thread", &req, -ESRCH);
	expect_bad_range("a start inside a page", 0x1001, 0x3000);
	expect_bad_range("an end inside a page", 0x1000, 0x3001);
	expect_bad_range("an end before the start", 0x3000, 0x1000);
	expect_bad_range("an empty range", 0x3000, 0x3000);
}

static int count_refusals(void)
{
	uint64_t out[__EBB_OUTCOME_MAX];
	struct ebb_range range = { 0x1000, 0x2000 };
	struct nl_request req;
	int nr = 0;

	open_or_bail(&nl);
	nr += nl_scan(&nl, getpid(), 0, 0, 0, NULL, NULL, NULL) == -EPERM && nl.text[0];
	nr += nl_reclaim(&nl, getpid(), &range, 1, 0, out) == -EPERM && nl.text[0];
	nl_begin(&nl, &req, EBB_CMD_CAPS, false);
	nr += nl_ask(&nl, &req, NULL, NULL) == -EPERM && nl.text[0];
	nl_begin(&nl, &req, EBB_CMD_STATS, false);
	nr += nl_ask(&nl, &req, NULL, NULL) == -EPERM && nl.text[0];
	return nr;
}

static int ask_as_nobody(void *arg)
{
	if (setgid(65534) || setuid(65534))
		return 100;
	return count_refusals();
}

static int ask_in_user_namespace(void *arg)
{
	if (unshare(CLONE_NEWUSER))
		return 100;
	return count_refusals();
}

static int ask_with_inherited_socket(void *arg)
{
	if (setgid(65534) || setuid(65534))
		return 100;
	return scan(0) == -EPERM;
}

static void test_privilege(void)
{
	tap_equal(child_run(ask_as_nobody, NULL), 4, "without CAP_SYS_ADMIN: commands refused");
	tap_equal(child_run(ask_in_user_namespace, NULL), 4,
		  "with it in another user namespace: commands refused");
	tap_equal(child_run(ask_with_inherited_socket, NULL), 1,
		  "without it, on a socket that root has opened");
}

static void test_flags(void)
{
	uint64_t middle = (uint64_t)target.mem + NR_PAGES / 2 * PAGE;

	scan(0);
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
	scan(EBB_SCAN_KEEP);
	tap_equal(nr_young(), NR_PAGES / 2, "EBB_SCAN_KEEP: young pages");
	scan(EBB_SCAN_KEEP);
	tap_equal(nr_young(), NR_PAGES / 2, "EBB_SCAN_KEEP: young pages, again");
	memset(young, 0, sizeof(young));
	nl_scan(&nl, target.pid, middle, 0, 0, take_run, NULL, NULL);
	tap_equal(nr_young(), NR_PAGES / 4, "from the middle: young pages");
	scan(0);
	tap_equal(nr_young(), NR_PAGES / 4, "all, afterwards: young pages");
	tap_equal(scan(EBB_SCAN_NO_FLUSH), 0, "EBB_SCAN_NO_FLUSH is accepted");
	scan(0);
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
	scan(0);
	tap_equal(nr_young(), NR_PAGES / 2, "a scan after it is exact: young pages");
}

/* A scan without a flush may miss pages, but must not make the next one skip their tables. */
static void test_parts_and_wholes(void)
{
	uint64_t base = (uint64_t)target.mem;
	uint64_t odd = base + 700 * PAGE;

	scan(0);
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
	memset(young, 0, sizeof(young));
	nl_scan(&nl, target.pid, odd, odd + 900 * PAGE, 0, take_run, NULL, NULL);
	tap_equal(nr_young(), 450, "a range that cuts page tables: young pages");
	scan(0);
	tap_equal(nr_young(), NR_PAGES / 2 - 450, "the rest of these tables is told by the next");
}

int main(void)
{
	open_or_bail(&nl);
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
	test_bad_requests();
	test_privilege();
	test_flags();
	test_parts_and_wholes();
	test_busy();
	test_abandoned();
	test_tables_are_given_back();
	test_killed_reader();
	check_meanwhile("mmap and munmap", map_and_unmap, 0);
	check_meanwhile("fork", fork_and_leave, 0);
	check_meanwhile("exit", leave, -ESRCH);
	check_meanwhile("exec", run_another_program, -ESRCH);
	toucher_stop(&target);
	nl_close(&nl);
	return tap_end();
}
