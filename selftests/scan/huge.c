// SPDX-License-Identifier: GPL-2.0
/*
 * Scans of huge pages, and the flags of idle_pages that are about them: transparent ones and those of
 * hugetlbfs are told as units of 2 MiB, and exactly the touched ones as touched.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nl.h"
#include "pipdec.h"
#include "sys.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define HUGE (512 * PAGE)
#define NR_HUGE 16 /* in each mapping */

static struct nl nl;
static struct toucher target;
static char *const hugetlb_mem = (char *)0x200000000000;

/* what was told of each unit of 2 MiB: the type, -1 nothing */
static int told[NR_HUGE], nr_told;
static char *told_of; /* the mapping that is looked at */
static unsigned int bad_units; /* told in another size */

static void forget(char *mem)
{
	int i;

	told_of = mem;
	nr_told = 0;
	bad_units = 0;
	for (i = 0; i < NR_HUGE; i++)
		told[i] = -1;
}

/* A unit was told; of another mapping, perhaps. */
static void tell(uint64_t addr, bool is_huge, int what)
{
	uint64_t begin = (uint64_t)told_of;

	if (addr < begin || addr >= begin + NR_HUGE * HUGE)
		return;
	bad_units += !is_huge;
	told[(addr - begin) / HUGE] = what;
	nr_told++;
}

static void take_run(const struct ebb_run *run, void *arg)
{
	uint32_t i;

	for (i = 0; i < run->nr_pages; i++)
		tell(run->start + ((uint64_t)i << run->page_shift), run->page_shift == 21,
		     run->kind);
}

static void take_unit(const struct pip_unit *unit, void *arg)
{
	bool is_huge = unit->bytes % HUGE == 0;
	uint64_t addr;

	if (unit->type == EBB_PIP_PTE_HOLE || unit->type == EBB_PIP_PMD_HOLE)
		return;
	for (addr = unit->addr; addr < unit->addr + unit->bytes; addr += is_huge ? HUGE : PAGE)
		tell(addr, is_huge, unit->type);
}

/* counts the orders; the process has a copy of its own, and both go on together */
static int round_nr;

static void map_hugetlb(struct toucher *toucher)
{
	size_t i;

	if (mmap(hugetlb_mem, NR_HUGE * HUGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED, -1, 0) != hugetlb_mem)
		_exit(1);
	for (i = 0; i < NR_HUGE; i++)
		hugetlb_mem[i * HUGE] = 1;
	round_nr++;
}

/* Every third one. */
static bool is_hot(int i, int round)
{
	return (i + round) % 3 == 0;
}

static void touch_hot(struct toucher *toucher)
{
	int i;

	for (i = 0; i < NR_HUGE; i++) {
		if (!is_hot(i, round_nr))
			continue;
		(void)*(volatile char *)(hugetlb_mem + i * HUGE + 12345);
		(void)*(volatile char *)(toucher->mem + i * HUGE + 54321);
	}
	round_nr++;
}

static void write_hot(struct toucher *toucher)
{
	int i;

	for (i = 0; i < NR_HUGE; i++)
		if (is_hot(i, round_nr))
			toucher->mem[i * HUGE + 54321]++;
	round_nr++;
}

static void touch(void (*fn)(struct toucher *toucher))
{
	if (!toucher_do(&target, fn))
		tap_bail("the process under test is gone");
	round_nr++;
}

static void scan(void)
{
	if (nl_scan(&nl, target.pid, 0, 0, 0, take_run, NULL, NULL))
		tap_bail("SCAN: %s", nl.text);
}

static void read_idle_pages(uint32_t flags, size_t count)
{
	uint64_t pos = (uint64_t)told_of, end = pos + NR_HUGE * HUGE;
	static unsigned char buf[1 << 16];
	const char *wrong;
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/idle_pages", target.pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || (flags && ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &flags)))
		tap_bail("%s, flags %#x: %s", path, flags, strerror(errno));
	for (lseek(fd, pos, SEEK_SET); pos < end; pos = lseek(fd, 0, SEEK_CUR)) {
		len = read(fd, buf, count);
		wrong = len < 0 ? strerror(errno) : pip_decode(buf, len, take_unit, NULL);
		if (wrong)
			tap_bail("idle_pages at %#lx, flags %#x: %s", (long)pos, flags, wrong);
	}
	close(fd);
}

