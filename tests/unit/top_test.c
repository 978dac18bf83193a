// SPDX-License-Identifier: GPL-2.0
/* The model of ebb top: order, filter, tree, keys, text and JSON of a small table of threads. */
#include "unit.h"

#include "base/json.h"
#include "core/top.h"
#include "core/top_keys.h"
#include "core/top_text.h"

#define PAGE 4

struct machine {
	struct ebb_threads *table;
	struct ebb_top top;
	struct ebb_top_view view;
};

struct task {
	pid_t pid;
	pid_t tid;
	const char *comm;
	uint64_t minor;
	uint64_t major;
};

static void sample(struct ebb_threads *table, const struct task *task, uint64_t factor)
{
	struct ebb_thread_sample sample = {
		.tid = task->tid,
		.tgid = task->pid,
		.start_boottime_ns = (uint64_t)task->tid,
		.leader_start_boottime_ns = (uint64_t)task->pid,
		.own = { .minor = factor * task->minor, .major = factor * task->major },
		.is_gone_settled = true,
	};

	snprintf(sample.comm, sizeof(sample.comm), "%s", task->comm);
	ebb_threads_sample(table, &sample);
}

/* two reads: every count doubles */
static int set_up(void **state)
{
	static const struct task tasks[] = {
		{ 10, 10, "init", 100, 0 },   { 20, 20, "Server", 50, 2 },
		{ 20, 21, "worker-a", 5, 1 }, { 20, 22, "worker-b", 500, 0 },
		{ 30, 30, "cold", 1, 0 },
	};
	static struct machine machine;

	machine = (struct machine){ .table = ebb_threads_new(64) };
	assert_non_null(machine.table);
	for (uint64_t factor = 1; factor <= 2; factor++) {
		ebb_threads_begin(machine.table);
		for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
			sample(machine.table, &tasks[i], factor);
		ebb_threads_end(machine.table);
	}
	ebb_top_fill(&machine.top, machine.table);
	machine.top.interval_ns = 500000000;
	for (size_t i = 0; i < machine.top.processes.nr; i++) {
		machine.top.processes.at[i].has_rss = i != 0;
		machine.top.processes.at[i].rss_bytes = i * 4096;
	}
	*state = &machine;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *machine = *state;

	ebb_top_free(&machine->top, &machine->view);
	ebb_threads_free(machine->table);
	return 0;
}

/* ids of the shown rows, "20 .21" */
static const char *shown(struct machine *machine)
{
	static char text[256];
	size_t len = 0;

	text[0] = '\0';
	ebb_top_arrange(&machine->top, &machine->view);
	for (size_t i = 0; i < machine->top.shown.nr; i++) {
		const struct ebb_top_row *row = machine->top.shown.at[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%d", i ? " " : "",
					row->tid ? "." : "", row->tid ? row->tid : row->pid);
	}
	return text;
}

static bool press(struct machine *machine, int key)
{
	bool goes_on = ebb_top_press(&machine->top, &machine->view, key, PAGE);

	ebb_top_arrange(&machine->top, &machine->view);
	return goes_on;
}

static void test_sorts(void **state)
{
	static const struct {
		const char *name;
		const char *order;
	} cases[] = {
		{ "major", "20 10 30" }, { "minor", "20 10 30" },   { "total", "20 10 30" },
		{ "rss", "30 20 10" },	 { "threads", "20 10 30" }, { "pid", "10 20 30" },
		{ "name", "20 30 10" },
	};
	struct machine *machine = *state;

	assert_int_equal(ARRAY_SIZE(cases), EBB_TOP_NR_SORTS);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(ebb_top_sort_find(cases[i].name, &machine->view.sort), 0);
		assert_string_equal(ebb_top_sort_name(machine->view.sort), cases[i].name);
		assert_string_equal(shown(machine), cases[i].order);
	}
	assert_int_not_equal(ebb_top_sort_find("size", &machine->view.sort), 0);
	machine->view.is_reversed = true;
	assert_string_equal(shown(machine), "10 30 20");
}

static void test_threads_and_limit(void **state)
{
	struct machine *machine = *state;

	machine->view.is_threads = true;
	assert_string_equal(shown(machine), ".20 .21 .22 .10 .30");
	machine->view.sort = EBB_TOP_MINOR;
	assert_string_equal(shown(machine), ".22 .10 .20 .21 .30");
	machine->view.limit = 2;
	assert_string_equal(shown(machine), ".22 .10");
}

static void test_filter(void **state)
{
	static const struct {
		const char *filter;
		const char *processes;
		const char *threads;
	} cases[] = {
		{ "", "20 10 30", ".20 .21 .22 .10 .30" },
		{ "SERV", "20", ".20" },
		{ "worker", "", ".21 .22" },
		{ "30", "30", ".30" },
		{ "20", "20", ".20 .21 .22" },
		{ "2", "", "" },
		{ "nothing", "", "" },
	};
	struct machine *machine = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strcpy(machine->view.filter, cases[i].filter);
		machine->view.is_threads = false;
		assert_string_equal(shown(machine), cases[i].processes);
		machine->view.is_threads = true;
		assert_string_equal(shown(machine), cases[i].threads);
	}
}

