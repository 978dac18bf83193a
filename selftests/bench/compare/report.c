// SPDX-License-Identifier: GPL-2.0
#include <base/json.h>
#include <base/table.h>
#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "clock.h"
#include "report.h"
#include "tap.h"

static bool is_json;
static bool has_loads;
static struct ebb_json json;

static const char *const layout_names[] = {
	[LAYOUT_HOT] = "hot",
	[LAYOUT_SPREAD] = "spread",
	[LAYOUT_MIXED] = "mixed",
};

void report_begin(bool wants_json)
{
	struct utsname name;

	uname(&name);
	is_json = wants_json;
	if (!is_json) {
		printf("Linux %s\n", name.release);
		return;
	}
	ebb_json_init(&json, stdout);
	ebb_json_document(&json, "bench");
	ebb_json_str(&json, "kernel", name.release);
}

void report_absent(void)
{
	const char *why;
	size_t i;

	if (is_json)
		ebb_json_array(&json, "absent");
	for (i = 0; i < nr_contenders; i++) {
		why = contenders[i]->missing();
		if (why && is_json) {
			ebb_json_object(&json, NULL);
			ebb_json_str(&json, "name", contenders[i]->name);
			ebb_json_str(&json, "reason", why);
			ebb_json_end(&json);
		} else if (why) {
			printf("left out: %s: %s\n", contenders[i]->name, why);
		}
	}
	if (is_json)
		ebb_json_end(&json);
}

static double ns_per_page(const struct load *load, double us)
{
	return us * 1e3 / (load->mib * MIB / PAGE);
}

/* A number, or "-" when it is not known. */
static void cell(struct ebb_table *table, const char *fmt, double value)
{
	char text[32] = "-";

	if (!isnan(value))
		snprintf(text, sizeof(text), fmt, value);
	ebb_table_cell(table, "%s", text);
}

static void print_row(struct ebb_table *table, const struct load *load, struct result *result,
		      double first_us)
{
	double us = median(result->us, result->nr_rounds);
	double inside = median(result->inside_us, result->nr_rounds);
	const struct accuracy *accuracy = &result->accuracy;

	ebb_table_cell(table, "%s", result->contender->name);
	ebb_table_cell(table, "%s", result->contender->sees);
	cell(table, "%.2f", ns_per_page(load, us));
	cell(table, "%.2f", inside > 0 ? ns_per_page(load, inside) : NAN);
	cell(table, "%.1fx", us / first_us);
	cell(table, "%.4f", accuracy_precision(accuracy));
	cell(table, "%.4f", accuracy_recall(accuracy));
	cell(table, "%.4f", accuracy->hot ? (double)accuracy->told_hot / accuracy->hot : NAN);
	cell(table, "%.2f%%", median(result->lost_us, result->nr_pairs) / 1e4);
}

static const struct ebb_column columns[] = {
	{ "WAY", 0 },	    { "SEES", 0 },	    { "NS/PAGE", 1 },
	{ "IN MODULE", 1 }, { "TO THE FIRST", 1 },  { "PRECISION", 1 },
	{ "RECALL", 1 },    { "HOT TOLD/TRUE", 1 }, { "SLOWDOWN", 1 },
};

static void print_load(const struct load *load, struct result *results, size_t nr)
{
	struct ebb_table *table = ebb_table_new(columns, sizeof(columns) / sizeof(columns[0]));
	double first_us = median(results[0].us, results[0].nr_rounds);
	size_t i;

	if (!table)
		tap_bail("out of memory");
	if (load->layout == LAYOUT_MIXED)
		printf("\n%zu MiB, mixed\n", load->mib);
	else
		printf("\n%zu MiB, %u%% %s\n", load->mib, load->percent,
		       layout_names[load->layout]);
	for (i = 0; i < nr; i++)
		print_row(table, load, &results[i], first_us);
	ebb_table_print(table, stdout, 0);
	ebb_table_free(table);
	fflush(stdout);
}

static void write_result(const struct load *load, struct result *result)
{
	const struct accuracy *accuracy = &result->accuracy;

	ebb_json_object(&json, NULL);
	ebb_json_str(&json, "name", result->contender->name);
	ebb_json_str(&json, "sees", result->contender->sees);
	ebb_json_u64(&json, "rounds", result->nr_rounds);
	ebb_json_double(&json, "ns_per_page",
			ns_per_page(load, median(result->us, result->nr_rounds)));
	ebb_json_double(&json, "module_ns_per_page",
			ns_per_page(load, median(result->inside_us, result->nr_rounds)));
	ebb_json_double(&json, "precision", accuracy_precision(accuracy));
	ebb_json_double(&json, "recall", accuracy_recall(accuracy));
	ebb_json_u64(&json, "pages_hot", accuracy->hot);
	ebb_json_u64(&json, "pages_told_hot", accuracy->told_hot);
	ebb_json_u64(&json, "pages_false_cold", accuracy->told_cold - accuracy->right_cold);
	ebb_json_u64(&json, "pages_untold", accuracy->untold);
	ebb_json_double(&json, "lost_us", median(result->lost_us, result->nr_pairs));
	ebb_json_end(&json);
}

static void write_load(const struct load *load, struct result *results, size_t nr)
{
	size_t i;

	if (!has_loads)
		ebb_json_array(&json, "loads");
	has_loads = true;
	ebb_json_object(&json, NULL);
	ebb_json_u64(&json, "mib", load->mib);
	ebb_json_str(&json, "layout", layout_names[load->layout]);
	ebb_json_u64(&json, "percent", load->percent);
	ebb_json_array(&json, "results");
	for (i = 0; i < nr; i++)
		write_result(load, &results[i]);
	ebb_json_end(&json);
	ebb_json_end(&json);
}

void report_load(const struct load *load, struct result *results, size_t nr)
{
	if (is_json)
		write_load(load, results, nr);
	else
		print_load(load, results, nr);
}

static void end_loads(void)
{
	if (is_json && has_loads)
		ebb_json_end(&json);
	has_loads = false;
}

static void write_pushes(struct push pushes[NR_PUSHES])
{
	size_t i;

	ebb_json_array(&json, "reclaim");
	for (i = 0; i < NR_PUSHES; i++) {
		ebb_json_object(&json, NULL);
		ebb_json_str(&json, "name", pushes[i].name);
		ebb_json_double(&json, "us", median(pushes[i].us, pushes[i].nr_rounds));
		ebb_json_u64(&json, "pages", pushes[i].nr_pages);
		ebb_json_u64(&json, "rounds", pushes[i].nr_rounds);
		ebb_json_u64(&json, "pages_said", pushes[i].said);
		ebb_json_u64(&json, "pages_stayed", pushes[i].stayed);
		ebb_json_end(&json);
	}
	ebb_json_end(&json);
}

void report_pushes(struct push pushes[NR_PUSHES])
{
	double us;
	size_t i;

	end_loads();
	if (is_json) {
		write_pushes(pushes);
		return;
	}
	printf("\nPushing out %zu MiB, %zu times\n", pushes[0].nr_pages * PAGE / MIB,
	       pushes[0].nr_rounds);
	for (i = 0; i < NR_PUSHES; i++) {
		us = median(pushes[i].us, pushes[i].nr_rounds);
		printf("%-30s  %6.0f pages/ms  said %zu, stayed %zu\n", pushes[i].name,
		       pushes[i].nr_pages / us * 1e3, pushes[i].said, pushes[i].stayed);
	}
}

void report_end(void)
{
	if (is_json)
		ebb_json_end_all(&json);
}
