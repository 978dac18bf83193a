// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of pages that are asked to be reclaimed: each is counted once, under the right
 * reason; what is counted as reclaimed is out, as pagemap sees it; and the data is the same when it
 * comes back.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "pagemap.h"
#include "sys.h"
#include "tap.h"

#define PAGE 4096UL
#define MIB (1024 * 1024UL)
#define NR 512 /* pages of most mappings */

static struct nl nl;
static uint64_t out[__EBB_OUTCOME_MAX];

static const char *const outcome_name[__EBB_OUTCOME_MAX] = {
	[EBB_OUTCOME_ASKED] = "asked",
	[EBB_OUTCOME_RECLAIMED] = "reclaimed",
	[EBB_OUTCOME_ABSENT] = "absent",
	[EBB_OUTCOME_SHARED] = "shared",
	[EBB_OUTCOME_LOCKED] = "locked",
	[EBB_OUTCOME_EXEC] = "exec",
	[EBB_OUTCOME_YOUNG] = "young",
	[EBB_OUTCOME_BUSY] = "busy",
	[EBB_OUTCOME_UNSUPPORTED] = "unsupported",
};

/* The process under test. It does as it is told: an order is a function and its argument. */

struct order {
	void (*fn)(char *mem, size_t nr);
	char *mem;
	size_t nr;
};

static int to_target[2], from_target[2];
static pid_t target;

static void serve(void)
{
	struct order order;

	while (read(to_target[0], &order, sizeof(order)) == sizeof(order)) {
		order.fn(order.mem, order.nr);
		if (write(from_target[1], "", 1) != 1)
			break;
	}
	_exit(0);
}

static void start_target(void)
{
	if (pipe(to_target) || pipe(from_target))
		tap_bail("pipe");
	target = fork();
	if (target < 0)
		tap_bail("fork");
	if (!target) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to_target[1]);
		close(from_target[0]);
		serve();
	}
	close(to_target[0]);
	close(from_target[1]);
}

static void stop_target(void)
{
	close(to_target[1]);
	close(from_target[0]);
	waitpid(target, NULL, 0);
}

static void tell(void (*fn)(char *mem, size_t nr), char *mem, size_t nr)
{
	struct order order = { fn, mem, nr };
	char byte;

	if (write(to_target[1], &order, sizeof(order)) != sizeof(order) ||
	    read(from_target[0], &byte, 1) != 1)
		tap_bail("the process under test is gone");
}

/* Addresses are chosen here, so that both sides know them. */
static char *next_place(void)
{
	static unsigned long place = 0x100000000000;

	place += 64 * MIB;
	return (char *)place;
}

static char pattern(size_t page, size_t i)
{
	return page * 131 + i * 7 + page / 256 + i / 256;
}

/* What the target does */

static void map(char *mem, size_t nr, int prot, int flags, int fd)
{
	if (mmap(mem, nr * PAGE, prot, flags | MAP_FIXED | MAP_PRIVATE, fd, 0) != mem)
		exit(1);
}