static void test_tree(void **state)
{
	struct machine *machine = *state;

	machine->view.is_tree = true;
	assert_string_equal(shown(machine), "20 .20 .21 .22 10 .10 30 .30");
	machine->view.limit = 1;
	assert_string_equal(shown(machine), "20 .20 .21 .22");
	machine->view.is_tree = false;
	machine->view.limit = 0;
	assert_int_equal(ebb_top_toggle(&machine->view, 10), 0);
	assert_int_equal(ebb_top_toggle(&machine->view, 99), 0);
	assert_string_equal(shown(machine), "20 10 .10 30");
	/* there is no 99: it is forgotten */
	assert_int_equal(machine->view.nr_expanded, 1);
	assert_int_equal(ebb_top_toggle(&machine->view, 10), 0);
	assert_string_equal(shown(machine), "20 10 30");
}

static void test_sums(void **state)
{
	struct machine *machine = *state;
	struct ebb_top_sums sums;

	strcpy(machine->view.filter, "cold");
	shown(machine);
	ebb_top_sum(&machine->top, &sums);
	assert_int_equal(sums.nr_processes, 3);
	assert_int_equal(sums.nr_threads, 5);
	assert_int_equal(sums.rss_bytes, 3 * 4096);
	assert_int_equal(sums.total.minor, 1312);
	assert_int_equal(sums.total.major, 6);
	assert_int_equal(sums.delta.minor, 656);
	assert_int_equal(sums.delta.major, 3);
}

static void test_selection_follows(void **state)
{
	struct machine *machine = *state;

	shown(machine);
	assert_false(machine->view.is_selected);
	press(machine, EBB_TOP_KEY_DOWN);
	assert_true(machine->view.is_selected);
	assert_int_equal(machine->view.pid, 20);
	press(machine, 'P');
	assert_int_equal(machine->view.cursor, 1);
	press(machine, EBB_TOP_KEY_RIGHT);
	assert_string_equal(shown(machine), "10 20 .20 .21 .22 30");
	press(machine, EBB_TOP_KEY_RIGHT);
	assert_string_equal(shown(machine), "10 20 .20 .21 .22 30");
	press(machine, EBB_TOP_KEY_DOWN);
	press(machine, EBB_TOP_KEY_DOWN);
	assert_int_equal(machine->view.tid, 21);
	/* hidden from one of its threads */
	press(machine, EBB_TOP_KEY_LEFT);
	assert_string_equal(shown(machine), "10 20 30");
	assert_int_equal(machine->view.pid, 20);
	assert_int_equal(machine->view.cursor, 1);
	/* what is selected goes away: its neighbour is selected */
	press(machine, EBB_TOP_KEY_END);
	strcpy(machine->view.filter, "10");
	shown(machine);
	assert_int_equal(machine->view.pid, 10);
	strcpy(machine->view.filter, "nothing");
	shown(machine);
	press(machine, EBB_TOP_KEY_ENTER);
	press(machine, EBB_TOP_KEY_PAGE_DOWN);
	assert_int_equal(machine->view.cursor, 0);
}

static void test_moves(void **state)
{
	struct machine *machine = *state;

	press(machine, 'E');
	assert_string_equal(shown(machine), "20 .20 .21 .22 10 .10 30 .30");
	press(machine, EBB_TOP_KEY_PAGE_DOWN);
	assert_int_equal(machine->view.cursor, 4);
	ebb_top_scroll(&machine->top, &machine->view, PAGE);
	assert_int_equal(machine->view.first, 1);
	press(machine, EBB_TOP_KEY_END);
	press(machine, EBB_TOP_KEY_DOWN);
	assert_int_equal(machine->view.cursor, 7);
	ebb_top_scroll(&machine->top, &machine->view, PAGE);
	assert_int_equal(machine->view.first, 4);
	ebb_top_scroll(&machine->top, &machine->view, 100);
	assert_int_equal(machine->view.first, 0);
	press(machine, EBB_TOP_KEY_PAGE_UP);
	press(machine, EBB_TOP_KEY_UP);
	assert_int_equal(machine->view.cursor, 2);
	press(machine, EBB_TOP_KEY_HOME);
	assert_true(machine->view.is_selected);
	press(machine, EBB_TOP_KEY_HOME);
	assert_false(machine->view.is_selected);
	press(machine, 'E');
	assert_string_equal(shown(machine), "20 10 30");
}

static void test_keys(void **state)
{
	struct machine *machine = *state;

	for (int i = 0; i < EBB_TOP_NR_SORTS; i++)
		press(machine, '>');
	assert_int_equal(machine->view.sort, EBB_TOP_MAJOR);
	press(machine, '<');
	assert_int_equal(machine->view.sort, EBB_TOP_NAME);
	press(machine, 'r');
	assert_string_equal(shown(machine), "10 30 20");
	press(machine, 'M');
	assert_false(machine->view.is_reversed);
	press(machine, 't');
	assert_true(machine->view.is_threads);
	press(machine, 't');
	assert_false(machine->view.is_threads);
	/* the help swallows one key, but not the end */
	press(machine, 'h');
	assert_true(machine->view.is_help);
	assert_true(press(machine, 't'));
	assert_false(machine->view.is_help);
	assert_false(machine->view.is_threads);
	press(machine, '?');
	assert_false(press(machine, 'q'));
	assert_false(press(machine, 'q'));
	assert_true(press(machine, 0x3000));
	assert_non_null(ebb_top_help(0));
	assert_null(ebb_top_help(1000));
}

