// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <errno.h>

#include "base/units.h"

struct u64_case {
	const char *text;
	int err;
	uint64_t value;
};

typedef int (*parse_fn)(const char *text, uint64_t *out, const char **why);

static void check_cases(const struct u64_case *cases, size_t nr, parse_fn parse)
{
	for (size_t i = 0; i < nr; i++) {
		const char *why = NULL;
		uint64_t value = 12345;
		int err = parse(cases[i].text, &value, &why);

		if (err != cases[i].err || value != (err ? 12345 : cases[i].value))
			fail_msg("'%s': %d, %llu", cases[i].text, err, (unsigned long long)value);
		assert_int_equal(!err, !why);
	}
}

static void test_numbers(void **state)
{
	static const struct u64_case cases[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
		{ "007", 0, 7 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
	};

	check_cases(cases, ARRAY_SIZE(cases), ebb_parse_u64);
}

static void test_sizes(void **state)
{
	static const struct u64_case cases[] = {
		{ "4096", 0, 4096 },
		{ "64M", 0, 64 << 20 },
		{ "64m", 0, 64 << 20 },
		{ "64MB", 0, 64 << 20 },
		{ "64MiB", 0, 64 << 20 },
		{ "512B", 0, 512 },
		{ "1.5G", 0, 3ULL << 29 },
		{ "0.5K", 0, 512 },
		{ "0.0001K", 0, 0 },
		{ "1.999999999999999999K", 0, 2047 },
		{ "15E", 0, 15ULL << 60 },
		{ "16E", -ERANGE, 0 },
		{ "15.9999E", 0, 18446628781559090931ULL },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551615K", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "M", -EINVAL, 0 },
		{ "1.", -EINVAL, 0 },
		{ ".5G", -EINVAL, 0 },
		{ "1.5.5G", -EINVAL, 0 },
		{ "1Q", -EINVAL, 0 },
		{ "1BB", -EINVAL, 0 },
		{ "1BiB", -EINVAL, 0 },
		{ "1 M", -EINVAL, 0 },
		{ "-1M", -EINVAL, 0 },
		{ "1MM", -EINVAL, 0 },
		{ "1MiBs", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
	};

	check_cases(cases, ARRAY_SIZE(cases), ebb_parse_size);
}

static void test_durations(void **state)
{
	static const struct u64_case cases[] = {
		{ "10", 0, 10 * EBB_NSEC_PER_SEC },
		{ "10s", 0, 10 * EBB_NSEC_PER_SEC },
		{ "250ms", 0, 250 * EBB_NSEC_PER_MSEC },
		{ "0.25s", 0, 250 * EBB_NSEC_PER_MSEC },
		{ "1.5m", 0, 90 * EBB_NSEC_PER_SEC },
		{ "2h", 0, 7200 * EBB_NSEC_PER_SEC },
		{ "1d", 0, 86400 * EBB_NSEC_PER_SEC },
		{ "3us", 0, 3000 },
		{ "7ns", 0, 7 },
		{ "0", 0, 0 },
		{ "213503d", 0, 213503ULL * 86400 * EBB_NSEC_PER_SEC },
		{ "213504d", -ERANGE, 0 },
		{ "10x", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "1s1", -EINVAL, 0 },
		{ "-5s", -EINVAL, 0 },
	};

	check_cases(cases, ARRAY_SIZE(cases), ebb_parse_duration);
}

static int parse_percent(const char *text, uint64_t *out, const char **why)
{
	uint32_t ppm;
	int err = ebb_parse_percent(text, &ppm, why);

	if (!err)
		*out = ppm;
	return err;
}

static void test_percents(void **state)
{
	static const struct u64_case cases[] = {
		{ "5%", 0, 50000 },
		{ "5", 0, 50000 },
		{ "12.5%", 0, 125000 },
		{ "100%", 0, 1000000 },
		{ "0%", 0, 0 },
		{ "0.0001%", 0, 1 },
		{ "100.1%", -ERANGE, 0 },
		{ "101%", -ERANGE, 0 },
		{ "%", -EINVAL, 0 },
		{ "5%%", -EINVAL, 0 },
		{ "5 %", -EINVAL, 0 },
		{ "-5%", -EINVAL, 0 },
		{ "99999999999999999999%", -ERANGE, 0 },
	};

	check_cases(cases, ARRAY_SIZE(cases), parse_percent);
}

static void test_format_size(void **state)
{
	static const struct u64_case cases[] = {
		{ "0", 0, 0 },
		{ "1023", 0, 1023 },
		{ "1.0K", 0, 1024 },
		{ "9.9K", 0, 10188 },
		{ "10K", 0, 10235 },
		{ "212M", 0, 212 << 20 },
		{ "1.0M", 0, (1 << 20) - 1 },
		{ "1.5G", 0, 3ULL << 29 },
		{ "16E", 0, UINT64_MAX },
	};
	char buf[EBB_UNITS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(ebb_format_size(buf, cases[i].value), cases[i].text);
}

static void test_format_duration(void **state)
{
	static const struct u64_case cases[] = {
		{ "0s", 0, 0 },
		{ "1ns", 0, 1 },
		{ "3.4us", 0, 3400 },
		{ "250ms", 0, 250 * EBB_NSEC_PER_MSEC },
		{ "10s", 0, 10 * EBB_NSEC_PER_SEC },
		{ "1.5m", 0, 90 * EBB_NSEC_PER_SEC },
		{ "2h", 0, 7200 * EBB_NSEC_PER_SEC },
		{ "5124096h", 0, UINT64_MAX },
	};
	char buf[EBB_UNITS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(ebb_format_duration(buf, cases[i].value), cases[i].text);
}

static void test_format_percent(void **state)
{
	char buf[EBB_UNITS_MAX];

	assert_string_equal(ebb_format_percent(buf, 0, 0), "-");
	assert_string_equal(ebb_format_percent(buf, 0, 10), "0%");
	assert_string_equal(ebb_format_percent(buf, 10, 10), "100%");
	assert_string_equal(ebb_format_percent(buf, 1, 3), "33%");
	assert_string_equal(ebb_format_percent(buf, 1, 1000), "0.1%");
	assert_string_equal(ebb_format_percent(buf, UINT64_MAX - 1, UINT64_MAX), "100%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	       cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations),      cmocka_unit_test(test_percents),
		cmocka_unit_test(test_format_size),    cmocka_unit_test(test_format_duration),
		cmocka_unit_test(test_format_percent),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