static void map_only(char *mem, size_t nr)
{
	map(mem, nr, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
	madvise(mem, nr * PAGE, MADV_NOHUGEPAGE);
}

static void fill(char *mem, size_t nr)
{
	size_t page, i;

	for (page = 0; page < nr; page++)
		for (i = 0; i < PAGE; i++)
			mem[page * PAGE + i] = pattern(page, i);
}

static void map_filled(char *mem, size_t nr)
{
	map_only(mem, nr);
	fill(mem, nr);
}

static void map_shared_with_child(char *mem, size_t nr)
{
	map_filled(mem, nr);
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void map_locked(char *mem, size_t nr)
{
	map_filled(mem, nr);
	if (mlock(mem, nr * PAGE))
		exit(1);
}

static void map_exec(char *mem, size_t nr)
{
	map_filled(mem, nr);
	if (mprotect(mem, nr * PAGE, PROT_READ | PROT_EXEC))
		exit(1);
}

static void map_spliced(char *mem, size_t nr)
{
	struct iovec iov = { mem, nr * PAGE };
	int fds[2];

	map_filled(mem, nr);
	if (pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, nr * PAGE) < 0 ||
	    vmsplice(fds[1], &iov, 1, 0) != (ssize_t)(nr * PAGE))
		exit(1);
}

static void map_zero_pages(char *mem, size_t nr)
{
	size_t page;

	map_only(mem, nr);
	for (page = 0; page < nr; page++)
		(void)*(volatile char *)(mem + page * PAGE);
}

static void map_hugetlb(char *mem, size_t nr)
{
	map(mem, nr, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_HUGETLB, -1);
	*mem = 1;
}

static void map_thp(char *mem, size_t nr)
{
	map(mem, nr, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
	madvise(mem, nr * PAGE, MADV_HUGEPAGE);
	fill(mem, nr);
}

static void map_file(char *mem, size_t nr)
{
	int fd = open("/mnt/file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buf[PAGE];
	size_t page, i;

	for (page = 0; page < nr; page++) {
		for (i = 0; i < PAGE; i++)
			buf[i] = pattern(page, i);
		if (write(fd, buf, PAGE) != PAGE)
			exit(1);
	}
	if (fsync(fd))
		exit(1);
	map(mem, nr, PROT_READ | PROT_WRITE, 0, fd);
	close(fd);
	for (page = 0; page < nr; page++)
		(void)*(volatile char *)(mem + page * PAGE);
}

static void touch_even(char *mem, size_t nr)
{
	size_t page;

	for (page = 0; page < nr; page += 2)
		(void)*(volatile char *)(mem + page * PAGE);
}

/* The test's side */

static char *have(void (*fn)(char *mem, size_t nr), size_t nr)
{
	char *mem = next_place();

	tell(fn, mem, nr);
	return mem;
}

static uint64_t sum_of_outcomes(void)
{
	uint64_t sum = 0;
	int i;

	for (i = EBB_OUTCOME_ASKED + 1; i < __EBB_OUTCOME_MAX; i++)
		sum += out[i];
	return sum;
}

static void note_outcomes(void)
{
	int i;

	for (i = EBB_OUTCOME_ASKED; i < __EBB_OUTCOME_MAX; i++)
		if (out[i])
			tap_note("%s: %lu", outcome_name[i], (long)out[i]);
}

/* Reclaim; check that every page is counted once. */
static void reclaim(const char *what, const void *mem, size_t nr, uint32_t flags)
{
	struct ebb_range range = { (uint64_t)mem, (uint64_t)mem + nr * PAGE };
	int err = nl_reclaim(&nl, target, &range, 1, flags, out);

	if (!tap_ok(!err && out[EBB_OUTCOME_ASKED] == nr && sum_of_outcomes() == nr,
		    "%s: %lu pages asked for, each counted once", what, (long)nr))
		tap_note("error %d %s", err, nl.text);
	note_outcomes();
}

/* All pages came out as one outcome. */
static void expect_all(const char *what, const void *mem, size_t nr, uint32_t flags, int outcome)
{
	reclaim(what, mem, nr, flags);
	tap_equal(out[outcome], nr, "%s: all are %s", what, outcome_name[outcome]);
}

/* The pages that count as reclaimed are out, the others are not. */
static void expect_out(const char *what, const void *mem, size_t nr)
{
	size_t present = pagemap_present(target, (uint64_t)mem, nr);

	tap_equal(nr - present, out[EBB_OUTCOME_RECLAIMED], "%s: pages out, as pagemap sees it",
		  what);
	tap_ok(out[EBB_OUTCOME_RECLAIMED] > nr / 2, "%s: most of %lu idle pages went out", what,
	       (long)nr);
}

static void expect_data(const char *what, const char *mem, size_t nr)
{
	struct iovec local, remote;
	size_t page, i, wrong = 0;
	char buf[PAGE] = { 0 };

	for (page = 0; page < nr; page++) {
		local = (struct iovec){ buf, PAGE };
		remote = (struct iovec){ (char *)mem + page * PAGE, PAGE };
		if (process_vm_readv(target, &local, 1, &remote, 1, 0) != PAGE)
			tap_bail("%s: page %lu does not come back", what, (long)page);
		for (i = 0; i < PAGE; i++)
			wrong += buf[i] != pattern(page, i);
	}
	tap_equal(wrong, 0, "%s: bytes that are wrong after coming back", what);
}

static void test_no_swap(void)
{
	char *mem = have(map_filled, NR);

	expect_all("without swap", mem, NR, 0, EBB_OUTCOME_BUSY);
	expect_data("without swap", mem, NR);
}

static void test_anonymous(void)
{
	char *mem = have(map_filled, 4 * NR);

	reclaim("anonymous", mem, 4 * NR, 0);
	expect_out("anonymous", mem, 4 * NR);
	expect_data("anonymous", mem, 4 * NR);
	/* all are back: once more, from a mapping with swap entries */
	reclaim("anonymous, again", mem, 4 * NR, 0);
	expect_out("anonymous, again", mem, 4 * NR);
	expect_data("anonymous, again", mem, 4 * NR);
}

static void test_file(void)
{
	char *mem;

	sys_run("mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt");
	mem = have(map_file, NR);
	reclaim("private file mapping", mem, NR, 0);
	expect_out("private file mapping", mem, NR);
	expect_data("private file mapping", mem, NR);
}

static void test_exec(void)
{
	char *mem = have(map_exec, NR);

	expect_all("executable", mem, NR, 0, EBB_OUTCOME_EXEC);
	reclaim("executable, EBB_RECLAIM_EXEC", mem, NR, EBB_RECLAIM_EXEC);
	expect_out("executable, EBB_RECLAIM_EXEC", mem, NR);
	expect_data("executable, EBB_RECLAIM_EXEC", mem, NR);
}

static void scan(void)
{
	if (nl_scan(&nl, target, 0, 0, 0, NULL, NULL, NULL))
		tap_bail("SCAN: %s", nl.text);
}

static void test_only_idle(void)
{
	char *mem = have(map_filled, NR);

	scan();
	tell(touch_even, mem, NR);
	reclaim("half of them touched, EBB_RECLAIM_ONLY_IDLE", mem, NR, EBB_RECLAIM_ONLY_IDLE);
	tap_equal(out[EBB_OUTCOME_YOUNG], NR / 2, "touched pages are left alone");
	tap_equal(pagemap_present(target, (uint64_t)mem, NR), NR - out[EBB_OUTCOME_RECLAIMED],
		  "pages still there");
	tap_ok(out[EBB_OUTCOME_RECLAIMED] > NR / 4, "idle pages went out");
	expect_data("half of them touched", mem, NR);
}

static void test_hugetlb(void)
{
	sys_run("echo 2 >/proc/sys/vm/nr_hugepages");
	expect_all("hugetlb", have(map_hugetlb, NR), NR, 0, EBB_OUTCOME_UNSUPPORTED);
}

static size_t huge_bytes(const char *mem)
{
	char path[64], line[256];
	unsigned long start, end, kib;
	bool is_here = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", target);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			is_here = start == (unsigned long)mem;
		if (is_here && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1) {
			fclose(file);
			return kib * 1024;
		}
	}
	tap_bail("no AnonHugePages in %s", path);
}

static void test_thp(void)
{
	char *mem;

	sys_run("echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	mem = have(map_thp, 2 * NR);
	if (huge_bytes(mem) != 2 * NR * PAGE) {
		tap_skip("huge page", "this machine gave %lu KiB of them", huge_bytes(mem) / 1024);
		return;
	}
	expect_all("part of a huge page", mem + 8 * PAGE, 16, 0, EBB_OUTCOME_BUSY);
	reclaim("huge pages", mem, 2 * NR, 0);
	expect_out("huge pages", mem, 2 * NR);
	expect_data("huge pages", mem, 2 * NR);
}

/* Addresses of all sorts, most of them nothing's; in any order and overlapping. */
static uint64_t bad_page(void)
{
	uint64_t r = (uint64_t)random() << 33 ^ (uint64_t)random() << 12 ^ random() >> 11;

	return (r >> random() % 40) & ~(PAGE - 1);
}

static void test_bad_addresses(void)
{
	char *mem = have(map_filled, NR);
	static struct ebb_range ranges[1000];
	size_t i, asked;
	int round, wrong = 0;

	srandom(1);
	for (round = 0; round < 10; round++) {
		for (i = asked = 0; i < 1000; i++) {
			ranges[i].start = bad_page() & ~(1ULL << 63);
			ranges[i].end = ranges[i].start + PAGE * (1 + random() % 3);
			asked += (ranges[i].end - ranges[i].start) / PAGE;
		}
		wrong += nl_reclaim(&nl, target, ranges, 1000, 0, out) != 0;
		wrong += out[EBB_OUTCOME_ASKED] != asked || sum_of_outcomes() != asked;
	}
	tap_equal(wrong, 0, "10,000 bad addresses: requests that went wrong");
	expect_data("10,000 bad addresses", mem, NR);
}

static void expect_refused(const char *what, uint64_t start, uint64_t end, uint32_t flags)
{
	struct ebb_range range = { start, end };
	int err = nl_reclaim(&nl, target, &range, 1, flags, out);

	tap_ok(err == -EINVAL && nl.text[0], "%s: EINVAL, and why: %s", what, nl.text);
}

static void test_refusals(void)
{
	int err;

	expect_refused("a range that does not begin with a page", 0x1001, 0x3000, 0);
	expect_refused("a range that ends before its start", 0x3000, 0x1000, 0);
	expect_refused("an empty range", 0x3000, 0x3000, 0);
	expect_refused("an unknown flag", 0x1000, 0x3000, 1 << 30);
	err = nl_reclaim(&nl, target, NULL, 0, 0, out);
	tap_ok(err == -EINVAL && nl.text[0], "no ranges: EINVAL, and why: %s", nl.text);
	err = nl_reclaim(&nl, 2, &(struct ebb_range){ 0x1000, 0x2000 }, 1, 0, out);
	tap_ok(err == -ESRCH && nl.text[0], "a kernel thread: ESRCH, and why: %s", nl.text);
}

int main(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	start_target();
	test_no_swap();
	sys_swap_on();
	test_anonymous();
	test_file();
	expect_all("never touched", have(map_only, NR), NR, 0, EBB_OUTCOME_ABSENT);
	expect_all("not mapped", next_place(), NR, 0, EBB_OUTCOME_ABSENT);
	expect_all("mapped twice", have(map_shared_with_child, NR), NR, 0, EBB_OUTCOME_SHARED);
	expect_all("mlocked", have(map_locked, NR), NR, 0, EBB_OUTCOME_LOCKED);
	expect_all("spliced into a pipe", have(map_spliced, 16), 16, 0, EBB_OUTCOME_BUSY);
	expect_all("zero page", have(map_zero_pages, NR), NR, 0, EBB_OUTCOME_UNSUPPORTED);
	test_exec();
	test_only_idle();
	test_hugetlb();
	test_thp();
	test_bad_addresses();
	test_refusals();
	stop_target();
	nl_close(&nl);
	return tap_end();
}
