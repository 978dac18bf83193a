// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: scans into records and into the stream of idle_pages.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "memory.h"
#include "pip.h"
#include "scan.h"

#define RW (PROT_READ | PROT_WRITE)

static struct ebb_scan *begin(struct kunit *test, unsigned long addr, unsigned long size, u32 flags)
{
	struct ebb_scan *scan = NULL;

	KUNIT_ASSERT_EQ(test, ebb_scan_begin(memory_mm(), addr, addr + size, flags, &scan), 0);
	return scan;
}

static void scan_is_the_only_one(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct ebb_scan *second, *scan = begin(test, addr, PMD_SIZE, 0);
	u8 buf[EBB_PIP_READ_MIN];
	u64 pos = addr;

	KUNIT_EXPECT_EQ(test, ebb_scan_begin(memory_mm(), addr, addr + PAGE_SIZE, 0, &second),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, ebb_scan_pip(memory_mm(), &pos, PMD_SIZE, 0, buf, sizeof(buf)),
			(ssize_t)-EBUSY);
	ebb_scan_end(scan);
	ebb_scan_end(begin(test, addr, PMD_SIZE, 0));
}

/* One record at a time: each page once, the counters at the end. */
static void scan_goes_on(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct ebb_scan *scan;
	struct ebb_run run;
	int i;

	for (i = 0; i < 4; i++)
		memory_write(test, addr + 2 * i * PAGE_SIZE, 1);
	scan = begin(test, addr, PMD_SIZE, 0);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, ebb_scan_read(scan, &run, 1), (ssize_t)1);
		KUNIT_EXPECT_EQ(test, run.start, (u64)addr + 2 * i * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, run.nr_pages, 1U);
		KUNIT_EXPECT_EQ(test, run.kind, EBB_RUN_YOUNG);
		KUNIT_EXPECT_EQ(test, run.page_shift, PAGE_SHIFT);
		KUNIT_EXPECT_EQ(test, run.reserved, 0);
	}
	KUNIT_EXPECT_EQ(test, ebb_scan_read(scan, &run, 1), (ssize_t)0);
	KUNIT_EXPECT_EQ(test, ebb_scan_stats(scan)->v[EBB_STAT_SCANS], 1ULL);
	KUNIT_EXPECT_EQ(test, ebb_scan_stats(scan)->v[EBB_STAT_PAGES_YOUNG], 4ULL);
	KUNIT_EXPECT_EQ(test, ebb_scan_read(scan, &run, 1), (ssize_t)0);
	ebb_scan_end(scan);
}

static void scan_given_up_loses_nothing(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PMD_SIZE, RW, 0);
	struct ebb_scan *scan;
	struct ebb_run runs[4];

	memory_write(test, addr, 1);
	memory_write(test, addr + PMD_SIZE, 1);
	scan = begin(test, addr, 2 * PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, ebb_scan_read(scan, runs, 1), (ssize_t)1);
	ebb_scan_end(scan);
	scan = begin(test, addr, 2 * PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, ebb_scan_read(scan, runs, 4), (ssize_t)2);
	KUNIT_EXPECT_EQ(test, runs[1].start, (u64)addr + PMD_SIZE);
	KUNIT_EXPECT_EQ(test, runs[1].kind, EBB_RUN_YOUNG);
	ebb_scan_end(scan);
}

static void expect_pip(struct kunit *test, unsigned long addr, unsigned long size, u32 flags,
		       const char *units, size_t nr)
{
	u8 buf[EBB_PIP_READ_MIN + 32], expected[9] = { EBB_PIP_SET_ADDR };
	u64 pos = addr;
	ssize_t len;
	int i;

	for (i = 0; i < 8; i++)
		expected[1 + i] = addr >> (56 - 8 * i);
	len = ebb_scan_pip(memory_mm(), &pos, size, flags, buf, sizeof(buf));
	ebb_scan_flush(memory_mm());
	KUNIT_EXPECT_EQ(test, len, (ssize_t)(9 + nr));
	KUNIT_EXPECT_EQ(test, pos, (u64)addr + size);
	KUNIT_EXPECT_EQ(test, memcmp(buf, expected, 9), 0);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(buf + 9, units, nr), 0, "%*ph", (int)len, buf);
}

static void pip_of_pages(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);

	memory_write(test, addr, 2);
	memory_write(test, addr + 3 * PAGE_SIZE, 1);
	expect_pip(test, addr, PMD_SIZE, EBB_SCAN_DIRTY_PAGE, "\x32\x81\x31", 3);
	memory_read(test, addr, 1);
	expect_pip(test, addr, PMD_SIZE, 0, "\x01\x51\x81\x51", 4);
	expect_pip(test, addr, PMD_SIZE, EBB_SCAN_AS_HUGE, "\x61", 1);
}

static void pip_of_nothing(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	u8 buf[EBB_PIP_READ_MIN];
	u64 pos = addr;

	KUNIT_EXPECT_EQ(test, ebb_scan_pip(memory_mm(), &pos, PMD_SIZE, 0, buf, sizeof(buf)),
			(ssize_t)0);
	KUNIT_EXPECT_EQ(test, pos, (u64)addr + PMD_SIZE);
}

static struct kunit_case scan_cases[] = {
	KUNIT_CASE(scan_is_the_only_one),
	KUNIT_CASE(scan_goes_on),
	KUNIT_CASE(scan_given_up_loses_nothing),
	KUNIT_CASE(pip_of_pages),
	KUNIT_CASE(pip_of_nothing),
	{},
};

static struct kunit_suite scan_suite = {
	.name = "ebb_scan",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.init = memory_init,
	.exit = memory_exit,
	.test_cases = scan_cases,
};
kunit_test_suite(scan_suite);
