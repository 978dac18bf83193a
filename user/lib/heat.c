// SPDX-License-Identifier: LGPL-2.1
#include "ebb/heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12
#define BLOCK_SHIFT 21
#define BLOCK_PAGES (1U << (BLOCK_SHIFT - PAGE_SHIFT))
#define UNKNOWN 255 /* a page that no scan has told of */

/*
 * 2 MiB of address space. Without @ages all pages of [first, end) have the age @age. With them,
 * each has its own, to which @age is still to be added: so a skipped table costs no more than
 * that.
 */
struct block {
	uint64_t index; /* address >> BLOCK_SHIFT */
	uint8_t *ages;
	uint16_t first;
	uint16_t end;
	uint8_t age;
};

/* sorted by index */
struct blocks {
	struct block *at;
	size_t nr;
	size_t room;
};

/* what the scan under way has told of the block that it is in */
struct news {
	uint64_t index;
	bool is_open;
	bool has_young;
	uint8_t kind[BLOCK_PAGES]; /* enum ebb_run_kind, or UNKNOWN */
	uint16_t first;
	uint16_t end;
};

struct ebb_heat {
	struct blocks blocks; /* of the scan before, those taken over from it without ages */
	struct blocks fresh; /* of the scan under way */
	size_t cursor; /* into blocks: all before it are taken over or forgotten */
	struct news news;
	uint64_t told_up_to; /* address */
	unsigned int nr_scans;
	size_t nr_detailed;
};

struct ebb_heat *ebb_heat_new(void)
{
	return calloc(1, sizeof(struct ebb_heat));
}

static void drop_ages(struct ebb_heat *heat, struct block *block)
{
	if (block->ages)
		heat->nr_detailed--;
	free(block->ages);
	block->ages = NULL;
}

static void free_blocks(struct ebb_heat *heat, struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->nr; i++)
		drop_ages(heat, &blocks->at[i]);
	free(blocks->at);
	memset(blocks, 0, sizeof(*blocks));
}

void ebb_heat_free(struct ebb_heat *heat)
{
	if (!heat)
		return;
	free_blocks(heat, &heat->blocks);
	free_blocks(heat, &heat->fresh);
	free(heat);
}

static struct block *append(struct blocks *blocks)
{
	if (blocks->nr == blocks->room) {
		size_t room = blocks->room ? blocks->room + blocks->room / 2 : 64;
		struct block *at = reallocarray(blocks->at, room, sizeof(*at));

		if (!at)
			return NULL;
		blocks->at = at;
		blocks->room = room;
	}
	return memset(&blocks->at[blocks->nr++], 0, sizeof(struct block));
}

static uint8_t add_ages(unsigned int a, unsigned int b)
{
	return (uint8_t)(a + b < EBB_HEAT_AGE_MAX ? a + b : EBB_HEAT_AGE_MAX);
}

static unsigned int page_age(const struct block *block, unsigned int page)
{
	if (!block->ages)
		return page >= block->first && page < block->end ? block->age : UNKNOWN;
	return block->ages[page] == UNKNOWN ? UNKNOWN : add_ages(block->ages[page], block->age);
}

/* the block as the scan before left it; forgets those that this scan has passed by */
static struct block *take_old(struct ebb_heat *heat, uint64_t index)
{
	struct blocks *old = &heat->blocks;

	while (heat->cursor < old->nr && old->at[heat->cursor].index < index)
		drop_ages(heat, &old->at[heat->cursor++]);
	if (heat->cursor < old->nr && old->at[heat->cursor].index == index)
		return &old->at[heat->cursor++];
	return NULL;
}

static uint8_t age_of_newcomer(const struct ebb_heat *heat)
{
	return heat->nr_scans > 1 ? 1 : 0;
}

/* no page of it was young */
static int grow_older(struct ebb_heat *heat, uint64_t index, unsigned int first, unsigned int end)
{
	struct block *block = append(&heat->fresh), *old;

	if (!block)
		return -ENOMEM;
	old = take_old(heat, index);
	block->index = index;
	block->first = (uint16_t)first;
	block->end = (uint16_t)end;
	if (!old) {
		block->age = age_of_newcomer(heat);
		return 0;
	}
	block->age = add_ages(old->age, 1);
	block->ages = old->ages;
	old->ages = NULL;
	if (block->age == EBB_HEAT_AGE_MAX)
		drop_ages(heat, block); /* all of them are as old as can be */
	return 0;
}