static void type(struct machine *machine, const char *text)
{
	for (; *text; text++)
		assert_true(press(machine, *text));
}

static void test_typing(void **state)
{
	struct machine *machine = *state;

	type(machine, "/qx");
	press(machine, EBB_TOP_KEY_BACKSPACE);
	press(machine, EBB_TOP_KEY_BACKSPACE);
	press(machine, EBB_TOP_KEY_BACKSPACE);
	assert_string_equal(machine->view.filter, "");
	assert_true(machine->view.is_typing);
	type(machine, "serv");
	press(machine, EBB_TOP_KEY_UP);
	press(machine, EBB_TOP_KEY_ENTER);
	assert_false(machine->view.is_typing);
	assert_string_equal(shown(machine), "20");
	press(machine, EBB_TOP_KEY_ESCAPE);
	assert_string_equal(shown(machine), "20 10 30");
	/* no more than there is room for */
	press(machine, '/');
	for (int i = 0; i < 100; i++)
		press(machine, 'x');
	assert_int_equal(strlen(machine->view.filter), EBB_TOP_FILTER_MAX - 1);
	press(machine, EBB_TOP_KEY_BACKSPACE);
	assert_int_equal(strlen(machine->view.filter), EBB_TOP_FILTER_MAX - 2);
	press(machine, EBB_TOP_KEY_ESCAPE);
	assert_string_equal(machine->view.filter, "");
	assert_false(machine->view.is_typing);
}

static char *text_of(struct machine *machine, size_t width)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	ebb_top_head(&machine->top, &machine->view, out);
	assert_int_equal(ebb_top_text(&machine->top, &machine->view, 0, SIZE_MAX, width, out), 0);
	fclose(out);
	return text;
}

static void test_text(void **state)
{
	struct machine *machine = *state;
	char *text;

	assert_int_equal(ebb_top_toggle(&machine->view, 20), 0);
	shown(machine);
	text = text_of(machine, 0);
	assert_string_equal(
		text, "3 processes, 5 threads, RSS 12K\n"
		      "faults: 1312.0 minor/s, 6.0 major/s; 1312 minor, 6 major in all\n"
		      "3 processes, sorted by major\n"
		      "    PID   RSS     MIN/S     MAJ/S      MINOR     MAJOR  THR  COMMAND\n"
		      "     20  4.0K    1110.0       6.0       1110         6    3  - Server\n"
		      "     20           100.0       4.0        100         4         Server\n"
		      "     21            10.0       2.0         10         2         worker-a\n"
		      "     22          1000.0       0.0       1000         0         worker-b\n"
		      "     10     -     200.0       0.0        200         0    1  + init\n"
		      "     30  8.0K       2.0       0.0          2         0    1  + cold\n");
	free(text);
	machine->view.is_threads = true;
	machine->view.is_typing = true;
	strcpy(machine->view.filter, "a");
	shown(machine);
	text = text_of(machine, 0);
	assert_non_null(strstr(text, "1 threads, sorted by major, filter: a_\n"));
	assert_non_null(strstr(text, "     21       20      10.0       2.0"));
	free(text);
}

static void test_json(void **state)
{
	struct machine *machine = *state;
	struct ebb_json json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	machine->view.is_tree = true;
	strcpy(machine->view.filter, "init");
	shown(machine);
	ebb_json_init(&json, out);
	ebb_json_array(&json, NULL);
	ebb_top_json(&machine->top, &machine->view, 7, &json);
	ebb_json_end_all(&json);
	fclose(out);
	assert_string_equal(text, "[{\"time_ns\":7,\"interval_ns\":500000000,\"totals\":{"
				  "\"nr_processes\":3,\"nr_threads\":5,\"rss\":12288,\"major\":6,"
				  "\"minor\":1312,\"d_major\":3,\"d_minor\":656},\"processes\":[{"
				  "\"pid\":10,\"comm\":\"init\",\"major\":0,\"minor\":200,"
				  "\"d_major\":0,\"d_minor\":100,\"alive\":true,\"nr_threads\":1,"
				  "\"rss\":null,\"threads\":[{\"pid\":10,\"tid\":10,"
				  "\"comm\":\"init\",\"major\":0,\"minor\":200,\"d_major\":0,"
				  "\"d_minor\":100,\"alive\":true}]}]}]\n");
	free(text);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_sorts),  CASE(test_threads_and_limit),
		CASE(test_filter), CASE(test_tree),
		CASE(test_sums),   CASE(test_selection_follows),
		CASE(test_moves),  CASE(test_keys),
		CASE(test_typing), CASE(test_text),
		CASE(test_json),
	};
	int failed;

	ebb_threads_join();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ebb_threads_leave();
	return failed;
}
