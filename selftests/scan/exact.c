// SPDX-License-Identifier: GPL-2.0
/*
 * Is what a scan says exact? A process touches a set of pages that is known beforehand; the scan
 * must tell exactly these as young and all others as idle: over idle_pages, read in whole and in
 * pieces of 20 bytes, and over genetlink; also for a forked child. 20 rounds each, fixed seeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "pipdec.h"
#include "tap.h"

#define PAGE 4096ULL
#define MIB (1024 * 1024ULL)
#define ROUNDS 20
#define PAGES_PER_TABLE 512

enum pattern {
	SINGLE,
	RUNS,
	ONE_PER_TABLE,
	ALTERNATE,
	COLD,
	FILE_MAP,
	PIECES
};

/* how the process's memory is laid out */
static const struct area {
	const char *name;
	enum pattern pattern;
	uint64_t pages;
} areas[] = {
	{ "single pages", SINGLE, 64 * MIB / PAGE },
	{ "runs", RUNS, 64 * MIB / PAGE },
	{ "one page per 2 MiB", ONE_PER_TABLE, 512 * MIB / PAGE },
	{ "alternating", ALTERNATE, 256 * MIB / PAGE },
	{ "cold", COLD, 160 * MIB / PAGE },
	{ "private file mapping", FILE_MAP, 16 * MIB / PAGE },
	{ "many small mappings", PIECES, 4 * MIB / PAGE },
};
#define NR_AREAS (sizeof(areas) / sizeof(areas[0]))

/* where the process has put it; memory shared with the test */
struct layout {
	uint64_t addr[NR_AREAS];
};
static struct layout *layout;

/* a process that touches pages when told to */
struct target {
	int pid;
	int who; /* each has its own sets */
	int to[2], from[2];
};

static struct target parent = { .who = 0 }, child = { .who = 1 };

/* what a scan told of each page; of a skipped table it is not told which pages are there */
enum told {
	NOTHING,
	IDLE_TABLE,
	IDLE,
	YOUNG
};
static unsigned char *told[NR_AREAS];
static struct nl nl;

/* The sets: computed by the process and by the test, from the numbers alone. */

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t x = a * 0x9e3779b97f4a7c15ULL ^ b * 0xbf58476d1ce4e5b9ULL ^
		     c * 0x94d049bb133111ebULL ^ d * 0xd6e8feb86659fd93ULL;

	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Small mappings of 1 to 22 pages with gaps between; one in the middle is left out by scans. */
static bool is_mapped(int area, uint64_t page)
{
	return areas[area].pattern != PIECES || page % 37 < 1 + page / 37 % 22;
}

static bool is_left_out(int area, uint64_t page)
{
	return areas[area].pattern == PIECES && page / 37 == 11;
}

static bool in_run(uint64_t h, uint64_t page)
{
	uint64_t first = h / 4 % 64, length = 1 + h / 256 % 64;

	return h % 4 == 0 && page % 64 >= first && page % 64 < first + length;
}

static bool is_hot(int area, uint64_t page, int round, int who)
{
	uint64_t table = page / PAGES_PER_TABLE;
	uint64_t h = mix(area, page, round, who), th = mix(area, table, round, who + 100);

	switch (areas[area].pattern) {
	case SINGLE:
		return h % 256 == 0;
	case RUNS:
		return in_run(mix(area, page / 64, round, who), page);
	case ONE_PER_TABLE:
		return page % PAGES_PER_TABLE == th % PAGES_PER_TABLE &&
		       (round % 2 == 0 || th / PAGES_PER_TABLE % 2);
	case ALTERNATE:
		return page % 2 == (uint64_t)round % 2;
	case COLD:
		return h % 8192 == 0;
	case FILE_MAP:
		return h % 8 == 0;
	case PIECES:
		return h % 3 == 0;
	}
	return false;
}

/* The process */

/*
 * Where the small mappings begin: so that four of them, ten pages, are all that the first page
 * table holds. Some rounds touch none of these, and the table is skipped.
 */
static void *place_pieces(size_t size)
{
	const uint64_t table = PAGES_PER_TABLE * PAGE;
	uint64_t mem = (uint64_t)mmap(NULL, size + 2 * table, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == (uint64_t)MAP_FAILED)
		tap_bail("mmap of %zu bytes", size);
	return (void *)((mem + table) / table * table + table - 157 * PAGE);
}