static bool is_young(unsigned int kind)
{
	return kind == EBB_RUN_YOUNG || kind == EBB_RUN_DIRTY;
}

static uint8_t next_age(const struct ebb_heat *heat, const struct block *old, unsigned int page,
			unsigned int kind)
{
	unsigned int age = old ? page_age(old, page) : UNKNOWN;

	if (kind == UNKNOWN)
		return UNKNOWN;
	if (is_young(kind))
		return 0;
	return age == UNKNOWN ? age_of_newcomer(heat) : add_ages(age, 1);
}

/* one age is enough for the pages of [first, end) */
static bool is_uniform(const uint8_t *ages, unsigned int first, unsigned int end)
{
	return !memcmp(ages + first, ages + first + 1, end - first - 1);
}

static int keep_ages(struct ebb_heat *heat, struct block *block, const uint8_t *ages)
{
	if (is_uniform(ages, block->first, block->end)) {
		block->age = ages[block->first];
		return 0;
	}
	block->ages = malloc(BLOCK_PAGES);
	if (!block->ages)
		return -ENOMEM;
	memcpy(block->ages, ages, BLOCK_PAGES);
	heat->nr_detailed++;
	return 0;
}

static int age_pages(struct ebb_heat *heat, const struct news *news)
{
	struct block *block = append(&heat->fresh), *old;
	uint8_t ages[BLOCK_PAGES];

	if (!block)
		return -ENOMEM;
	old = take_old(heat, news->index);
	for (unsigned int i = 0; i < BLOCK_PAGES; i++)
		ages[i] = next_age(heat, old, i, news->kind[i]);
	if (old)
		drop_ages(heat, old);
	block->index = news->index;
	block->first = news->first;
	block->end = news->end;
	return keep_ages(heat, block, ages);
}

static bool has_detail(const struct ebb_heat *heat, uint64_t index)
{
	for (size_t i = heat->cursor; i < heat->blocks.nr; i++) {
		if (heat->blocks.at[i].index >= index)
			return heat->blocks.at[i].index == index && heat->blocks.at[i].ages;
	}
	return false;
}

/* all pages are told by skipped tables: what each page's age was stays true */
static bool is_told_as_whole(const struct news *news)
{
	for (unsigned int i = news->first; i < news->end; i++) {
		if (news->kind[i] != EBB_RUN_IDLE_TABLE)
			return false;
	}
	return true;
}

static int close_news(struct ebb_heat *heat)
{
	struct news *news = &heat->news;

	if (!news->is_open)
		return 0;
	news->is_open = false;
	/* at the baseline all ages are the same, whatever was young */
	if (heat->nr_scans > 1 &&
	    (news->has_young || (has_detail(heat, news->index) && !is_told_as_whole(news))))
		return age_pages(heat, news);
	return grow_older(heat, news->index, news->first, news->end);
}

static int open_news(struct ebb_heat *heat, uint64_t index)
{
	struct news *news = &heat->news;
	int err;

	if (news->is_open && news->index == index)
		return 0;
	err = close_news(heat);
	if (err)
		return err;
	memset(news, 0, sizeof(*news));
	memset(news->kind, UNKNOWN, sizeof(news->kind));
	news->index = index;
	news->is_open = true;
	news->first = BLOCK_PAGES;
	return 0;
}

static int add_piece(struct ebb_heat *heat, uint64_t index, unsigned int first, unsigned int end,
		     unsigned int kind)
{
	struct news *news = &heat->news;
	int err;

	if (kind == EBB_RUN_IDLE_TABLE && first == 0 && end == BLOCK_PAGES) {
		err = close_news(heat);
		return err ? err : grow_older(heat, index, 0, BLOCK_PAGES);
	}
	err = open_news(heat, index);
	if (err)
		return err;
	memset(news->kind + first, (int)kind, end - first);
	news->has_young |= is_young(kind);
	if (first < news->first)
		news->first = (uint16_t)first;
	news->end = (uint16_t)end;
	return 0;
}

