// SPDX-License-Identifier: GPL-2.0
#include "core/top_text.h"

#include <errno.h>

#include "base/json.h"
#include "base/table.h"
#include "base/units.h"
#include "core/top.h"

static double rate(const struct ebb_top *top, uint64_t nr)
{
	return ebb_faults_rate(nr, top->interval_ns);
}

static void add_rss(struct ebb_table *table, const struct ebb_top_row *row)
{
	char text[EBB_UNITS_MAX];

	if (row->tid)
		ebb_table_cell(table, "%s", "");
	else if (row->has_rss)
		ebb_table_cell(table, "%s", ebb_format_size(text, row->rss_bytes));
	else
		ebb_table_cell(table, "-");
}

static const char *mark(const struct ebb_top_view *view, const struct ebb_top_row *row)
{
	if (view->is_threads)
		return "";
	if (row->tid)
		return "  ";
	return ebb_top_is_expanded(view, row->pid) ? "- " : "+ ";
}

/* numbers have a least width, so that columns stay where they are */
static void add_row(const struct ebb_top *top, const struct ebb_top_view *view,
		    struct ebb_table *table, const struct ebb_top_row *row)
{
	ebb_table_cell(table, "%7d", row->tid ? row->tid : row->pid);
	if (view->is_threads)
		ebb_table_cell(table, "%7d", row->pid);
	else
		add_rss(table, row);
	ebb_table_cell(table, "%8.1f", rate(top, row->delta.minor));
	ebb_table_cell(table, "%8.1f", rate(top, row->delta.major));
	ebb_table_cell(table, "%9lu", row->total.minor);
	ebb_table_cell(table, "%8lu", row->total.major);
	if (row->tid)
		ebb_table_cell(table, "%s", "");
	else
		ebb_table_cell(table, "%zu", row->nr_threads);
	ebb_table_cell(table, "%s%s%s", mark(view, row), row->comm,
		       row->is_alive ? "" : " (exited)");
}

int ebb_top_text(const struct ebb_top *top, const struct ebb_top_view *view, size_t first,
		 size_t nr, size_t width, FILE *out)
{
	const struct ebb_column columns[] = {
		{ view->is_threads ? "TID" : "PID", 1 },
		{ view->is_threads ? "PID" : "RSS", 1 },
		{ "MIN/S", 1 },
		{ "MAJ/S", 1 },
		{ "MINOR", 1 },
		{ "MAJOR", 1 },
		{ view->is_threads ? "" : "THR", 1 },
		{ "COMMAND", 0 },
	};
	struct ebb_table *table = ebb_table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int err;

	if (!table)
		return -ENOMEM;
	for (size_t i = first; i < top->shown.nr && i - first < nr; i++)
		add_row(top, view, table, top->shown.at[i]);
	err = ebb_table_print(table, out, width);
	ebb_table_free(table);
	return err;
}

void ebb_top_head(const struct ebb_top *top, const struct ebb_top_view *view, FILE *out)
{
	char rss[EBB_UNITS_MAX];
	struct ebb_top_sums sums;

	ebb_top_sum(top, &sums);
	fprintf(out, "%zu processes, %zu threads, RSS %s\n", sums.nr_processes, sums.nr_threads,
		ebb_format_size(rss, sums.rss_bytes));
	fprintf(out, "faults: %.1f minor/s, %.1f major/s; %lu minor, %lu major in all\n",
		rate(top, sums.delta.minor), rate(top, sums.delta.major), sums.total.minor,
		sums.total.major);
	fprintf(out, "%zu %s, sorted by %s%s", top->base.nr,
		view->is_threads ? "threads" : "processes", ebb_top_sort_name(view->sort),
		view->is_reversed ? ", reversed" : "");
	if (view->filter[0] || view->is_typing)
		fprintf(out, ", filter: %s%s", view->filter, view->is_typing ? "_" : "");
	putc('\n', out);
}

static void json_faults(const struct ebb_faults *total, const struct ebb_faults *delta,
			struct ebb_json *json)
{
	ebb_json_u64(json, "major", total->major);
	ebb_json_u64(json, "minor", total->minor);
	ebb_json_u64(json, "d_major", delta->major);
	ebb_json_u64(json, "d_minor", delta->minor);
}

static void json_totals(const struct ebb_top *top, struct ebb_json *json)
{
	struct ebb_top_sums sums;

	ebb_top_sum(top, &sums);
	ebb_json_object(json, "totals");
	ebb_json_u64(json, "nr_processes", sums.nr_processes);
	ebb_json_u64(json, "nr_threads", sums.nr_threads);
	ebb_json_u64(json, "rss", sums.rss_bytes);
	json_faults(&sums.total, &sums.delta, json);
	ebb_json_end(json);
}

/* leaves the object open */
static void json_row(const struct ebb_top_row *row, struct ebb_json *json)
{
	ebb_json_object(json, NULL);
	ebb_json_i64(json, "pid", row->pid);
	if (row->tid)
		ebb_json_i64(json, "tid", row->tid);
	ebb_json_str(json, "comm", row->comm);
	json_faults(&row->total, &row->delta, json);
	ebb_json_bool(json, "alive", row->is_alive);
	if (row->tid)
		return;
	ebb_json_u64(json, "nr_threads", row->nr_threads);
	if (row->has_rss)
		ebb_json_u64(json, "rss", row->rss_bytes);
	else
		ebb_json_null(json, "rss");
}

/* the threads that follow a process; returns how many */
static size_t json_threads(const struct ebb_top_list *shown, size_t first, struct ebb_json *json)
{
	size_t i = first;

	ebb_json_array(json, "threads");
	for (; i < shown->nr && shown->at[i]->tid; i++) {
		json_row(shown->at[i], json);
		ebb_json_end(json);
	}
	ebb_json_end(json);
	return i - first;
}

void ebb_top_json(const struct ebb_top *top, const struct ebb_top_view *view, uint64_t time_ns,
		  struct ebb_json *json)
{
	ebb_json_object(json, NULL);
	ebb_json_u64(json, "time_ns", time_ns);
	ebb_json_u64(json, "interval_ns", top->interval_ns);
	json_totals(top, json);
	ebb_json_array(json, view->is_threads ? "threads" : "processes");
	for (size_t i = 0; i < top->shown.nr; i++) {
		json_row(top->shown.at[i], json);
		if (view->is_tree && !view->is_threads)
			i += json_threads(&top->shown, i + 1, json);
		ebb_json_end(json);
	}
	ebb_json_end(json);
	ebb_json_end(json);
}
