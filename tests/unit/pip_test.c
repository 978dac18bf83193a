// SPDX-License-Identifier: GPL-2.0
/* The kernel module's encoder of the idle_pages stream, against a decoder that is not ebb's own. */
#include "unit.h"

#include <stdbool.h>

#include "kmod/pip.h"
#include "selftests/lib/pipdec.h"

#define PAGE 4096ULL
#define HUGE (512 * PAGE)
#define BASE 0x00007f1200000000ULL
#define NR_PAGES 4096 /* of the model */
#define NONE 0xff

/* what each page of the model is; a unit of 2 MiB covers 512 of them */
static uint8_t model[NR_PAGES], seen[NR_PAGES];

static void take(const struct pip_unit *unit, void *arg)
{
	uint64_t addr;

	if (unit->type == EBB_PIP_PTE_HOLE || unit->type == EBB_PIP_PMD_HOLE)
		return;
	for (addr = unit->addr; addr < unit->addr + unit->bytes; addr += PAGE) {
		assert_true(addr >= BASE && addr < BASE + NR_PAGES * PAGE);
		assert_int_equal(seen[(addr - BASE) / PAGE], NONE);
		seen[(addr - BASE) / PAGE] = unit->type;
	}
}

static void decode(const uint8_t *buf, size_t len)
{
	const char *wrong = pip_decode(buf, len, take, NULL);

	if (wrong)
		fail_msg("%s", wrong);
}

static void expect_bytes(const struct ebb_pip_buf *pip, const uint8_t *bytes, size_t len)
{
	assert_int_equal(pip->len, len);
	assert_memory_equal(pip->buf, bytes, len);
}

static void test_address_comes_first(void **state)
{
	const uint8_t bytes[] = { 0xa0, 0, 0, 0x7f, 0x12, 0, 0, 0x10, 0, 0x52 };
	struct ebb_pip_buf pip;
	uint8_t buf[20];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE + PAGE, 2);
	expect_bytes(&pip, bytes, sizeof(bytes));
}

static void test_equal_neighbours_merge_up_to_15(void **state)
{
	const uint8_t bytes[] = { 0xa0, 0, 0, 0x7f, 0x12, 0, 0, 0, 0, 0x0f, 0x05, 0x31 };
	struct ebb_pip_buf pip;
	uint8_t buf[20];
	int i;

	ebb_pip_init(&pip, buf, sizeof(buf));
	for (i = 0; i < 20; i++)
		ebb_pip_put(&pip, EBB_PIP_PTE_ACCESSED, BASE + i * PAGE, 1);
	ebb_pip_put(&pip, EBB_PIP_PTE_DIRTY, BASE + 20 * PAGE, 1);
	expect_bytes(&pip, bytes, sizeof(bytes));
}

static void test_short_gaps_are_holes(void **state)
{
	const uint8_t bytes[] = { 0xa0, 0, 0, 0x7f, 0x12, 0, 0, 0, 0, 0x51, 0x8f, 0x83, 0x51 };
	struct ebb_pip_buf pip;
	uint8_t buf[40];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE, 1);
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE + 19 * PAGE, 1);
	expect_bytes(&pip, bytes, sizeof(bytes));
}

static void test_gaps_of_whole_tables_are_big_holes(void **state)
{
	const uint8_t bytes[] = { 0xa0, 0, 0, 0x7f, 0x12, 0, 0, 0, 0, 0x61, 0x93, 0x11 };
	struct ebb_pip_buf pip;
	uint8_t buf[40];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PMD_IDLE, BASE, 1);
	ebb_pip_put(&pip, EBB_PIP_PMD_ACCESSED, BASE + 4 * HUGE, 1);
	expect_bytes(&pip, bytes, sizeof(bytes));
}

static void test_long_gaps_take_an_address(void **state)
{
	struct ebb_pip_buf pip;
	uint8_t buf[40];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE, 1);
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE + 122 * PAGE, 1);
	assert_int_equal(pip.len, 20);
	assert_int_equal(buf[10], EBB_PIP_SET_ADDR);
}

static void test_addresses_are_rounded_to_the_unit(void **state)
{
	const uint8_t bytes[] = { 0xa0, 0, 0, 0x7f, 0x12, 0, 0x20, 0, 0, 0x71 };
	struct ebb_pip_buf pip;
	uint8_t buf[20];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PMD_IDLE_PTES, BASE + HUGE + 5 * PAGE, 1);
	expect_bytes(&pip, bytes, sizeof(bytes));
}

