// SPDX-License-Identifier: GPL-2.0
/*
 * Every error path: each call is made again and again, and each time one more of the allocations and
 * user copies within it works before one fails (/proc/thread-self/fail-nth), until none is left to
 * fail. After each, the call has to work. The kernel log and kmemleak tell what was not undone.
 *
 *	nth [LOAD]	LOAD: try all of the last LOAD failures of loading the module; default: every 30th
 *			of all
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "nl.h"
#include "sys.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define NR_PAGES 600 /* two page tables */
#define FAILURES_MAX 5000
#define NEVER 1000000

static struct toucher target;
static struct nl nl;
static int nth_fd;

/* Let the @n-th thing from now on fail; 0: none. What was left may hit this write first. */
static void set_nth(long n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%ld", n);

	if (pwrite(nth_fd, text, len, 0) != len && pwrite(nth_fd, text, len, 0) != len)
		tap_bail("fail-nth: %s", strerror(errno));
}

/*
 * How many things still had to happen; 0: one has failed. When it is this read that fails, it was the
 * next one.
 */
static long left(void)
{
	char text[16] = "";
	ssize_t len = pread(nth_fd, text, sizeof(text) - 1, 0);

	return len < 0 ? 1 : atol(text);
}

/**
 * struct call - what is tried
 * @name: of it
 * @prepare: before each try, nothing fails; or NULL
 * @call: the call: 0 or -errno
 * @clean: after each try; or NULL
 * @copes: nothing that can fail there makes it fail
 */
struct call {
	const char *name;
	void (*prepare)(void);
	int (*call)(void);
	void (*clean)(void);
	bool copes;
};

static int try(const struct call *call, long n, long *rest)
{
	int err;

	if (call->prepare)
		call->prepare();
	set_nth(n);
	err = call->call();
	*rest = left();
	set_nth(0);
	if (call->clean)
		call->clean();
	return err;
}

static bool is_expected(int err)
{
	return err == -ENOMEM || err == -ENOBUFS || err == -EFAULT || err == -EOPNOTSUPP ||
	       err == -EMSGSIZE || err == -ENFILE || err == -EAGAIN;
}

/* Every @step-th failure from the @first on; returns how many there were, -1 when there is no end. */
static long sweep(const struct call *call, long first, long step, long *nr_errors, long *nr_strange)
{
	long n, rest;
	int err;

	for (n = first; n < first + FAILURES_MAX; n += step) {
		err = try(call, n, &rest);
		if (rest)
			return (n - first) / step;
		*nr_errors += err != 0;
		if (err && !is_expected(err) && (*nr_strange)++ < 5)
			tap_note("%s, failure %ld: %s", call->name, n, strerrorname_np(-err));
		err = try(call, 0, &rest);
		if (err && (*nr_strange)++ < 5)
			tap_note("%s, after failure %ld: %s", call->name, n, strerrorname_np(-err));
	}
	return -1;
}

static void check_from(const struct call *call, long first, long step)
{
	long nr_errors = 0, nr_strange = 0;
	long nr = sweep(call, first, step, &nr_errors, &nr_strange);

	tap_ok(nr > 0, "%s: %ld failures, then it passed", call->name, nr);
	tap_ok(nr_errors > 0 || call->copes, "%s: %ld of them were told as errors", call->name,
	       nr_errors);
	tap_equal(nr_strange, 0, "%s: errors of another kind, or that lasted", call->name);
}

static void check(const struct call *call)
{
	check_from(call, 1, 1);
}

/*
 * Netlink: a socket for each try, as answers may be left in it
 */

static void connect_or_bail(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
}

static void disconnect(void)
{
	nl_close(&nl);
}

static int ask(int cmd)
{
	struct nl_request req;

	nl_begin(&nl, &req, cmd, false);
	return nl_ask(&nl, &req, NULL, NULL);
}

static int ask_caps(void)
{
	return ask(EBB_CMD_CAPS);
}

static int ask_stats(void)
{
	return ask(EBB_CMD_STATS);
}

static void prepare_scan(void)
{
	connect_or_bail();
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
}

/* The kernel ends the dump of a closed socket a little later. */
static int ask_scan(void)
{
	int err, patience = 600;

	do {
		err = nl_scan(&nl, target.pid, 0, 0, EBB_SCAN_ALL_VMAS, NULL, NULL, NULL);
	} while (err == -EBUSY && patience-- && !usleep(100000));
	return err;
}

/* Each page counted once, whatever fails; pages that are kept are no error. */
static int ask_reclaim(void)
{
	const uint64_t base = (uint64_t)target.mem;
	const struct ebb_range range = { base, base + 8 * PAGE };
	uint64_t out[__EBB_OUTCOME_MAX], sum = 0;
	int i, err = nl_reclaim(&nl, target.pid, &range, 1, 0, out);

	for (i = EBB_OUTCOME_ASKED + 1; i < __EBB_OUTCOME_MAX; i++)
		sum += out[i];
	return err ? err : sum == 8 ? 0 : -EPROTO;
}