static void *map_area(int area)
{
	int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;
	size_t size = areas[area].pages * PAGE;
	char path[] = "/tmp/exact.XXXXXX";
	void *mem;

	if (areas[area].pattern == PIECES)
		return place_pieces(size);
	if (areas[area].pattern == FILE_MAP) {
		fd = mkstemp(path);
		if (fd < 0 || ftruncate(fd, size))
			tap_bail("a file in /tmp");
		unlink(path);
		flags = MAP_PRIVATE;
	}
	mem = mmap(NULL, size, prot, flags, fd, 0);
	if (mem == MAP_FAILED)
		tap_bail("mmap of %zu bytes", size);
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

static void open_page(int area, uint64_t page)
{
	char *addr = (char *)layout->addr[area] + page * PAGE;

	if (is_left_out(area, page)) {
		if (mmap(addr, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
			 -1, 0) == MAP_FAILED)
			tap_bail("mmap of a shared page");
	} else if (mprotect(addr, PAGE, PROT_READ | PROT_WRITE)) {
		tap_bail("mprotect");
	}
}

static void touch(int area, uint64_t page, bool is_write)
{
	volatile char *at = (char *)layout->addr[area] + page * PAGE + page % PAGE;

	if (is_write)
		*at = *at + 1;
	else
		(void)*at;
}

static void map_all(void)
{
	uint64_t page;
	size_t area;

	for (area = 0; area < NR_AREAS; area++) {
		layout->addr[area] = (uint64_t)map_area(area);
		for (page = 0; page < areas[area].pages; page++)
			if (areas[area].pattern == PIECES && is_mapped(area, page))
				open_page(area, page);
	}
}

static void touch_all(bool is_write)
{
	uint64_t page;
	size_t area;

	for (area = 0; area < NR_AREAS; area++)
		for (page = 0; page < areas[area].pages; page++)
			if (is_mapped(area, page))
				touch(area, page, is_write);
}

static void touch_round(int round, int who)
{
	uint64_t page;
	size_t area;

	for (area = 0; area < NR_AREAS; area++)
		for (page = 0; page < areas[area].pages; page++)
			if (is_mapped(area, page) && is_hot(area, page, round, who))
				touch(area, page, mix(page, round, who, 7) & 1);
}

enum {
	FORK = -1,
	QUIT = -2
};

static void serve(struct target *self);

static void fork_child(void)
{
	child.pid = fork();
	if (child.pid < 0)
		tap_bail("fork");
	if (child.pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	touch_all(false);
	serve(&child);
	_exit(0);
}

static void serve(struct target *self)
{
	int order, answer = getpid();

	for (;;) {
		if (write(self->from[1], &answer, sizeof(answer)) != sizeof(answer))
			_exit(1);
		if (read(self->to[0], &order, sizeof(order)) != sizeof(order) || order == QUIT)
			_exit(0);
		if (order == FORK)
			fork_child();
		else
			touch_round(order, self->who);
	}
}

/* The test's side */

static int wait_for(struct target *target)
{
	int answer;

	if (read(target->from[0], &answer, sizeof(answer)) != sizeof(answer))
		tap_bail("the process under test is gone");
	return answer;
}

static void order(struct target *target, int what)
{
	if (write(target->to[1], &what, sizeof(what)) != sizeof(what))
		tap_bail("the process under test is gone");
}

static void start_targets(void)
{
	layout = mmap(NULL, sizeof(*layout), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (layout == MAP_FAILED || pipe(parent.to) || pipe(parent.from) || pipe(child.to) ||
	    pipe(child.from))
		tap_bail("pipes");
	parent.pid = fork();
	if (!parent.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		map_all();
		touch_all(true);
		serve(&parent);
	}
	wait_for(&parent);
	order(&parent, FORK);
	wait_for(&parent);
	child.pid = wait_for(&child);
}

static void mark(uint64_t addr, uint64_t bytes, enum told what)
{
	uint64_t from, to, page;
	size_t area;

	for (area = 0; area < NR_AREAS; area++) {
		from = layout->addr[area];
		to = from + areas[area].pages * PAGE;
		from = addr > from ? addr : from;
		to = addr + bytes < to ? addr + bytes : to;
		for (; from < to; from += PAGE) {
			page = (from - layout->addr[area]) / PAGE;
			if (told[area][page] < what)
				told[area][page] = what;
		}
	}
}

static void take_unit(const struct pip_unit *unit, void *arg)
{
	static const enum told of[] = {
		YOUNG, YOUNG, YOUNG, YOUNG, YOUNG, IDLE, IDLE, IDLE_TABLE, NOTHING, NOTHING,
	};

	mark(unit->addr, unit->bytes, of[unit->type]);
}

static void take_run(const struct ebb_run *run, void *arg)
{
	static const enum told of[__EBB_RUN_MAX] = {
		[EBB_RUN_YOUNG] = YOUNG,
		[EBB_RUN_IDLE] = IDLE,
		[EBB_RUN_IDLE_TABLE] = IDLE_TABLE,
	};

	mark(run->start, (uint64_t)run->nr_pages << run->page_shift, of[run->kind]);
}

static int open_idle_pages(int pid, uint32_t flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/idle_pages", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		tap_bail("%s", path);
	if (flags && ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &flags))
		tap_bail("flags %#x of %s", flags, path);
	return fd;
}

/* Read [start, end) with reads of @count bytes at most. */
static void read_range(int fd, uint64_t start, uint64_t end, size_t count)
{
	static unsigned char buf[1 << 16];
	const char *wrong;
	ssize_t len;

	if (lseek(fd, start, SEEK_SET) != (off_t)start)
		tap_bail("lseek");
	while (start < end) {
		len = read(fd, buf, count);
		if (len < 0)
			tap_bail("read of idle_pages at %#lx", (long)start);
		wrong = pip_decode(buf, len, take_unit, NULL);
		if (wrong)
			tap_bail("idle_pages at %#lx: %s", (long)start, wrong);
		if (!len && (uint64_t)lseek(fd, 0, SEEK_CUR) == start)
			tap_bail("idle_pages does not go on at %#lx", (long)start);
		start = lseek(fd, 0, SEEK_CUR);
	}
}

static void read_idle_pages(const struct target *target, uint32_t flags, size_t count)
{
	int fd = open_idle_pages(target->pid, flags);
	size_t area;

	for (area = 0; area < NR_AREAS; area++)
		read_range(fd, layout->addr[area], layout->addr[area] + areas[area].pages * PAGE,
			   count);
	close(fd);
}

static void by_whole_reads(const struct target *target)
{
	read_idle_pages(target, 0, 1 << 16);
}

static void by_skimming(const struct target *target)
{
	read_idle_pages(target, EBB_SCAN_SKIM_IDLE, 1 << 16);
}

static void by_pieces(const struct target *target)
{
	read_idle_pages(target, 0, EBB_PIP_READ_MIN);
}

static uint64_t tables_skipped;

static void by_netlink(const struct target *target)
{
	uint64_t stats[__EBB_STAT_MAX];
	int err = nl_scan(&nl, target->pid, 0, 0, 0, take_run, NULL, stats);

	if (err) {
		errno = -err;
		tap_bail("SCAN: %s", nl.text);
	}
	tables_skipped += stats[EBB_STAT_TABLES_SKIPPED];
}

typedef void scan_fn(const struct target *target);

static const char *const told_name[] = { "nothing", "idle table", "idle", "young" };

static bool is_right(enum told told, enum told should)
{
	return told == should || (told == IDLE_TABLE && should != YOUNG);
}

static int check_area(int area, int round, int who, uint64_t *nr_hot)
{
	enum told should;
	uint64_t page;
	int wrong = 0;

	for (page = 0; page < areas[area].pages; page++) {
		if (!is_mapped(area, page) || is_left_out(area, page))
			should = NOTHING;
		else
			should = is_hot(area, page, round, who) ? YOUNG : IDLE;
		*nr_hot += should == YOUNG;
		if (is_right(told[area][page], should))
			continue;
		if (wrong++ < 3)
			tap_note("round %d: %s: page %lu (%#lx): told %s, is %s", round,
				 areas[area].name, (long)page,
				 (long)(layout->addr[area] + page * PAGE),
				 told_name[told[area][page]], told_name[should]);
	}
	return wrong;
}

static void forget(void)
{
	size_t area;

	for (area = 0; area < NR_AREAS; area++)
		memset(told[area], NOTHING, areas[area].pages);
}

static void check_rounds(const char *name, struct target *target, scan_fn *scan)
{
	static int round;
	uint64_t nr_hot = 0;
	int i, wrong = 0;
	size_t area;

	scan(target);
	for (i = 0; i < ROUNDS; i++, round++) {
		order(target, round);
		wait_for(target);
		forget();
		scan(target);
		for (area = 0; area < NR_AREAS; area++)
			wrong += check_area(area, round, target->who, &nr_hot);
	}
	tap_ok(!wrong && nr_hot, "%s: %d rounds, %lu touched pages, all exact (%d wrong)", name,
	       ROUNDS, (long)nr_hot, wrong);
}

int main(void)
{
	size_t area;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	for (area = 0; area < NR_AREAS; area++) {
		told[area] = calloc(areas[area].pages, 1);
		if (!told[area])
			tap_bail("memory");
	}
	start_targets();
	check_rounds("genetlink SCAN", &parent, by_netlink);
	tap_ok(tables_skipped, "tables without touched pages were skipped: %lu",
	       (long)tables_skipped);
	check_rounds("genetlink SCAN of a forked child", &child, by_netlink);
	check_rounds("idle_pages", &parent, by_whole_reads);
	check_rounds("idle_pages of a forked child", &child, by_whole_reads);
	check_rounds("idle_pages with SKIM_IDLE", &parent, by_skimming);
	check_rounds("idle_pages in pieces of 20 bytes", &parent, by_pieces);
	check_rounds("genetlink SCAN after the pieces", &parent, by_netlink);
	order(&child, QUIT);
	order(&parent, QUIT);
	nl_close(&nl);
	return tap_end();
}