static void test_a_smaller_address_starts_anew(void **state)
{
	struct ebb_pip_buf pip;
	uint8_t buf[40];

	ebb_pip_init(&pip, buf, sizeof(buf));
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE + 5 * PAGE, 1);
	ebb_pip_put(&pip, EBB_PIP_PMD_IDLE, BASE + 6 * PAGE, 1);
	assert_int_equal(pip.len, 20);
	assert_int_equal(buf[19], 0x61);
}

static void test_room(void **state)
{
	struct ebb_pip_buf pip;
	uint8_t buf[20];

	ebb_pip_init(&pip, buf, sizeof(buf));
	assert_int_equal(ebb_pip_room(&pip, BASE), 11);
	ebb_pip_put(&pip, EBB_PIP_PTE_IDLE, BASE, 1);
	assert_int_equal(ebb_pip_room(&pip, BASE + PAGE), 10);
	assert_int_equal(ebb_pip_room(&pip, BASE + 2 * PAGE), 1);
	ebb_pip_put(&pip, EBB_PIP_PTE_ACCESSED, BASE + PAGE, 10);
	ebb_pip_init(&pip, buf, 9);
	assert_int_equal(ebb_pip_room(&pip, BASE), 0);
}

/* Fill the model with random stretches of pages, of holes, and of units of 2 MiB. */
static void make_model(void)
{
	static const uint8_t types[] = { NONE, EBB_PIP_PTE_ACCESSED, EBB_PIP_PTE_DIRTY,
					 EBB_PIP_PTE_IDLE };
	size_t page = 0, nr;
	uint8_t type;

	memset(model, NONE, sizeof(model));
	while (page < NR_PAGES) {
		if (page % 512 == 0 && random() % 3 == 0) {
			type = random() % 3 ? EBB_PIP_PMD_IDLE + random() % 2 : NONE;
			memset(model + page, type, 512);
			page += 512;
			continue;
		}
		type = types[random() % ARRAY_SIZE(types)];
		nr = 1 + random() % (random() % 4 ? 4 : 400);
		for (; nr && page < NR_PAGES; nr--, page++) {
			model[page] = type;
			if (page % 512 == 511)
				nr = 1;
		}
	}
}

static bool is_big(uint8_t type)
{
	return type != NONE && ebb_pip_shift(type) == 21;
}

/* Write as the walk does: ask for room, then put up to so many pages. Return: where it stopped. */
static size_t encode(struct ebb_pip_buf *pip, size_t page)
{
	size_t room;

	while (page < NR_PAGES && (room = ebb_pip_room(pip, BASE + page * PAGE))) {
		if (is_big(model[page])) {
			ebb_pip_put(pip, model[page], BASE + page * PAGE, 1);
			page += 512;
			continue;
		}
		for (; room && page < NR_PAGES && !is_big(model[page]); room--, page++)
			if (model[page] != NONE)
				ebb_pip_put(pip, model[page], BASE + page * PAGE, 1);
	}
	return page;
}

static void test_random_pages_in_buffers_of_all_sizes(void **state)
{
	size_t size, page, before;
	struct ebb_pip_buf pip;
	uint8_t *buf;
	int round;

	srandom(1);
	for (round = 0; round < 300; round++) {
		make_model();
		memset(seen, NONE, sizeof(seen));
		size = EBB_PIP_READ_MIN + random() % (round % 2 ? 4 : 1000);
		for (page = 0; page < NR_PAGES;) {
			buf = malloc(size); /* its end is watched */
			ebb_pip_init(&pip, buf, size);
			before = page;
			page = encode(&pip, page);
			assert_true(page > before);
			decode(buf, pip.len);
			free(buf);
		}
		assert_memory_equal(seen, model, sizeof(model));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_comes_first),
		cmocka_unit_test(test_equal_neighbours_merge_up_to_15),
		cmocka_unit_test(test_short_gaps_are_holes),
		cmocka_unit_test(test_gaps_of_whole_tables_are_big_holes),
		cmocka_unit_test(test_long_gaps_take_an_address),
		cmocka_unit_test(test_addresses_are_rounded_to_the_unit),
		cmocka_unit_test(test_a_smaller_address_starts_anew),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_random_pages_in_buffers_of_all_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