/* All units are told once; of the touched ones it says @hot, of the others @cold. */
static void expect(const char *what, int hot, int cold)
{
	int i, wrong = 0;

	for (i = 0; i < NR_HUGE; i++)
		wrong += told[i] != (is_hot(i, round_nr - 1) ? hot : cold);
	if (!tap_ok(!wrong && !bad_units && nr_told == NR_HUGE, "%s: %d units, all exact", what,
		    NR_HUGE))
		tap_note("%d wrong, %u of another size, %d told", wrong, bad_units, nr_told);
}

static void check_mapping(const char *name, char *mem)
{
	char what[80];
	int i;

	for (i = 0; i < 5; i++) {
		touch(touch_hot);
		forget(mem);
		scan();
		snprintf(what, sizeof(what), "SCAN of %s", name);
		expect(what, EBB_RUN_YOUNG, EBB_RUN_IDLE);
		touch(touch_hot);
		forget(mem);
		read_idle_pages(0, 4096);
		snprintf(what, sizeof(what), "idle_pages of %s", name);
		expect(what, EBB_PIP_PMD_ACCESSED, EBB_PIP_PMD_IDLE);
		/* only the mapping was read: what was touched in the other is still to be told */
		scan();
		touch(touch_hot);
		forget(mem);
		read_idle_pages(EBB_SCAN_HUGE_PAGE, EBB_PIP_READ_MIN);
		snprintf(what, sizeof(what), "idle_pages of %s in pieces of 20 bytes", name);
		expect(what, EBB_PIP_PMD_ACCESSED, EBB_PIP_PMD_IDLE);
		scan();
	}
}

static bool has_huge_pages(void)
{
	forget(target.mem);
	scan();
	return nr_told == NR_HUGE && !bad_units;
}

static void have_hugetlb(void)
{
	FILE *file;
	int nr = 0;

	sys_run("echo 20 >/proc/sys/vm/nr_hugepages");
	file = fopen("/proc/sys/vm/nr_hugepages", "r");
	if (!file || fscanf(file, "%d", &nr) != 1 || nr < NR_HUGE)
		tap_bail("this machine gave %d huge pages", nr);
	fclose(file);
	touch(map_hugetlb);
}

static void test_small_pages(void)
{
	toucher_stop(&target);
	toucher_start(&target, NR_HUGE * 512, MADV_NOHUGEPAGE);
	forget(target.mem);
	read_idle_pages(EBB_SCAN_HUGE_PAGE, 4096);
	tap_equal(nr_told, 0, "EBB_SCAN_HUGE_PAGE: units told of small pages");
	read_idle_pages(EBB_SCAN_AS_HUGE, 4096);
	touch(write_hot);
	forget(target.mem);
	read_idle_pages(EBB_SCAN_AS_HUGE, 4096);
	expect("EBB_SCAN_AS_HUGE", EBB_PIP_PMD_ACCESSED, EBB_PIP_PMD_IDLE);
	touch(write_hot);
	forget(target.mem);
	read_idle_pages(EBB_SCAN_AS_HUGE, EBB_PIP_READ_MIN);
	expect("EBB_SCAN_AS_HUGE, 20 bytes", EBB_PIP_PMD_ACCESSED, EBB_PIP_PMD_IDLE);
	touch(write_hot);
	forget(target.mem);
	read_idle_pages(EBB_SCAN_AS_HUGE | EBB_SCAN_DIRTY_PAGE, 4096);
	expect("EBB_SCAN_AS_HUGE, EBB_SCAN_DIRTY_PAGE", EBB_PIP_PMD_DIRTY, EBB_PIP_PMD_IDLE);
	touch(write_hot);
	forget(target.mem);
	read_idle_pages(EBB_SCAN_AS_HUGE | EBB_SCAN_SKIM_IDLE, 4096);
	expect("EBB_SCAN_AS_HUGE, EBB_SCAN_SKIM_IDLE", EBB_PIP_PMD_ACCESSED, EBB_PIP_PMD_IDLE);
}

int main(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	sys_run("echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	toucher_start(&target, NR_HUGE * 512, MADV_HUGEPAGE);
	have_hugetlb();
	scan();
	check_mapping("hugetlb", hugetlb_mem);
	if (has_huge_pages())
		check_mapping("transparent huge pages", target.mem);
	else
		tap_skip("transparent huge pages", "this machine gave none");
	test_small_pages();
	toucher_stop(&target);
	nl_close(&nl);
	return tap_end();
}
