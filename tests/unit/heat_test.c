// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <errno.h>

#include "ebb/heat.h"

#define PAGE 4096ULL
#define BLOCK (2ULL << 20)
#define BASE (0x7f00ULL << 24) /* aligned to a block */

static struct ebb_run make_run(uint64_t start, uint64_t nr, int kind)
{
	return (struct ebb_run){
		.start = start, .nr_pages = (uint32_t)nr, .kind = (uint8_t)kind, .page_shift = 12
	};
}

static void scan(struct ebb_heat *heat, const struct ebb_run *runs, size_t nr)
{
	ebb_heat_begin(heat);
	assert_int_equal(ebb_heat_add(heat, runs, nr), 0);
	assert_int_equal(ebb_heat_end(heat, true), 0);
}

static void scan_one(struct ebb_heat *heat, uint64_t start, uint64_t nr, int kind)
{
	struct ebb_run run = make_run(start, nr, kind);

	scan(heat, &run, 1);
}

struct pieces {
	uint64_t start[64];
	uint64_t nr_pages[64];
	unsigned int age[64];
	size_t nr;
};

static int take_piece(uint64_t start, uint64_t nr_pages, unsigned int age, void *arg)
{
	struct pieces *pieces = arg;

	assert_true(pieces->nr < 64);
	pieces->start[pieces->nr] = start;
	pieces->nr_pages[pieces->nr] = nr_pages;
	pieces->age[pieces->nr++] = age;
	return 0;
}

static struct pieces split(const struct ebb_heat *heat, uint64_t start, uint64_t nr)
{
	struct ebb_run run = make_run(start, nr, EBB_RUN_IDLE);
	struct pieces pieces = { .nr = 0 };

	assert_int_equal(ebb_heat_split(heat, &run, take_piece, &pieces), 0);
	return pieces;
}

static unsigned int age_of(const struct ebb_heat *heat, uint64_t addr)
{
	struct pieces pieces = split(heat, addr, 1);

	assert_int_equal(pieces.nr, 1);
	return pieces.age[0];
}

static void test_baseline_says_nothing(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run runs[] = { make_run(BASE, 10, EBB_RUN_YOUNG),
				  make_run(BASE + 10 * PAGE, 10, EBB_RUN_IDLE) };
	struct pieces pieces;

	scan(heat, runs, 2);
	pieces = split(heat, BASE, 20);
	assert_int_equal(pieces.nr, 1);
	assert_int_equal(pieces.age[0], 0);
	assert_int_equal(ebb_heat_nr_scans(heat), 1);
	ebb_heat_free(heat);
}

static void test_ages_grow_and_fall(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run runs[] = { make_run(BASE, 10, EBB_RUN_IDLE),
				  make_run(BASE + 10 * PAGE, 1, EBB_RUN_YOUNG),
				  make_run(BASE + 11 * PAGE, 501, EBB_RUN_IDLE) };
	struct pieces pieces;

	scan_one(heat, BASE, 512, EBB_RUN_IDLE);
	scan_one(heat, BASE, 512, EBB_RUN_IDLE);
	scan(heat, runs, 3);
	pieces = split(heat, BASE, 512);
	assert_int_equal(pieces.nr, 3);
	assert_int_equal(pieces.age[0], 2);
	assert_int_equal(pieces.nr_pages[0], 10);
	assert_int_equal(pieces.age[1], 0);
	assert_int_equal(pieces.nr_pages[1], 1);
	assert_int_equal(pieces.age[2], 2);
	assert_int_equal(pieces.start[2], BASE + 11 * PAGE);
	scan_one(heat, BASE, 512, EBB_RUN_IDLE);
	assert_int_equal(age_of(heat, BASE), 3);
	assert_int_equal(age_of(heat, BASE + 10 * PAGE), 1);
	ebb_heat_free(heat);
}

