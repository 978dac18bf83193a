// SPDX-License-Identifier: GPL-2.0
/*
 * A scan costs what is hot, not what is mapped: of a process with 1 GiB of which 10 MiB are in
 * use, a repeated scan looks at less than 3% of the page-table entries. By the module's own
 * counters, which are checked against what is known of the process.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nl.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define MIB (1024 * 1024UL)
#define NR_PAGES (1024 * MIB / PAGE)
#define NR_HOT (10 * MIB / PAGE)
#define ROUNDS 5

static struct nl nl;
static struct toucher target;
static uint64_t young_in_map;

static void take_run(const struct ebb_run *run, void *arg)
{
	uint64_t end = run->start + ((uint64_t)run->nr_pages << run->page_shift);

	if (run->kind == EBB_RUN_YOUNG && run->start >= (uint64_t)target.mem &&
	    end <= (uint64_t)target.mem + NR_PAGES * PAGE)
		young_in_map += run->nr_pages;
}

static void scan(uint64_t stats[__EBB_STAT_MAX])
{
	young_in_map = 0;
	if (nl_scan(&nl, target.pid, 0, 0, 0, take_run, NULL, stats))
		tap_bail("SCAN: %s", nl.text);
}

static double share(const uint64_t stats[__EBB_STAT_MAX])
{
	uint64_t visited = stats[EBB_STAT_PTES_VISITED];

	return 100.0 * visited / (visited + stats[EBB_STAT_PTES_SKIPPED]);
}

static void check_first(void)
{
	uint64_t stats[__EBB_STAT_MAX];

	scan(stats);
	tap_ok(stats[EBB_STAT_PTES_VISITED] >= NR_PAGES, "the first scan looks at all: %lu entries",
	       (long)stats[EBB_STAT_PTES_VISITED]);
	tap_equal(young_in_map, NR_PAGES, "pages that the first scan tells as young");
}

static void check_repeated(void)
{
	uint64_t stats[__EBB_STAT_MAX], seen;

	toucher_touch(&target, 0, NR_HOT, 1);
	scan(stats);
	seen = stats[EBB_STAT_PTES_VISITED] + stats[EBB_STAT_PTES_SKIPPED];
	tap_ok(share(stats) < 3, "a repeated scan looks at %.2f%% of %lu entries", share(stats),
	       (long)seen);
	tap_ok(seen >= NR_PAGES, "all entries of the mapping were visited or skipped");
	tap_equal(young_in_map, NR_HOT, "pages that it tells as young");
	tap_ok(stats[EBB_STAT_TABLES_VISITED] && stats[EBB_STAT_TABLES_SKIPPED] >= 500,
	       "tables visited: %lu, skipped: %lu", (long)stats[EBB_STAT_TABLES_VISITED],
	       (long)stats[EBB_STAT_TABLES_SKIPPED]);
	tap_ok(stats[EBB_STAT_SCANS] == 1 && stats[EBB_STAT_LOCK_HOLDS] &&
		       stats[EBB_STAT_SCAN_NS] && stats[EBB_STAT_LOCK_MAX_NS] &&
		       stats[EBB_STAT_LOCK_MAX_NS] <= stats[EBB_STAT_SCAN_NS],
	       "time and locks are told: %lu us, mmap_lock taken %lu times, at most for %lu us",
	       (long)stats[EBB_STAT_SCAN_NS] / 1000, (long)stats[EBB_STAT_LOCK_HOLDS],
	       (long)stats[EBB_STAT_LOCK_MAX_NS] / 1000);
	tap_note("TLB flushes: %lu", (long)stats[EBB_STAT_FLUSHES]);
}

int main(void)
{
	int round;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	toucher_start(&target, NR_PAGES, MADV_NOHUGEPAGE);
	check_first();
	for (round = 0; round < ROUNDS; round++)
		check_repeated();
	toucher_stop(&target);
	nl_close(&nl);
	return tap_end();
}
