// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <locale.h>

#include "base/table.h"
#include "base/text.h"

static const struct ebb_column columns[] = { { "NAME", 0 }, { "SIZE", 1 }, { "WHAT", 0 } };

static char *print(struct ebb_table *table, size_t width)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(ebb_table_print(table, out, width), 0);
	fclose(out);
	ebb_table_free(table);
	return text;
}

static struct ebb_table *fill(const char *last)
{
	struct ebb_table *table = ebb_table_new(columns, 3);

	assert_non_null(table);
	ebb_table_cell(table, "%s", "a");
	ebb_table_cell(table, "%d", 12345);
	ebb_table_cell(table, "%s", last);
	ebb_table_cell(table, "%s", "longer");
	return table;
}

static void test_alignment(void **state)
{
	char *text = print(fill("x"), 0);

	assert_string_equal(text, "NAME     SIZE  WHAT\n"
				  "a       12345  x\n"
				  "longer\n");
	free(text);
}

static void test_empty(void **state)
{
	char *text = print(ebb_table_new(columns, 3), 0);

	assert_string_equal(text, "NAME  SIZE  WHAT\n");
	free(text);
}

static void test_cut_on_a_terminal_only(void **state)
{
	char *text = print(fill("a long text at the end"), 0);

	assert_non_null(strstr(text, "a long text at the end\n"));
	free(text);
	text = print(fill("a long text at the end"), 30);
	assert_non_null(strstr(text, "12345  a long text at~\n"));
	free(text);
}

static void test_hostile_names(void **state)
{
	char *text = print(fill("\x1b[31m\n\xff"
				"e\xc3\xa9"),
			   0);

	assert_non_null(strstr(text, "?[31m??e\xc3\xa9\n"));
	free(text);
}

static void test_many_rows(void **state)
{
	struct ebb_table *table = ebb_table_new(columns, 3);
	size_t lines = 0;
	char *text;

	for (int i = 0; i < 3000; i++)
		ebb_table_cell(table, "%d", i);
	text = print(table, 0);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 1001);
	free(text);
}

static void test_width_and_cut(void **state)
{
	char text[] = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";

	assert_int_equal(ebb_text_width(text), 4);
	ebb_text_cut(text, 4);
	assert_int_equal(ebb_text_width(text), 4);
	ebb_text_cut(text, 3);
	assert_string_equal(text, "\xc3\xa9\xc3\xa9~");
	ebb_text_cut(text, 1);
	assert_string_equal(text, "~");
	ebb_text_cut(text, 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_cut_on_a_terminal_only),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_width_and_cut),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