/*
 * Files
 */

static int fd = -1;

static void close_fd(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static int open_idle(void)
{
	fd = open_entry("/proc", target.pid, IDLE_PAGES, O_RDONLY);
	return fd < 0 ? -errno : 0;
}

static int open_swap(void)
{
	fd = open_entry("/proc", target.pid, SWAP_PAGES, O_WRONLY);
	return fd < 0 ? -errno : 0;
}

static void prepare_idle(void)
{
	toucher_touch(&target, 0, NR_PAGES / 2, 2);
	if (open_idle())
		tap_bail("idle_pages: %s", strerror(errno));
}

static void prepare_swap(void)
{
	toucher_touch(&target, 0, 8, 1);
	if (open_swap())
		tap_bail("swap_pages: %s", strerror(errno));
}

static int read_idle(void)
{
	static char buf[4096];

	return pread(fd, buf, sizeof(buf), (off_t)target.mem) < 0 ? -errno : 0;
}

static int write_swap(void)
{
	char lines[256] = "";
	int i, len = 0;

	for (i = 0; i < 8; i++)
		len += sprintf(lines + len, "0x%lx\n", (unsigned long)target.mem + i * PAGE);
	return write(fd, lines, len) == len ? 0 : -errno;
}

/*
 * The entries, switched on. Off is not tried: when the kernel cannot disarm a kprobe for lack of memory
 * it warns, and loses count of its kprobes (__disarm_kprobe_ftrace() in 6.1).
 */

#define SWITCH "/sys/module/ebb/parameters/proc"

static int switch_to(const char *text)
{
	int ret, param = open(SWITCH, O_WRONLY | O_CLOEXEC);

	if (param < 0)
		return -errno;
	ret = write(param, text, 1) == 1 ? 0 : -errno;
	close(param);
	return ret;
}

static void must_switch(const char *text)
{
	if (switch_to(text))
		tap_bail("the entries cannot be switched: %s", strerror(errno));
}

static void switched_on(void)
{
	must_switch("1");
}

static void switched_off(void)
{
	must_switch("0");
}

static int switch_on(void)
{
	return switch_to("1");
}

/*
 * Loading: most of what can fail is the kernel's own work before the module's init, so only the last
 * failures are tried
 */

static char module_path[512];

static void unload(void)
{
	sys_run("[ ! -d /sys/module/ebb ] || modprobe -r ebb");
}

static int load(void)
{
	int err, file = open(module_path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return -errno;
	err = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
	close(file);
	return err;
}

/* Of the last @nr every @step-th. */
static void check_load(long nr, long step)
{
	const struct call call = { "loading the module", unload, load, NULL, false };
	struct utsname name;
	long rest;

	uname(&name);
	snprintf(module_path, sizeof(module_path), "/lib/modules/%s/extra/ebb.ko", name.release);
	if (try(&call, NEVER, &rest))
		tap_bail("%s: %s", module_path, strerror(errno));
	tap_note("%ld things can fail while the module is loaded", NEVER - rest);
	check_from(&call, NEVER - rest > nr ? NEVER - rest - nr : 1, step);
}

static void set(const char *path, const char *text)
{
	char command[256];

	snprintf(command, sizeof(command), "echo %s >/sys/kernel/debug/%s", text, path);
	sys_run(command);
}

/* Allocations of all kinds may fail, not only those that could do without waiting. */
static void set_up_failures(void)
{
	set("failslab/ignore-gfp-wait", "N");
	set("failslab/verbose", "0");
	set("fail_page_alloc/ignore-gfp-wait", "N");
	set("fail_page_alloc/ignore-gfp-highmem", "N");
	set("fail_page_alloc/min-order", "0");
	set("fail_page_alloc/verbose", "0");
	set("fail_usercopy/verbose", "0");
}

static const struct call calls[] = {
	{ "CAPS", connect_or_bail, ask_caps, disconnect, false },
	{ "STATS", connect_or_bail, ask_stats, disconnect, false },
	{ "SCAN", prepare_scan, ask_scan, disconnect, false },
	{ "RECLAIM", prepare_scan, ask_reclaim, disconnect, false },
	{ "open of idle_pages", NULL, open_idle, close_fd, false },
	{ "read of idle_pages", prepare_idle, read_idle, close_fd, false },
	{ "open of swap_pages", NULL, open_swap, close_fd, false },
	{ "write of swap_pages", prepare_swap, write_swap, close_fd, true },
	{ "switching the entries on", switched_off, switch_on, switched_on, false },
};

int main(int argc, char **argv)
{
	size_t i;

	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		printf("SKIP: needs a kernel with CONFIG_FAULT_INJECTION (scripts/vm --kernel debug)\n");
		return 4;
	}
	sys_run("modprobe ebb");
	set_up_failures();
	sys_swap_on();
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		check(&calls[i]);
	toucher_stop(&target);
	check_load(argc > 1 ? atol(argv[1]) : NEVER, argc > 1 ? 1 : 30);
	return tap_end();
}