/* a skipped table ages all its pages, also those with ages of their own */
static void test_idle_table_ages_as_a_whole(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run runs[] = { make_run(BASE, 3, EBB_RUN_YOUNG),
				  make_run(BASE + 3 * PAGE, 509, EBB_RUN_IDLE) };

	scan_one(heat, BASE, 1024, EBB_RUN_IDLE);
	scan(heat, runs, 2);
	for (int i = 0; i < 5; i++)
		scan_one(heat, BASE, 1024, EBB_RUN_IDLE_TABLE);
	assert_int_equal(age_of(heat, BASE), 5);
	assert_int_equal(age_of(heat, BASE + 3 * PAGE), 6);
	/* the second block was not told by the second scan: it was new in the third */
	assert_int_equal(age_of(heat, BASE + BLOCK), 5);
	ebb_heat_free(heat);
}

static void test_unmapped_is_forgotten(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();

	scan_one(heat, BASE, 4 * 512, EBB_RUN_IDLE);
	scan_one(heat, BASE, 4 * 512, EBB_RUN_IDLE);
	scan_one(heat, BASE + 2 * BLOCK, 512, EBB_RUN_IDLE);
	assert_int_equal(age_of(heat, BASE), 0);
	assert_int_equal(age_of(heat, BASE + 2 * BLOCK), 2);
	assert_int_equal(age_of(heat, BASE + 3 * BLOCK), 0);
	scan_one(heat, BASE, 4 * 512, EBB_RUN_IDLE);
	assert_int_equal(age_of(heat, BASE), 1);
	assert_int_equal(age_of(heat, BASE + 2 * BLOCK), 3);
	ebb_heat_free(heat);
}

static void test_cut_short_keeps_the_rest(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run run = make_run(BASE, 512, EBB_RUN_IDLE);

	scan_one(heat, BASE, 4 * 512, EBB_RUN_IDLE);
	scan_one(heat, BASE, 4 * 512, EBB_RUN_IDLE);
	ebb_heat_begin(heat);
	assert_int_equal(ebb_heat_add(heat, &run, 1), 0);
	assert_int_equal(ebb_heat_end(heat, false), 0);
	assert_int_equal(age_of(heat, BASE), 2);
	assert_int_equal(age_of(heat, BASE + 3 * BLOCK), 1);
	ebb_heat_free(heat);
}

static void test_age_saturates(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run runs[] = { make_run(BASE, 1, EBB_RUN_YOUNG),
				  make_run(BASE + PAGE, 511, EBB_RUN_IDLE) };
	size_t bytes;

	scan_one(heat, BASE, 512, EBB_RUN_IDLE);
	scan(heat, runs, 2);
	bytes = ebb_heat_bytes(heat);
	for (int i = 0; i < 300; i++)
		scan_one(heat, BASE, 512, i % 2 ? EBB_RUN_IDLE : EBB_RUN_IDLE_TABLE);
	assert_int_equal(age_of(heat, BASE), EBB_HEAT_AGE_MAX);
	assert_int_equal(age_of(heat, BASE + PAGE), EBB_HEAT_AGE_MAX);
	/* all the same again: the counters of the single pages are gone */
	assert_true(ebb_heat_bytes(heat) < bytes);
	ebb_heat_free(heat);
}

static void test_huge_pages(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run runs[] = { { BASE, 2, EBB_RUN_YOUNG, 21, 0 },
				  { BASE + 2 * BLOCK, 1, EBB_RUN_IDLE, 21, 0 } };
	struct pieces pieces;

	scan_one(heat, BASE, 3 * 512, EBB_RUN_IDLE);
	scan(heat, runs, 2);
	pieces = split(heat, BASE, 3 * 512);
	assert_int_equal(pieces.nr, 2);
	assert_int_equal(pieces.nr_pages[0], 1024);
	assert_int_equal(pieces.age[0], 0);
	assert_int_equal(pieces.nr_pages[1], 512);
	assert_int_equal(pieces.age[1], 1);
	ebb_heat_free(heat);
}

