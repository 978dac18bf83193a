// SPDX-License-Identifier: GPL-2.0
/* user/base/log2.c: histograms by powers of two. */
#include "base/log2.h"
#include "unit.h"

static void test_sum(void **state)
{
	const uint64_t slots[] = { 1, 0, 3, 5 };

	assert_int_equal(ebb_log2_sum(slots, 4), 9);
	assert_int_equal(ebb_log2_sum(slots, 0), 0);
}

static void test_below(void **state)
{
	const uint64_t none[8] = { 0 };
	const uint64_t slots[8] = { 0, 0, 98, 0, 1, 1 };

	assert_int_equal(ebb_log2_below(none, 8, 50), 0);
	assert_int_equal(ebb_log2_below(slots, 8, 1), 8);
	assert_int_equal(ebb_log2_below(slots, 8, 98), 8);
	assert_int_equal(ebb_log2_below(slots, 8, 99), 32);
	assert_int_equal(ebb_log2_below(slots, 8, 100), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests_name("log2", tests, NULL, NULL);
}