/* 4 KiB page numbers of a run. False: it is none, or its end overflows */
static bool run_pages(const struct ebb_run *run, uint64_t *first, uint64_t *end)
{
	if (run->page_shift < PAGE_SHIFT || run->page_shift > 30 || run->kind >= __EBB_RUN_MAX)
		return false;
	*first = run->start >> PAGE_SHIFT;
	*end = *first + ((uint64_t)run->nr_pages << (run->page_shift - PAGE_SHIFT));
	return *end <= UINT64_MAX >> PAGE_SHIFT;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int add_run(struct ebb_heat *heat, const struct ebb_run *run)
{
	uint64_t page, end;
	int err = 0;

	if (!run_pages(run, &page, &end) || run->start < heat->told_up_to)
		return -EINVAL;
	while (!err && page < end) {
		uint64_t index = page / BLOCK_PAGES;
		uint64_t next = least((index + 1) * BLOCK_PAGES, end);
		unsigned int first = (unsigned int)(page % BLOCK_PAGES);

		err = add_piece(heat, index, first, first + (unsigned int)(next - page), run->kind);
		page = next;
	}
	heat->told_up_to = end << PAGE_SHIFT;
	return err;
}

void ebb_heat_begin(struct ebb_heat *heat)
{
	heat->nr_scans++;
	heat->cursor = 0;
	heat->told_up_to = 0;
	heat->news.is_open = false;
}

int ebb_heat_add(struct ebb_heat *heat, const struct ebb_run *runs, size_t nr_runs)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr_runs; i++)
		err = add_run(heat, &runs[i]);
	return err;
}

static int keep_rest(struct ebb_heat *heat)
{
	for (; heat->cursor < heat->blocks.nr; heat->cursor++) {
		struct block *block = append(&heat->fresh);

		if (!block)
			return -ENOMEM;
		*block = heat->blocks.at[heat->cursor];
		heat->blocks.at[heat->cursor].ages = NULL;
	}
	return 0;
}

int ebb_heat_end(struct ebb_heat *heat, bool is_complete)
{
	int err = close_news(heat);

	if (!is_complete || err) {
		int rest = keep_rest(heat);

		err = err ? err : rest;
	}
	free_blocks(heat, &heat->blocks);
	heat->blocks = heat->fresh;
	memset(&heat->fresh, 0, sizeof(heat->fresh));
	return err;
}

unsigned int ebb_heat_nr_scans(const struct ebb_heat *heat)
{
	return heat->nr_scans;
}

size_t ebb_heat_bytes(const struct ebb_heat *heat)
{
	return sizeof(*heat) + (heat->blocks.room + heat->fresh.room) * sizeof(struct block) +
	       heat->nr_detailed * BLOCK_PAGES;
}

