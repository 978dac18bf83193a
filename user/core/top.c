// SPDX-License-Identifier: GPL-2.0
#include "core/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sort_names[EBB_TOP_NR_SORTS] = {
	[EBB_TOP_MAJOR] = "major",     [EBB_TOP_MINOR] = "minor", [EBB_TOP_TOTAL] = "total",
	[EBB_TOP_RSS] = "rss",	       [EBB_TOP_PID] = "pid",	  [EBB_TOP_NAME] = "name",
	[EBB_TOP_THREADS] = "threads",
};

const char *ebb_top_sort_name(enum ebb_top_sort sort)
{
	return sort_names[sort];
}

int ebb_top_sort_find(const char *name, enum ebb_top_sort *sort)
{
	for (int i = 0; i < EBB_TOP_NR_SORTS; i++) {
		if (!strcmp(name, sort_names[i])) {
			*sort = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* room for one more; NULL: no memory */
static struct ebb_top_row *new_row(struct ebb_top *top, struct ebb_top_rows *rows)
{
	size_t max = rows->max ? 2 * rows->max : 256;
	struct ebb_top_row *at;

	if (rows->nr == rows->max) {
		at = reallocarray(rows->at, max, sizeof(*at));
		if (!at) {
			top->is_short = true;
			return NULL;
		}
		rows->at = at;
		rows->max = max;
	}
	return &rows->at[rows->nr++];
}

static void push(struct ebb_top *top, struct ebb_top_list *list, const struct ebb_top_row *row)
{
	size_t max = list->max ? 2 * list->max : 256;
	const struct ebb_top_row **at;

	if (list->nr == list->max) {
		at = reallocarray(list->at, max, sizeof(*at));
		if (!at) {
			top->is_short = true;
			return;
		}
		list->at = at;
		list->max = max;
	}
	list->at[list->nr++] = row;
}

static void add_process(const struct ebb_process_info *info, void *arg)
{
	struct ebb_top *top = arg;
	struct ebb_top_row *row = new_row(top, &top->processes);

	if (!row)
		return;
	*row = (struct ebb_top_row){
		.pid = info->tgid,
		.start_boottime_ns = info->start_boottime_ns,
		.total = info->total,
		.delta = info->delta,
		.nr_threads = info->nr_threads,
		.is_alive = info->is_alive,
	};
	memcpy(row->comm, info->comm, sizeof(row->comm));
}

static void add_thread(const struct ebb_thread_info *info, void *arg)
{
	struct ebb_top *top = arg;
	struct ebb_top_row *row = new_row(top, &top->threads);

	if (!row)
		return;
	*row = (struct ebb_top_row){
		.pid = info->tgid,
		.tid = info->tid,
		.start_boottime_ns = info->start_boottime_ns,
		.total = info->total,
		.delta = info->delta,
		.is_alive = info->is_alive,
	};
	memcpy(row->comm, info->comm, sizeof(row->comm));
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* by ids; of one id the latest first */
static int compare_ids(const struct ebb_top_row *x, const struct ebb_top_row *y)
{
	int order = compare_u64(x->pid, y->pid);

	if (!order)
		order = compare_u64(x->tid, y->tid);
	return order ? order : compare_u64(y->start_boottime_ns, x->start_boottime_ns);
}

static int compare_rows_by_id(const void *a, const void *b)
{
	return compare_ids(a, b);
}

static void sort_rows(struct ebb_top_rows *rows)
{
	if (rows->nr)
		qsort(rows->at, rows->nr, sizeof(*rows->at), compare_rows_by_id);
}

void ebb_top_fill(struct ebb_top *top, struct ebb_threads *threads)
{
	top->processes.nr = 0;
	top->threads.nr = 0;
	top->base.nr = 0;
	top->shown.nr = 0;
	ebb_threads_each_process(threads, add_process, top);
	ebb_threads_each(threads, add_thread, top);
	sort_rows(&top->processes);
	sort_rows(&top->threads);
}

static int compare_faults(const struct ebb_top_row *x, const struct ebb_top_row *y)
{
	int order = compare_u64(y->delta.major, x->delta.major);

	if (!order)
		order = compare_u64(y->delta.minor, x->delta.minor);
	if (!order)
		order = compare_u64(y->total.major, x->total.major);
	return order ? order : compare_u64(y->total.minor, x->total.minor);
}

static int compare_by(enum ebb_top_sort sort, const struct ebb_top_row *x,
		      const struct ebb_top_row *y)
{
	switch (sort) {
	case EBB_TOP_MINOR:
		return compare_u64(y->delta.minor, x->delta.minor);
	case EBB_TOP_TOTAL:
		return compare_u64(y->total.major + y->total.minor,
				   x->total.major + x->total.minor);
	case EBB_TOP_RSS:
		return compare_u64(y->rss_bytes, x->rss_bytes);
	case EBB_TOP_THREADS:
		return compare_u64(y->nr_threads, x->nr_threads);
	case EBB_TOP_PID:
		return compare_ids(x, y);
	case EBB_TOP_NAME:
		return strcmp(x->comm, y->comm);
	default:
		return compare_faults(x, y);
	}
}

static int compare_shown(const void *a, const void *b, void *arg)
{
	const struct ebb_top_row *const *x = a, *const *y = b;
	const struct ebb_top_view *view = arg;
	int order = compare_by(view->sort, *x, *y);

	if (!order)
		order = compare_faults(*x, *y);
	if (view->is_reversed)
		order = -order;
	return order ? order : compare_ids(*x, *y);
}

static bool has_id(pid_t id, const char *text)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", id);
	return !strcmp(digits, text);
}

static bool is_wanted(const struct ebb_top_view *view, const struct ebb_top_row *row)
{
	const char *filter = view->filter;

	return !filter[0] || strcasestr(row->comm, filter) || has_id(row->pid, filter) ||
	       (row->tid && has_id(row->tid, filter));
}

static void sort_list(struct ebb_top_list *list, size_t from, struct ebb_top_view *view)
{
	if (list->nr > from)
		qsort_r(list->at + from, list->nr - from, sizeof(*list->at), compare_shown, view);
}

/* index of the first row of that process */
static size_t first_of(const struct ebb_top_rows *rows, pid_t pid)
{
	size_t low = 0, high = rows->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->at[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* threads belong to the latest process of that id */
static bool is_latest(const struct ebb_top *top, const struct ebb_top_row *process)
{
	return process == &top->processes.at[first_of(&top->processes, process->pid)];
}

static void push_threads(struct ebb_top *top, struct ebb_top_view *view, pid_t pid)
{
	size_t from = top->shown.nr;

	for (size_t i = first_of(&top->threads, pid); i < top->threads.nr; i++) {
		if (top->threads.at[i].pid != pid)
			break;
		push(top, &top->shown, &top->threads.at[i]);
	}
	sort_list(&top->shown, from, view);
}

static void forget_exited(const struct ebb_top *top, struct ebb_top_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < view->nr_expanded; i++) {
		size_t at = first_of(&top->processes, view->expanded[i]);

		if (at < top->processes.nr && top->processes.at[at].pid == view->expanded[i])
			view->expanded[kept++] = view->expanded[i];
	}
	view->nr_expanded = kept;
}

/* the selected row may be elsewhere now; where it is gone, another one has its place */
static void find_cursor(const struct ebb_top *top, struct ebb_top_view *view)
{
	const struct ebb_top_list *shown = &top->shown;

	if (!view->is_selected || !shown->nr) {
		view->cursor = 0;
		return;
	}
	for (size_t i = 0; i < shown->nr; i++) {
		if (shown->at[i]->pid == view->pid && shown->at[i]->tid == view->tid) {
			view->cursor = i;
			return;
		}
	}
	if (view->cursor >= shown->nr)
		view->cursor = shown->nr - 1;
	view->pid = shown->at[view->cursor]->pid;
	view->tid = shown->at[view->cursor]->tid;
}

void ebb_top_arrange(struct ebb_top *top, struct ebb_top_view *view)
{
	const struct ebb_top_rows *rows = view->is_threads ? &top->threads : &top->processes;

	top->base.nr = 0;
	top->shown.nr = 0;
	forget_exited(top, view);
	for (size_t i = 0; i < rows->nr; i++) {
		if (is_wanted(view, &rows->at[i]))
			push(top, &top->base, &rows->at[i]);
	}
	sort_list(&top->base, 0, view);
	if (view->limit && top->base.nr > view->limit)
		top->base.nr = view->limit;
	for (size_t i = 0; i < top->base.nr; i++) {
		const struct ebb_top_row *row = top->base.at[i];

		push(top, &top->shown, row);
		if (!view->is_threads && ebb_top_is_expanded(view, row->pid) && is_latest(top, row))
			push_threads(top, view, row->pid);
	}
	find_cursor(top, view);
}

void ebb_top_sum(const struct ebb_top *top, struct ebb_top_sums *sums)
{
	*sums = (struct ebb_top_sums){ 0 };
	for (size_t i = 0; i < top->processes.nr; i++) {
		const struct ebb_top_row *row = &top->processes.at[i];

		sums->nr_processes += row->is_alive;
		sums->nr_threads += row->nr_threads;
		sums->rss_bytes += row->has_rss ? row->rss_bytes : 0;
		sums->total.minor += row->total.minor;
		sums->total.major += row->total.major;
		sums->delta.minor += row->delta.minor;
		sums->delta.major += row->delta.major;
	}
}

int ebb_top_toggle(struct ebb_top_view *view, pid_t pid)
{
	pid_t *expanded;

	for (size_t i = 0; i < view->nr_expanded; i++) {
		if (view->expanded[i] == pid) {
			view->expanded[i] = view->expanded[--view->nr_expanded];
			return 0;
		}
	}
	expanded = reallocarray(view->expanded, view->nr_expanded + 1, sizeof(*expanded));
	if (!expanded)
		return -ENOMEM;
	view->expanded = expanded;
	expanded[view->nr_expanded++] = pid;
	return 0;
}

bool ebb_top_is_expanded(const struct ebb_top_view *view, pid_t pid)
{
	if (view->is_tree)
		return true;
	for (size_t i = 0; i < view->nr_expanded; i++) {
		if (view->expanded[i] == pid)
			return true;
	}
	return false;
}

double ebb_faults_rate(uint64_t nr, uint64_t ns)
{
	return ns ? nr * 1e9 / ns : 0;
}

void ebb_top_free(struct ebb_top *top, struct ebb_top_view *view)
{
	free(top->processes.at);
	free(top->threads.at);
	free(top->base.at);
	free(top->shown.at);
	free(view->expanded);
	*top = (struct ebb_top){ 0 };
	view->expanded = NULL;
	view->nr_expanded = 0;
}
