// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the walk, at the edges of ranges, tables, mappings and sinks.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "memory.h"
#include "walk.h"

#define RW (PROT_READ | PROT_WRITE)
#define TOLD_MAX 32
#define EXACT EBB_WALK_NO_IDLE_TABLE /* idle pages one by one */

/* A sink that keeps what it is told, and takes so many pages at a time. */
struct told {
	struct ebb_sink sink;
	size_t room;
	size_t nr;
	struct {
		enum ebb_walk_kind kind;
		unsigned int shift;
		unsigned long addr;
		unsigned long nr;
	} at[TOLD_MAX];
};

static size_t told_room(struct ebb_sink *sink, unsigned long addr)
{
	return container_of(sink, struct told, sink)->room;
}

static void told_put(struct ebb_sink *sink, enum ebb_walk_kind kind, unsigned int shift,
		     unsigned long addr, unsigned long nr)
{
	struct told *told = container_of(sink, struct told, sink);

	if (told->nr == TOLD_MAX)
		return;
	told->at[told->nr].kind = kind;
	told->at[told->nr].shift = shift;
	told->at[told->nr].addr = addr;
	told->at[told->nr++].nr = nr;
	told->room -= min(told->room, nr);
}

static void begin(struct ebb_walk *walk, struct told *told, unsigned long start, unsigned long size,
		  u32 flags)
{
	*told = (struct told){ .sink = { .room = told_room, .put = told_put }, .room = SIZE_MAX };
	ebb_walk_init(walk, memory_mm(), start, start + size, flags, &told->sink);
}

/* A whole walk, and the flush at its end. */
static void walk_all(struct kunit *test, struct told *told, unsigned long start, unsigned long size,
		     u32 flags)
{
	struct ebb_walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, walk);
	begin(walk, told, start, size, flags);
	KUNIT_EXPECT_EQ(test, ebb_walk_run(walk), 0);
	KUNIT_EXPECT_GE(test, walk->pos, start + size);
	ebb_walk_flush(walk);
}

static void expect(struct kunit *test, const struct told *told, size_t i, enum ebb_walk_kind kind,
		   unsigned long addr, unsigned long nr)
{
	KUNIT_EXPECT_LT(test, i, told->nr);
	if (i >= told->nr)
		return;
	KUNIT_EXPECT_EQ(test, told->at[i].kind, kind);
	KUNIT_EXPECT_EQ(test, told->at[i].shift, PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, told->at[i].addr, addr);
	KUNIT_EXPECT_EQ(test, told->at[i].nr, nr);
}

static void walk_of_nothing(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PMD_SIZE, RW, 0);
	struct told told;

	walk_all(test, &told, addr, 2 * PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 0);
}

static void walk_tells_young_once(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr + 3 * PAGE_SIZE, 5);
	walk_all(test, &told, addr, PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 1);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr + 3 * PAGE_SIZE, 5);
	memory_write(test, addr + 4 * PAGE_SIZE, 1);
	walk_all(test, &told, addr, PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 3);
	expect(test, &told, 0, EBB_WALK_IDLE, addr + 3 * PAGE_SIZE, 1);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + 4 * PAGE_SIZE, 1);
	expect(test, &told, 2, EBB_WALK_IDLE, addr + 5 * PAGE_SIZE, 3);
}

static void walk_keeps(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;
	int i;

	memory_write(test, addr, 2);
	for (i = 0; i < 3; i++) {
		walk_all(test, &told, addr, PMD_SIZE, EXACT | EBB_WALK_KEEP);
		KUNIT_EXPECT_EQ(test, told.nr, 1);
		expect(test, &told, 0, EBB_WALK_YOUNG, addr, 2);
	}
}

static void walk_tells_dirty(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_read(test, addr, 1); /* the zero page */
	memory_write(test, addr + PAGE_SIZE, 1);
	walk_all(test, &told, addr, PMD_SIZE, EXACT | EBB_WALK_TELL_DIRTY);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr, 1);
	expect(test, &told, 1, EBB_WALK_DIRTY, addr + PAGE_SIZE, 1);
}

/* Runs end at the end of a table; the second table is skipped when it was not touched. */
static void walk_skips_tables(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr + PMD_SIZE - PAGE_SIZE, 2);
	walk_all(test, &told, addr, 2 * PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr + PMD_SIZE - PAGE_SIZE, 1);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + PMD_SIZE, 1);
	memory_write(test, addr + PMD_SIZE - PAGE_SIZE, 1);
	walk_all(test, &told, addr, 2 * PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr + PMD_SIZE - PAGE_SIZE, 1);
	expect(test, &told, 1, EBB_WALK_IDLE_TABLE, addr + PMD_SIZE, PTRS_PER_PTE);
}

static void walk_stays_in_its_range(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr, 8);
	walk_all(test, &told, addr + 2 * PAGE_SIZE, 3 * PAGE_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 1);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr + 2 * PAGE_SIZE, 3);
	walk_all(test, &told, addr, PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 3);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr, 2);
	expect(test, &told, 1, EBB_WALK_IDLE, addr + 2 * PAGE_SIZE, 3);
	expect(test, &told, 2, EBB_WALK_YOUNG, addr + 5 * PAGE_SIZE, 3);
}

