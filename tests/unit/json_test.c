// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <math.h>

#include "base/json.h"

struct output {
	char *text;
	size_t len;
	FILE *stream;
	struct ebb_json json;
};

static void open_output(struct output *output)
{
	memset(output, 0, sizeof(*output));
	output->stream = open_memstream(&output->text, &output->len);
	assert_non_null(output->stream);
	ebb_json_init(&output->json, output->stream);
}

static void expect(struct output *output, const char *text)
{
	fclose(output->stream);
	assert_string_equal(output->text, text);
	free(output->text);
}

static void test_document(void **state)
{
	struct output o;

	open_output(&o);
	ebb_json_document(&o.json, "scan");
	ebb_json_array(&o.json, "empty");
	ebb_json_end(&o.json);
	ebb_json_array(&o.json, "list");
	ebb_json_u64(&o.json, NULL, UINT64_MAX);
	ebb_json_i64(&o.json, NULL, INT64_MIN);
	ebb_json_object(&o.json, NULL);
	ebb_json_end(&o.json);
	ebb_json_object(&o.json, NULL);
	ebb_json_bool(&o.json, "yes", true);
	ebb_json_bool(&o.json, "no", false);
	ebb_json_end_all(&o.json);
	expect(&o, "{\"schema\":\"ebb\",\"version\":1,\"verb\":\"scan\",\"empty\":[],"
		   "\"list\":[18446744073709551615,-9223372036854775808,{},"
		   "{\"yes\":true,\"no\":false}]}\n");
}

static void test_values(void **state)
{
	struct output o;

	open_output(&o);
	ebb_json_array(&o.json, NULL);
	ebb_json_null(&o.json, NULL);
	ebb_json_double(&o.json, NULL, 1.5);
	ebb_json_double(&o.json, NULL, NAN);
	ebb_json_double(&o.json, NULL, INFINITY);
	ebb_json_addr(&o.json, NULL, 0x7f0000000000ULL);
	ebb_json_str(&o.json, NULL, NULL);
	ebb_json_end(&o.json);
	expect(&o, "[null,1.5,null,null,\"0x7f0000000000\",null]\n");
}

static void test_strings(void **state)
{
	static const struct {
		const char *text;
		const char *json;
	} cases[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"" },
		{ "\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"" },
		{ "\xc3\xa9", "\"\xc3\xa9\"" },
		{ "\xf0\x9f\x8c\x8a", "\"\xf0\x9f\x8c\x8a\"" },
		/* a lone byte, a cut sequence, an overlong '/', a surrogate, above U+10FFFF */
		{ "a\xff"
		  "b",
		  "\"a\\ufffdb\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" },
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
		{ "\x80", "\"\\ufffd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output o;

		open_output(&o);
		ebb_json_str(&o.json, NULL, cases[i].text);
		expect(&o, cases[i].json);
	}
}

static void test_key_is_escaped(void **state)
{
	struct output o;

	open_output(&o);
	ebb_json_object(&o.json, NULL);
	ebb_json_u64(&o.json, "a\"\n", 1);
	ebb_json_end(&o.json);
	expect(&o, "{\"a\\\"\\n\":1}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_key_is_escaped),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