static void test_bad_runs(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run back[] = { make_run(BASE + BLOCK, 1, EBB_RUN_IDLE),
				  make_run(BASE, 1, EBB_RUN_IDLE) };
	struct ebb_run over[] = { make_run(BASE, 2, EBB_RUN_IDLE),
				  make_run(BASE + PAGE, 2, EBB_RUN_IDLE) };
	struct ebb_run kind = make_run(BASE, 1, 99);
	struct ebb_run end = make_run(UINT64_MAX - PAGE + 1, 2, EBB_RUN_IDLE);
	struct ebb_run shift = { BASE, 1, EBB_RUN_IDLE, 11, 0 };

	ebb_heat_begin(heat);
	assert_int_equal(ebb_heat_add(heat, back, 2), -EINVAL);
	ebb_heat_end(heat, false);
	ebb_heat_begin(heat);
	assert_int_equal(ebb_heat_add(heat, over, 2), -EINVAL);
	assert_int_equal(ebb_heat_add(heat, &kind, 1), -EINVAL);
	assert_int_equal(ebb_heat_add(heat, &end, 1), -EINVAL);
	assert_int_equal(ebb_heat_add(heat, &shift, 1), -EINVAL);
	ebb_heat_end(heat, false);
	assert_int_equal(age_of(heat, BASE + BLOCK), 0);
	ebb_heat_free(heat);
}

/* 1 TiB in skipped tables, none of it touched: some megabytes */
static void test_cold_terabyte(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_run run = make_run(BASE, (1ULL << 40) / PAGE, EBB_RUN_IDLE_TABLE);

	for (int i = 0; i < 3; i++)
		scan(heat, &run, 1);
	assert_int_equal(age_of(heat, BASE + (1ULL << 39)), 2);
	assert_true(ebb_heat_bytes(heat) < 24 << 20);
	ebb_heat_free(heat);
}

/* one hot page per block: 512 bytes more for each block */
static void test_hot_pages_cost(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	const size_t nr_blocks = 1000;
	size_t cold;

	scan_one(heat, BASE, 512 * nr_blocks, EBB_RUN_IDLE);
	cold = ebb_heat_bytes(heat);
	ebb_heat_begin(heat);
	for (size_t i = 0; i < nr_blocks; i++) {
		struct ebb_run runs[] = { make_run(BASE + i * BLOCK, 1, EBB_RUN_YOUNG),
					  make_run(BASE + i * BLOCK + PAGE, 511, EBB_RUN_IDLE) };

		assert_int_equal(ebb_heat_add(heat, runs, 2), 0);
	}
	assert_int_equal(ebb_heat_end(heat, true), 0);
	assert_in_range(ebb_heat_bytes(heat), cold + 512 * nr_blocks, cold + 600 * nr_blocks);
	ebb_heat_free(heat);
}

static void test_view(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_heat_view view = { .swap_bytes = 0 };
	char strip[EBB_HEAT_STRIP_COLUMNS + 1];
	struct ebb_run runs[] = { make_run(BASE, 40 * 512, EBB_RUN_YOUNG),
				  make_run(BASE + 40 * BLOCK, 40 * 512, EBB_RUN_IDLE) };
	struct ebb_run look[] = { make_run(BASE, 39 * 512, EBB_RUN_IDLE),
				  make_run(BASE + 39 * BLOCK, 512, EBB_RUN_SWAP),
				  make_run(BASE + 40 * BLOCK, 20 * 512, EBB_RUN_YOUNG),
				  make_run(BASE + 60 * BLOCK, 20 * 512, EBB_RUN_IDLE_TABLE) };

	scan(heat, runs, 2);
	for (int i = 0; i < 20; i++)
		scan(heat, runs, 2);
	ebb_heat_view_add(heat, &view, look, 4);
	assert_int_equal(view.bytes[0], 39 * BLOCK);
	assert_int_equal(view.bytes[20], 20 * BLOCK);
	assert_int_equal(view.swap_bytes, BLOCK);
	ebb_heat_strip(&view, strip);
	assert_int_equal(strlen(strip), 80);
	for (int i = 0; i < 80; i++)
		assert_int_equal(strip[i], i < 39 ? '@' : i < 40 ? ' ' : i < 60 ? '.' : ' ');
	ebb_heat_free(heat);
}