/* position of the first block whose index is not below @index */
static size_t find_block(const struct blocks *blocks, uint64_t index)
{
	size_t low = 0, high = blocks->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (blocks->at[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static unsigned int known_age(const struct block *block, unsigned int page)
{
	unsigned int age = block ? page_age(block, page) : UNKNOWN;

	return age == UNKNOWN ? 0 : age;
}

/* pages from @first on, up to @end, that have the same age */
static unsigned int same_age(const struct block *block, unsigned int first, unsigned int end)
{
	unsigned int age = known_age(block, first), page = first + 1;

	if (!block)
		return end;
	while (page < end && known_age(block, page) == age)
		page++;
	return page;
}

/* pieces that touch and have the same age are told as one, also over the borders of blocks */
struct joiner {
	ebb_heat_fn fn;
	void *arg;
	uint64_t start;
	uint64_t nr_pages;
	unsigned int age;
};

static int join_flush(struct joiner *joiner)
{
	uint64_t nr = joiner->nr_pages;

	joiner->nr_pages = 0;
	return nr ? joiner->fn(joiner->start, nr, joiner->age, joiner->arg) : 0;
}

static int join(struct joiner *joiner, uint64_t start, uint64_t nr_pages, unsigned int age)
{
	int err;

	if (joiner->nr_pages && joiner->age == age) {
		joiner->nr_pages += nr_pages;
		return 0;
	}
	err = join_flush(joiner);
	joiner->start = start;
	joiner->nr_pages = nr_pages;
	joiner->age = age;
	return err;
}

static int split_block(const struct block *block, uint64_t index, unsigned int first,
		       unsigned int end, struct joiner *joiner)
{
	int err = 0;

	while (!err && first < end) {
		unsigned int next = same_age(block, first, end);

		err = join(joiner, (index << BLOCK_SHIFT) + ((uint64_t)first << PAGE_SHIFT),
			   next - first, known_age(block, first));
		first = next;
	}
	return err;
}

int ebb_heat_split(const struct ebb_heat *heat, const struct ebb_run *run, ebb_heat_fn fn,
		   void *arg)
{
	const struct blocks *blocks = &heat->blocks;
	struct joiner joiner = { .fn = fn, .arg = arg };
	uint64_t page, end;
	size_t at;
	int err = 0;

	if (!run_pages(run, &page, &end))
		return -EINVAL;
	at = find_block(blocks, page / BLOCK_PAGES);
	while (!err && page < end) {
		uint64_t index = page / BLOCK_PAGES;
		uint64_t next = least((index + 1) * BLOCK_PAGES, end);
		unsigned int first = (unsigned int)(page % BLOCK_PAGES);
		bool is_known = at < blocks->nr && blocks->at[at].index == index;

		err = split_block(is_known ? &blocks->at[at] : NULL, index, first,
				  first + (unsigned int)(next - page), &joiner);
		at += is_known;
		page = next;
	}
	return err ? err : join_flush(&joiner);
}

struct view_args {
	const struct ebb_heat *heat;
	struct ebb_heat_view *view;
	unsigned int oldest;
};

/* 1 / (1 + age), stretched so that what was never touched has 0 and what was just now, 1000 */
static uint64_t warmth_of(unsigned int age, unsigned int oldest)
{
	if (!age)
		return 1000;
	return age < oldest ? 1000ULL * (oldest - age) / ((1 + age) * oldest) : 0;
}

static unsigned int oldest_age(const struct ebb_heat *heat)
{
	unsigned int age = heat->nr_scans ? heat->nr_scans - 1 : 0;

	return age < EBB_HEAT_AGE_MAX ? age : EBB_HEAT_AGE_MAX;
}

static size_t column_of(const struct blocks *blocks, uint64_t index)
{
	size_t at = find_block(blocks, index);

	if (at >= blocks->nr)
		at = blocks->nr ? blocks->nr - 1 : 0;
	return blocks->nr ? at * EBB_HEAT_STRIP_COLUMNS / blocks->nr : 0;
}

static int view_piece(uint64_t start, uint64_t nr_pages, unsigned int age, void *arg)
{
	struct view_args *args = arg;
	uint64_t page = start >> PAGE_SHIFT, end = page + nr_pages;

	args->view->bytes[age] += nr_pages << PAGE_SHIFT;
	while (page < end) {
		uint64_t index = page / BLOCK_PAGES;
		uint64_t next = least((index + 1) * BLOCK_PAGES, end);
		size_t column = column_of(&args->heat->blocks, index);

		args->view->pages[column] += next - page;
		args->view->warmth[column] += (next - page) * warmth_of(age, args->oldest);
		page = next;
	}
	return 0;
}

void ebb_heat_view_add(const struct ebb_heat *heat, struct ebb_heat_view *view,
		       const struct ebb_run *runs, size_t nr_runs)
{
	struct view_args args = { .heat = heat, .view = view, .oldest = oldest_age(heat) };
	uint64_t first, end;

	for (size_t i = 0; i < nr_runs; i++) {
		if (!run_pages(&runs[i], &first, &end))
			continue;
		if (runs[i].kind == EBB_RUN_SWAP)
			view->swap_bytes += (end - first) << PAGE_SHIFT;
		else if (runs[i].kind != EBB_RUN_IDLE_TABLE)
			ebb_heat_split(heat, &runs[i], view_piece, &args);
	}
}

void ebb_heat_strip(const struct ebb_heat_view *view, char strip[EBB_HEAT_STRIP_COLUMNS + 1])
{
	static const char ramp[] = ".:-=+*#%@";
	const uint64_t top = sizeof(ramp) - 2;

	for (size_t i = 0; i < EBB_HEAT_STRIP_COLUMNS; i++) {
		uint64_t pages = view->pages[i];

		strip[i] = pages ? ramp[view->warmth[i] * top / (pages * 1000)] : ' ';
	}
	strip[EBB_HEAT_STRIP_COLUMNS] = '\0';
}
