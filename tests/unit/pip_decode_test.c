// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <errno.h>

#include "ebb/pip.h"

#define ADDR_BYTES 0xa0, 0x00, 0x00, 0x7f, 0x12, 0x34, 0x56, 0x70, 0x00
#define ADDR 0x00007f1234567000ULL

struct taken {
	struct ebb_pip_run runs[64];
	size_t nr;
	int answer;
};

static int take(const struct ebb_pip_run *run, void *arg)
{
	struct taken *taken = arg;

	assert_true(taken->nr < ARRAY_SIZE(taken->runs));
	taken->runs[taken->nr++] = *run;
	return taken->answer;
}

static void check_run(const struct ebb_pip_run *run, uint64_t start, unsigned int nr,
		      unsigned int shift, unsigned int type)
{
	assert_int_equal(run->start, start);
	assert_int_equal(run->nr_units, nr);
	assert_int_equal(run->unit_shift, shift);
	assert_int_equal(run->type, type);
}

static const uint8_t stream[] = { ADDR_BYTES, 0x03, 0x5f, 0x81, 0x31,
				  /* another address, aligned to 2 MiB */
				  0xa0, 0, 0, 0x7f, 0x80, 0, 0, 0, 0, 0x11, 0x62, 0x73, 0x91, 0x41,
				  0x21 };

static void check_stream(const struct taken *taken)
{
	const uint64_t huge = 0x7f8000000000ULL, mib2 = 2 << 20;

	assert_int_equal(taken->nr, 10);
	check_run(&taken->runs[0], ADDR, 3, 12, EBB_PIP_PTE_ACCESSED);
	check_run(&taken->runs[1], ADDR + 0x3000, 15, 12, EBB_PIP_PTE_IDLE);
	check_run(&taken->runs[2], ADDR + 0x12000, 1, 12, EBB_PIP_PTE_HOLE);
	check_run(&taken->runs[3], ADDR + 0x13000, 1, 12, EBB_PIP_PTE_DIRTY);
	check_run(&taken->runs[4], huge, 1, 21, EBB_PIP_PMD_ACCESSED);
	check_run(&taken->runs[5], huge + mib2, 2, 21, EBB_PIP_PMD_IDLE);
	check_run(&taken->runs[6], huge + 3 * mib2, 3, 21, EBB_PIP_PMD_IDLE_PTES);
	check_run(&taken->runs[7], huge + 6 * mib2, 1, 21, EBB_PIP_PMD_HOLE);
	check_run(&taken->runs[8], huge + 7 * mib2, 1, 21, EBB_PIP_PMD_DIRTY);
	check_run(&taken->runs[9], huge + 8 * mib2, 1, 30, EBB_PIP_PUD_PRESENT);
}

static void test_whole(void **state)
{
	struct ebb_pip_decoder decoder = { 0 };
	struct taken taken = { .nr = 0 };

	assert_int_equal(ebb_pip_decode(&decoder, stream, sizeof(stream), take, &taken), 0);
	assert_true(ebb_pip_is_complete(&decoder));
	check_stream(&taken);
}

static void test_cut_anywhere(void **state)
{
	for (size_t first = 0; first <= sizeof(stream); first++) {
		struct ebb_pip_decoder decoder = { 0 };
		struct taken taken = { .nr = 0 };

		assert_int_equal(ebb_pip_decode(&decoder, stream, first, take, &taken), 0);
		assert_int_equal(ebb_pip_is_complete(&decoder),
				 !((first > 0 && first < 9) || (first > 13 && first < 22)));
		assert_int_equal(ebb_pip_decode(&decoder, stream + first, sizeof(stream) - first,
						take, &taken),
				 0);
		check_stream(&taken);
	}
}

static int decode(const uint8_t *bytes, size_t len)
{
	struct ebb_pip_decoder decoder = { 0 };
	struct taken taken = { .nr = 0 };

	return ebb_pip_decode(&decoder, bytes, len, take, &taken);
}