static void walk_goes_around_holes(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr, 6);
	memory_unmap(test, addr + 2 * PAGE_SIZE, 2 * PAGE_SIZE);
	walk_all(test, &told, addr, PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr, 2);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + 4 * PAGE_SIZE, 2);
}

/* What does not fit is told by the next run, or, when there is none, by the next walk. */
static void walk_with_little_room(struct kunit *test)
{
	unsigned long addr = memory_map(test, 2 * PMD_SIZE, RW, 0);
	struct ebb_walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);
	struct told told;

	KUNIT_ASSERT_NOT_NULL(test, walk);
	memory_write(test, addr, 8);
	memory_write(test, addr + PMD_SIZE, 1);
	begin(walk, &told, addr, 2 * PMD_SIZE, 0);
	told.room = 3;
	KUNIT_EXPECT_EQ(test, ebb_walk_run(walk), -ENOSPC);
	KUNIT_EXPECT_EQ(test, walk->pos, addr + 3 * PAGE_SIZE);
	told.room = 2;
	KUNIT_EXPECT_EQ(test, ebb_walk_run(walk), -ENOSPC);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr, 3);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + 3 * PAGE_SIZE, 2);
	ebb_walk_stop(walk);
	ebb_walk_flush(walk);
	walk_all(test, &told, addr, 2 * PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, told.nr, 3);
	expect(test, &told, 0, EBB_WALK_IDLE, addr, 5);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + 5 * PAGE_SIZE, 3);
	expect(test, &told, 2, EBB_WALK_YOUNG, addr + PMD_SIZE, 1);
}

static void walk_leaves_tables_whose_half_it_leaves_out(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr, 512);
	walk_all(test, &told, addr, PMD_SIZE / 2, 0);
	walk_all(test, &told, addr, PMD_SIZE, 0);
	KUNIT_EXPECT_EQ(test, told.nr, 2);
	expect(test, &told, 0, EBB_WALK_IDLE, addr, 256);
	expect(test, &told, 1, EBB_WALK_YOUNG, addr + PMD_SIZE / 2, 256);
}

static void walk_without_flush_clears_no_table(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, 0);
	struct told told;

	memory_write(test, addr, 4);
	walk_all(test, &told, addr, PMD_SIZE, EBB_WALK_NO_FLUSH);
	walk_all(test, &told, addr, PMD_SIZE, EBB_WALK_NO_FLUSH);
	KUNIT_EXPECT_EQ(test, told.nr, 1);
	expect(test, &told, 0, EBB_WALK_IDLE, addr, 4);
}

static void walk_leaves_out_shared_memory(struct kunit *test)
{
	unsigned long addr = memory_map(test, PMD_SIZE, RW, MAP_SHARED);
	struct told told;

	memory_write(test, addr, 4);
	walk_all(test, &told, addr, PMD_SIZE, EXACT);
	KUNIT_EXPECT_EQ(test, told.nr, 0);
	walk_all(test, &told, addr, PMD_SIZE, EXACT | EBB_WALK_ALL_VMAS);
	KUNIT_EXPECT_EQ(test, told.nr, 1);
	expect(test, &told, 0, EBB_WALK_YOUNG, addr, 4);
}

static void walk_of_the_whole_address_space_ends(struct kunit *test)
{
	struct ebb_walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);
	struct told told;

	KUNIT_ASSERT_NOT_NULL(test, walk);
	begin(walk, &told, 0, ULONG_MAX, EBB_WALK_KEEP | EBB_WALK_ALL_VMAS);
	KUNIT_EXPECT_EQ(test, ebb_walk_run(walk), 0);
	KUNIT_EXPECT_EQ(test, walk->pos, TASK_SIZE_MAX);
	KUNIT_EXPECT_GT(test, walk->stats.v[EBB_STAT_PAGES_YOUNG], 0ULL);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(walk_of_nothing),
	KUNIT_CASE(walk_tells_young_once),
	KUNIT_CASE(walk_keeps),
	KUNIT_CASE(walk_tells_dirty),
	KUNIT_CASE(walk_skips_tables),
	KUNIT_CASE(walk_stays_in_its_range),
	KUNIT_CASE(walk_goes_around_holes),
	KUNIT_CASE(walk_with_little_room),
	KUNIT_CASE(walk_leaves_tables_whose_half_it_leaves_out),
	KUNIT_CASE(walk_without_flush_clears_no_table),
	KUNIT_CASE(walk_leaves_out_shared_memory),
	KUNIT_CASE(walk_of_the_whole_address_space_ends),
	{},
};

static struct kunit_suite walk_suite = {
	.name = "ebb_walk",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.init = memory_init,
	.exit = memory_exit,
	.test_cases = walk_cases,
};
kunit_test_suite(walk_suite);
