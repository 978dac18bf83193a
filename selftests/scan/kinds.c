// SPDX-License-Identifier: GPL-2.0
/*
 * Is what a scan says exact for every kind of page? A process has a mapping of each kind, and reads
 * and writes a set of pages of each that is known beforehand; the scan must tell exactly these as
 * touched, with dirty, and all others as idle or in swap. With MGLRU off and on.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nl.h"
#include "pagemap.h"
#include "pipdec.h"
#include "sys.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define HUGE (512 * PAGE)
#define BASE 0x200000000000UL
#define DISTANCE (64UL << 20) /* from one mapping to the next */
#define NR_PAGES 2048 /* of each */
#define ROUNDS 10
#define FOLDER "/tmp/kinds"

enum way {
	ANON,
	SPLIT,
	SWAPPED,
	SHMEM,
	FILE_PRIVATE,
	FILE_READ_ONLY,
	FILE_SHARED
};

enum hot {
	BOTH, /* some of the touched pages are written to */
	READ /* none is, ever */
};

static const struct kind {
	const char *name;
	enum way way;
	enum hot hot;
	bool is_huge; /* mapped by PMDs */
	bool is_default; /* scanned without EBB_SCAN_ALL_VMAS too */
} kinds[] = {
	{ "anonymous memory and zero pages", ANON, BOTH, false, true },
	{ "the zero page", ANON, READ, false, true },
	{ "THP, mapped by a PMD", ANON, BOTH, true, true },
	{ "the huge zero page", ANON, READ, true, true },
	{ "THP, split mapping", SPLIT, BOTH, false, true },
	{ "swap entries, out or in the swap cache", SWAPPED, BOTH, false, true },
	{ "shmem", SHMEM, BOTH, false, false },
	{ "shmem, mapped by a PMD", SHMEM, BOTH, true, false },
	{ "private file mapping", FILE_PRIVATE, BOTH, false, true },
	{ "private file mapping, read-only", FILE_READ_ONLY, READ, false, false },
	{ "shared file mapping", FILE_SHARED, BOTH, false, false },
};
#define NR_KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

enum told {
	NOTHING,
	SWAP,
	IDLE,
	IDLE_TABLE,
	YOUNG,
	DIRTY
};
static const char *const told_name[] = { "nothing",	     "swap",  "idle",
					 "of an idle table", "young", "dirty" };

static struct nl nl;
static struct toucher target;
static unsigned char told[NR_KINDS][NR_PAGES];
static unsigned long bad_units[NR_KINDS]; /* told in another size than the kind has */
static bool written[NR_KINDS][NR_PAGES]; /* the page table entry is dirty */
static bool out[NR_PAGES]; /* of the mapping in swap: was there before the round */

/* the number of the round; shared with the process */
static int *round_nr;

static char *mem_of(int k)
{
	return (char *)BASE + k * DISTANCE;
}

/* The sets: computed by the process and by the test, from the numbers alone. */

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x =
		a * 0x9e3779b97f4a7c15ULL ^ b * 0xbf58476d1ce4e5b9ULL ^ c * 0x94d049bb133111ebULL;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

static int nr_units(int k)
{
	return kinds[k].is_huge ? NR_PAGES / 512 : NR_PAGES;
}

static int pages_per_unit(int k)
{
	return kinds[k].is_huge ? 512 : 1;
}

/* Of 4 KiB pages an eighth, and in each round one page table has none at all. */
static bool is_hot(int k, int unit, int round)
{
	if (kinds[k].is_huge)
		return mix(k, unit, round) % 2;
	return unit / 512 != round % 4 && mix(k, unit, round) % 8 == 0;
}

static bool is_written(int k, int unit, int round)
{
	return kinds[k].hot == BOTH && is_hot(k, unit, round) && mix(k, unit, ~round) % 2;
}

/* Which pages are written to at first; the others are read. */
static bool is_written_first(int k, int unit)
{
	return kinds[k].hot == BOTH && (kinds[k].is_huge || kinds[k].way == SPLIT ||
					kinds[k].way == SWAPPED || mix(k, unit, 77) % 2);
}

/* The process */