static void test_empty_map(void **state)
{
	struct ebb_heat *heat = ebb_heat_new();
	struct ebb_heat_view view = { .swap_bytes = 0 };
	struct ebb_run run = make_run(BASE, 1, EBB_RUN_YOUNG);
	char strip[EBB_HEAT_STRIP_COLUMNS + 1];

	ebb_heat_begin(heat);
	assert_int_equal(ebb_heat_end(heat, true), 0);
	ebb_heat_view_add(heat, &view, &run, 1);
	assert_int_equal(view.bytes[0], PAGE);
	ebb_heat_strip(&view, strip);
	assert_int_equal(strip[0], '@');
	ebb_heat_free(heat);
	ebb_heat_free(NULL);
}

/* the map against a plain array of ages, with random runs and no gaps */
#define MODEL_PAGES (6 * 512)

struct model {
	struct ebb_heat *heat;
	unsigned int ages[MODEL_PAGES];
	uint64_t page;
	bool is_baseline;
};

static void model_run(struct model *model, uint64_t nr, int kind)
{
	struct ebb_run run;

	if (model->page + nr > MODEL_PAGES)
		nr = MODEL_PAGES - model->page;
	if (!nr)
		return;
	run = make_run(BASE + model->page * PAGE, nr, kind);
	assert_int_equal(ebb_heat_add(model->heat, &run, 1), 0);
	for (; nr; nr--, model->page++) {
		if (model->is_baseline || kind == EBB_RUN_YOUNG)
			model->ages[model->page] = 0;
		else
			model->ages[model->page]++;
	}
}

static void model_scan(struct model *model)
{
	static const int kinds[] = { EBB_RUN_YOUNG, EBB_RUN_IDLE, EBB_RUN_SWAP };

	ebb_heat_begin(model->heat);
	model->page = 0;
	while (model->page < MODEL_PAGES) {
		if (rand() % 8 || model->page % 512)
			model_run(model, (uint64_t)rand() % 60 + 1, kinds[rand() % 3]);
		else
			model_run(model, 512 * ((uint64_t)rand() % 2 + 1), EBB_RUN_IDLE_TABLE);
		/* to the next table, now and then */
		if (!(rand() % 8))
			model_run(model, (512 - model->page % 512) % 512, EBB_RUN_IDLE);
	}
	assert_int_equal(ebb_heat_end(model->heat, true), 0);
}

static void test_against_a_model(void **state)
{
	static struct model model;

	srand(2);
	for (int map = 0; map < 30; map++) {
		model.heat = ebb_heat_new();
		for (int round = 0; round < 12; round++) {
			model.is_baseline = !round;
			model_scan(&model);
		}
		for (uint64_t i = 0; i < MODEL_PAGES; i++)
			assert_int_equal(age_of(model.heat, BASE + i * PAGE), model.ages[i]);
		ebb_heat_free(model.heat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_baseline_says_nothing),
		cmocka_unit_test(test_ages_grow_and_fall),
		cmocka_unit_test(test_idle_table_ages_as_a_whole),
		cmocka_unit_test(test_unmapped_is_forgotten),
		cmocka_unit_test(test_cut_short_keeps_the_rest),
		cmocka_unit_test(test_age_saturates),
		cmocka_unit_test(test_huge_pages),
		cmocka_unit_test(test_bad_runs),
		cmocka_unit_test(test_cold_terabyte),
		cmocka_unit_test(test_hot_pages_cost),
		cmocka_unit_test(test_view),
		cmocka_unit_test(test_empty_map),
		cmocka_unit_test(test_against_a_model),
	};

	return cmocka_run_group_tests_name("heat", tests, NULL, NULL);
}
