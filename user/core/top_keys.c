// SPDX-License-Identifier: GPL-2.0
#include "core/top_keys.h"

#include <string.h>

#include "core/top.h"

static const char *const help[] = {
	"q            end",
	"h ?          this help; any key leaves it",
	"< >          sort by the column before, behind",
	"M m          sort by major, minor faults per second",
	"F R T P N    sort by all faults, RSS, threads, PID, name",
	"r            the other way round",
	"/            filter by a part of a name or an id; Enter ends it",
	"Esc          no filter",
	"t            threads or processes",
	"Enter e      show the threads of the selected process, or hide them",
	"Right Left   show, hide them",
	"E            show the threads of all, or hide them",
	"Up Down PgUp PgDn Home End   select a row; Home again: none",
};

const char *ebb_top_help(size_t i)
{
	return i < sizeof(help) / sizeof(help[0]) ? help[i] : NULL;
}

static void type(struct ebb_top_view *view, int key)
{
	size_t len = strlen(view->filter);

	if (key == EBB_TOP_KEY_ENTER || key == EBB_TOP_KEY_ESCAPE)
		view->is_typing = false;
	if (key == EBB_TOP_KEY_ESCAPE)
		view->filter[0] = '\0';
	else if (key == EBB_TOP_KEY_BACKSPACE && len)
		view->filter[len - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && len + 1 < sizeof(view->filter))
		view->filter[len] = (char)key;
	if (len + 1 < sizeof(view->filter))
		view->filter[len + 1] = '\0';
}

static void move(const struct ebb_top *top, struct ebb_top_view *view, size_t to)
{
	size_t nr = top->shown.nr;

	if (!nr)
		return;
	view->cursor = to < nr ? to : nr - 1;
	view->is_selected = true;
	view->pid = top->shown.at[view->cursor]->pid;
	view->tid = top->shown.at[view->cursor]->tid;
}

static size_t minus(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

/* the first key only begins to select */
static void move_by_key(const struct ebb_top *top, struct ebb_top_view *view, int key, size_t page)
{
	size_t at = view->cursor;

	if (key == EBB_TOP_KEY_UP)
		move(top, view, minus(at, 1));
	else if (key == EBB_TOP_KEY_DOWN)
		move(top, view, view->is_selected ? at + 1 : 0);
	else if (key == EBB_TOP_KEY_PAGE_UP)
		move(top, view, minus(at, page));
	else if (key == EBB_TOP_KEY_PAGE_DOWN)
		move(top, view, at + page);
	else if (key == EBB_TOP_KEY_END)
		move(top, view, minus(top->shown.nr, 1));
	else if (key == EBB_TOP_KEY_HOME && at)
		move(top, view, 0);
	else if (key == EBB_TOP_KEY_HOME)
		view->is_selected = false;
}

/* a thread of a tree stands for its process */
static void expand(struct ebb_top_view *view, int key)
{
	bool is_expanded = ebb_top_is_expanded(view, view->pid);

	if (!view->is_selected || view->is_threads || view->is_tree)
		return;
	if ((key == EBB_TOP_KEY_RIGHT && is_expanded) || (key == EBB_TOP_KEY_LEFT && !is_expanded))
		return;
	if (is_expanded)
		view->tid = 0;
	ebb_top_toggle(view, view->pid);
}

static void expand_all(struct ebb_top_view *view)
{
	view->is_tree = !view->is_tree;
	view->is_threads = false;
	if (view->is_tree)
		return;
	view->nr_expanded = 0;
	view->tid = 0;
}

static void sort_by(struct ebb_top_view *view, enum ebb_top_sort sort)
{
	view->sort = sort;
	view->is_reversed = false;
}

static bool sort_by_key(struct ebb_top_view *view, int key)
{
	static const struct {
		char key;
		enum ebb_top_sort sort;
	} keys[] = {
		{ 'M', EBB_TOP_MAJOR }, { 'm', EBB_TOP_MINOR },	  { 'F', EBB_TOP_TOTAL },
		{ 'R', EBB_TOP_RSS },	{ 'T', EBB_TOP_THREADS }, { 'P', EBB_TOP_PID },
		{ 'N', EBB_TOP_NAME },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].key == key) {
			sort_by(view, keys[i].sort);
			return true;
		}
	}
	if (key == '>')
		sort_by(view, (view->sort + 1) % EBB_TOP_NR_SORTS);
	else if (key == '<')
		sort_by(view, (view->sort + EBB_TOP_NR_SORTS - 1) % EBB_TOP_NR_SORTS);
	return key == '<' || key == '>';
}

static void switch_threads(struct ebb_top_view *view)
{
	view->is_threads = !view->is_threads;
	view->is_tree = false;
	view->is_selected = false;
}

bool ebb_top_press(struct ebb_top *top, struct ebb_top_view *view, int key, size_t page)
{
	if (view->is_help) {
		view->is_help = false;
		return key != 'q';
	}
	if (view->is_typing) {
		type(view, key);
		return true;
	}
	if (sort_by_key(view, key))
		return true;
	switch (key) {
	case 'q':
		return false;
	case 'h':
	case '?':
		view->is_help = true;
		break;
	case 'r':
		view->is_reversed = !view->is_reversed;
		break;
	case '/':
		view->is_typing = true;
		break;
	case EBB_TOP_KEY_ESCAPE:
		view->filter[0] = '\0';
		break;
	case 't':
		switch_threads(view);
		break;
	case 'E':
		expand_all(view);
		break;
	case 'e':
	case EBB_TOP_KEY_ENTER:
	case EBB_TOP_KEY_RIGHT:
	case EBB_TOP_KEY_LEFT:
		expand(view, key);
		break;
	default:
		move_by_key(top, view, key, page);
	}
	return true;
}

void ebb_top_scroll(const struct ebb_top *top, struct ebb_top_view *view, size_t page)
{
	size_t last = minus(top->shown.nr, page);

	if (view->first > last)
		view->first = last;
	if (view->cursor < view->first)
		view->first = view->cursor;
	else if (page && view->cursor >= view->first + page)
		view->first = view->cursor - page + 1;
}