/* Not read before it is written to: a huge zero page that is written to becomes small pages. */
static void touch(int k, int unit, bool is_write)
{
	volatile char *at = mem_of(k) + unit * pages_per_unit(k) * PAGE + unit % PAGE;

	if (is_write)
		*at = 1;
	else
		(void)*at;
}

static int file_of(int k)
{
	char path[64];
	int i, fd;

	snprintf(path, sizeof(path), FOLDER "/%d", k);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	for (i = 0; i < NR_PAGES; i++)
		if (pwrite(fd, path, sizeof(path), i * PAGE) != sizeof(path))
			_exit(1);
	if (ftruncate(fd, NR_PAGES * PAGE) || fsync(fd))
		_exit(1);
	return fd;
}

static void map_kind(int k)
{
	enum way way = kinds[k].way;
	bool is_file = way >= FILE_PRIVATE;
	int prot = way == FILE_READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	int flags = way == SHMEM || way == FILE_SHARED ? MAP_SHARED : MAP_PRIVATE;
	int fd = is_file ? file_of(k) : -1;

	if (mmap(mem_of(k), NR_PAGES * PAGE, prot,
		 flags | MAP_FIXED | (is_file ? 0 : MAP_ANONYMOUS), fd, 0) != mem_of(k))
		_exit(1);
	madvise(mem_of(k), NR_PAGES * PAGE,
		kinds[k].is_huge || way == SPLIT ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (way != SWAPPED)
		madvise(mem_of(k), NR_PAGES * PAGE, MADV_DONTFORK);
}

/* Changing one page's rights splits the mapping of its huge page, for good. */
static void split(char *mem)
{
	int i;

	for (i = 0; i < NR_PAGES; i += 512) {
		mem[i * PAGE] = 1; /* the first: all of the huge page is dirty */
		if (mprotect(mem + i * PAGE, PAGE, PROT_READ) ||
		    mprotect(mem + i * PAGE, PAGE, PROT_READ | PROT_WRITE))
			_exit(1);
	}
	madvise(mem, NR_PAGES * PAGE, MADV_NOHUGEPAGE);
}

static void map_all(struct toucher *toucher)
{
	int k, unit;

	for (k = 0; k < NR_KINDS; k++) {
		map_kind(k);
		if (kinds[k].way == SPLIT)
			split(mem_of(k));
		for (unit = 0; unit < nr_units(k); unit++)
			touch(k, unit, is_written_first(k, unit));
	}
}

/* in the process: one that has the mapping in swap in common with it */
static pid_t sharer;

/* All of the mapping goes out; then a fork reads every other page, so that it is in the swap cache. */
static void push_out(struct toucher *toucher)
{
	int k, ready[2];
	char byte;

	for (k = 0; k < NR_KINDS; k++)
		if (kinds[k].way == SWAPPED)
			break;
	if (madvise(mem_of(k), NR_PAGES * PAGE, MADV_PAGEOUT) || pipe(ready))
		_exit(1);
	sharer = fork();
	if (!sharer) {
		int unit;

		for (unit = 0; unit < NR_PAGES; unit += 2)
			touch(k, unit, false);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		_exit(1);
	close(ready[0]);
	close(ready[1]);
}

static void end_sharer(struct toucher *toucher)
{
	kill(sharer, SIGKILL);
	waitpid(sharer, NULL, 0);
}

static void touch_hot(struct toucher *toucher)
{
	int k, unit, round = *round_nr;

	for (k = 0; k < NR_KINDS; k++)
		for (unit = 0; unit < nr_units(k); unit++)
			if (is_hot(k, unit, round))
				touch(k, unit, is_written(k, unit, round));
}

/* The test's side */

static void have_done(void (*fn)(struct toucher *toucher))
{
	if (!toucher_do(&target, fn))
		tap_bail("the process under test is gone");
}

static void mark(uint64_t addr, uint64_t bytes, bool is_huge, enum told what)
{
	uint64_t page;
	int k;

	for (; bytes; addr += PAGE, bytes -= PAGE) {
		if (addr < BASE || addr >= BASE + NR_KINDS * DISTANCE)
			continue;
		k = (addr - BASE) / DISTANCE;
		page = (addr - BASE) % DISTANCE / PAGE;
		if (page >= NR_PAGES)
			continue;
		told[k][page] = what;
		bad_units[k] += what != NOTHING && is_huge != kinds[k].is_huge;
	}
}

static void take_run(const struct ebb_run *run, void *arg)
{
	static const enum told of[__EBB_RUN_MAX] = {
		[EBB_RUN_YOUNG] = YOUNG,	   [EBB_RUN_DIRTY] = DIRTY, [EBB_RUN_IDLE] = IDLE,
		[EBB_RUN_IDLE_TABLE] = IDLE_TABLE, [EBB_RUN_SWAP] = SWAP,
	};

	mark(run->start, (uint64_t)run->nr_pages << run->page_shift, run->page_shift == 21,
	     of[run->kind]);
}

static void take_unit(const struct pip_unit *unit, void *arg)
{
	static const enum told of[] = {
		[EBB_PIP_PTE_ACCESSED] = YOUNG, [EBB_PIP_PMD_ACCESSED] = YOUNG,
		[EBB_PIP_PTE_DIRTY] = DIRTY,	[EBB_PIP_PMD_DIRTY] = DIRTY,
		[EBB_PIP_PTE_IDLE] = IDLE,	[EBB_PIP_PMD_IDLE] = IDLE,
		[EBB_PIP_PTE_HOLE] = NOTHING,	[EBB_PIP_PMD_HOLE] = NOTHING,
	};
	bool is_huge = unit->type == EBB_PIP_PMD_ACCESSED || unit->type == EBB_PIP_PMD_DIRTY ||
		       unit->type == EBB_PIP_PMD_IDLE;

	mark(unit->addr, unit->bytes, is_huge, of[unit->type]);
}

static void scan_by_netlink(void)
{
	int err = nl_scan(&nl, target.pid, 0, 0, EBB_SCAN_ALL_VMAS | EBB_SCAN_TELL_DIRTY, take_run,
			  NULL, NULL);

	if (err)
		tap_bail("SCAN: %s (%s)", nl.text, strerror(-err));
}

static void read_kind(int fd, int k)
{
	uint64_t pos = (uint64_t)mem_of(k), end = pos + NR_PAGES * PAGE;
	static unsigned char buf[4096];
	const char *wrong;
	ssize_t len;

	for (lseek(fd, pos, SEEK_SET); pos < end; pos = lseek(fd, 0, SEEK_CUR)) {
		len = read(fd, buf, (end - pos) / PAGE / 8 < 20 ? 20 : (end - pos) / PAGE / 8);
		wrong = len < 0 ? strerror(errno) : pip_decode(buf, len, take_unit, NULL);
		if (wrong)
			tap_bail("idle_pages at %#lx: %s", (long)pos, wrong);
	}
}

static void scan_by_idle_pages(void)
{
	uint32_t flags = EBB_SCAN_DIRTY_PAGE;
	char path[64];
	int k, fd;

	snprintf(path, sizeof(path), "/proc/%d/idle_pages", target.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &flags))
		tap_bail("%s: %s", path, strerror(errno));
	for (k = 0; k < NR_KINDS; k++)
		read_kind(fd, k);
	close(fd);
}

static void note_swap(void)
{
	int k;

	for (k = 0; k < NR_KINDS; k++) {
		if (kinds[k].way != SWAPPED)
			continue;
		pagemap_swapped(target.pid, (uint64_t)mem_of(k), NR_PAGES, out);
		for (int i = 0; i < NR_PAGES; i++)
			written[k][i] &= !out[i];
	}
}

static void note_written(int round)
{
	int k, unit;

	for (k = 0; k < NR_KINDS; k++)
		for (unit = 0; unit < nr_units(k); unit++)
			written[k][unit] |=
				round < 0 ? is_written_first(k, unit) : is_written(k, unit, round);
}

static enum told expected(int k, int unit, int round, bool is_default)
{
	bool is_out = kinds[k].way == SWAPPED && out[unit];

	if (is_default && !kinds[k].is_default)
		return NOTHING;
	if (is_hot(k, unit, round))
		return written[k][unit] ? DIRTY : YOUNG;
	if (is_out)
		return is_default ? NOTHING : SWAP;
	return IDLE;
}

/* Of a skipped table it is not told which pages are present. */
static bool is_right(enum told what, enum told should)
{
	if (what == IDLE_TABLE)
		return should == IDLE || should == SWAP;
	return what == should;
}

/* how often each was found right */
static unsigned long right[NR_KINDS][DIRTY + 1];

/* Return: how many pages of the kind were told wrong. */
static int check_kind(int k, int round, bool is_default)
{
	int page, wrong = 0;

	for (page = 0; page < NR_PAGES; page++) {
		enum told should = expected(k, page / pages_per_unit(k), round, is_default);

		if (is_right(told[k][page], should))
			right[k][should]++;
		else if (wrong++ < 3)
			tap_note("round %d: %s: page %d: told %s, is %s", round, kinds[k].name,
				 page, told_name[told[k][page]], told_name[should]);
	}
	return wrong;
}

static void do_round(int round, void (*scan)(void))
{
	*round_nr = round;
	have_done(push_out);
	note_swap();
	scan_by_netlink();
	memset(told, NOTHING, sizeof(told));
	have_done(touch_hot);
	note_written(round);
	scan();
	have_done(end_sharer);
}

static void check_way(const char *name, void (*scan)(void), bool is_default)
{
	int i, k, wrong[NR_KINDS] = {};
	static int round;

	memset(right, 0, sizeof(right));
	memset(bad_units, 0, sizeof(bad_units));
	for (i = 0; i < ROUNDS; i++, round++) {
		do_round(round, scan);
		for (k = 0; k < NR_KINDS; k++)
			wrong[k] += check_kind(k, round, is_default);
	}
	for (k = 0; k < NR_KINDS; k++)
		tap_ok(!wrong[k] && !bad_units[k],
		       "%s: %s: %lu young, %lu dirty, %lu idle, %lu in swap, %lu left out: exact (%d wrong, %lu of another size)",
		       name, kinds[k].name, right[k][YOUNG], right[k][DIRTY], right[k][IDLE],
		       right[k][SWAP], right[k][NOTHING], wrong[k], bad_units[k]);
}

/* Each kind was seen in each state that it can be in: else the rounds above would prove little. */
static void check_coverage(void)
{
	int k, poor = 0;

	for (k = 0; k < NR_KINDS; k++) {
		poor += kinds[k].way != SWAPPED && !right[k][IDLE];
		poor += !right[k][kinds[k].hot == READ ? YOUNG : DIRTY];
		poor += kinds[k].way == SWAPPED && (!right[k][SWAP] || !right[k][YOUNG]);
	}
	tap_equal(poor, 0, "states of pages that the rounds have not shown");
}

static bool set_mglru(const char *value)
{
	int fd = open("/sys/kernel/mm/lru_gen/enabled", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, 1) == 1;

	close(fd);
	return done;
}

static void check_all(const char *mglru, const char *value)
{
	char name[64];

	if (!set_mglru(value)) {
		tap_skip(mglru, "this kernel has no /sys/kernel/mm/lru_gen");
		return;
	}
	snprintf(name, sizeof(name), "%s, SCAN", mglru);
	check_way(name, scan_by_netlink, false);
	check_coverage();
	snprintf(name, sizeof(name), "%s, idle_pages", mglru);
	check_way(name, scan_by_idle_pages, true);
}

static void set_up_machine(void)
{
	sys_run("echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	sys_run("echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled");
	sys_run("echo 1 >/sys/kernel/mm/transparent_hugepage/use_zero_page");
	sys_run("grep -q ' /dev/zram0\\|^/dev/zram0' /proc/swaps || { modprobe -q lzo-rle;"
		"modprobe zram && echo 512M >/sys/block/zram0/disksize &&"
		"mkswap /dev/zram0 >/dev/null && swapon /dev/zram0; }");
	/* written back, a page of a file is clean again: not before the end */
	sys_run("echo 0 >/proc/sys/vm/dirty_writeback_centisecs");
	sys_run("modprobe -q ext4; mkfs.ext4 -q -F /dev/vda 64M && mkdir -p " FOLDER
		" && mount /dev/vda " FOLDER);
}

int main(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	set_up_machine();
	round_nr = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	toucher_start(&target, 1, MADV_NOHUGEPAGE);
	have_done(map_all);
	note_written(-1);
	check_all("MGLRU off", "n");
	check_all("MGLRU on", "y");
	toucher_stop(&target);
	sys_run("umount " FOLDER);
	nl_close(&nl);
	return tap_end();
}