static void test_bad_streams(void **state)
{
	static const uint8_t no_address[] = { 0x01 };
	static const uint8_t no_count[] = { ADDR_BYTES, 0x50 };
	static const uint8_t bad_command[] = { ADDR_BYTES, 0xa1 };
	static const uint8_t bad_type[] = { ADDR_BYTES, 0xb1 };
	static const uint8_t overflow[] = { 0xa0, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0xff, 0xf0, 0x00, 0x01 };

	assert_int_equal(decode(NULL, 0), 0);
	assert_int_equal(decode(no_address, sizeof(no_address)), -EBADMSG);
	assert_int_equal(decode(no_count, sizeof(no_count)), -EBADMSG);
	assert_int_equal(decode(bad_command, sizeof(bad_command)), -EBADMSG);
	assert_int_equal(decode(bad_type, sizeof(bad_type)), -EBADMSG);
	assert_int_equal(decode(overflow, sizeof(overflow)), -EBADMSG);
}

static void test_callback_ends(void **state)
{
	struct ebb_pip_decoder decoder = { 0 };
	struct taken taken = { .answer = -EINTR };

	assert_int_equal(ebb_pip_decode(&decoder, stream, sizeof(stream), take, &taken), -EINTR);
	assert_int_equal(taken.nr, 1);
}

/* any bytes: no crash, and addresses never go down without a command */
static void test_random_bytes(void **state)
{
	uint8_t bytes[256];

	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct ebb_pip_decoder decoder = { .has_addr = round & 1 };
		struct taken taken = { .nr = 0 };
		size_t len = (size_t)rand() % 60;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)rand();
		ebb_pip_decode(&decoder, bytes, len, take, &taken);
		for (size_t i = 0; i < taken.nr; i++)
			assert_in_range(taken.runs[i].nr_units, 1, 15);
	}
}

static void test_to_run(void **state)
{
	static const struct {
		uint8_t type;
		bool is_run;
		uint8_t kind;
		uint8_t shift;
		uint32_t nr;
	} cases[] = {
		{ EBB_PIP_PTE_ACCESSED, true, EBB_RUN_YOUNG, 12, 5 },
		{ EBB_PIP_PTE_DIRTY, true, EBB_RUN_YOUNG, 12, 5 },
		{ EBB_PIP_PMD_ACCESSED, true, EBB_RUN_YOUNG, 21, 5 },
		{ EBB_PIP_PMD_DIRTY, true, EBB_RUN_YOUNG, 21, 5 },
		{ EBB_PIP_PTE_IDLE, true, EBB_RUN_IDLE, 12, 5 },
		{ EBB_PIP_PMD_IDLE, true, EBB_RUN_IDLE, 21, 5 },
		{ EBB_PIP_PMD_IDLE_PTES, true, EBB_RUN_IDLE_TABLE, 12, 5 * 512 },
		{ EBB_PIP_PTE_HOLE, false, 0, 0, 0 },
		{ EBB_PIP_PMD_HOLE, false, 0, 0, 0 },
		{ EBB_PIP_PUD_PRESENT, false, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t bytes[] = { ADDR_BYTES, (uint8_t)(cases[i].type << 4 | 5) };
		struct ebb_pip_decoder decoder = { 0 };
		struct taken taken = { .nr = 0 };
		struct ebb_run run;

		assert_int_equal(ebb_pip_decode(&decoder, bytes, sizeof(bytes), take, &taken), 0);
		assert_int_equal(ebb_pip_to_run(&taken.runs[0], &run), cases[i].is_run);
		if (!cases[i].is_run)
			continue;
		assert_int_equal(run.start, ADDR);
		assert_int_equal(run.kind, cases[i].kind);
		assert_int_equal(run.page_shift, cases[i].shift);
		assert_int_equal(run.nr_pages, cases[i].nr);
		assert_int_equal(run.reserved, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	     cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_bad_streams),  cmocka_unit_test(test_callback_ends),
		cmocka_unit_test(test_random_bytes), cmocka_unit_test(test_to_run),
	};

	return cmocka_run_group_tests_name("pip_decode", tests, NULL, NULL);
}
