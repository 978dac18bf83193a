// SPDX-License-Identifier: GPL-2.0
#include "cmd/top_screen.h"

#include <errno.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/top.h"
#include "core/top_keys.h"
#include "core/top_text.h"

#include <term.h> /* last: its macros have names such as "columns" */

#define HEAD_LINES 3
#define FIRST_ROW (HEAD_LINES + 1) /* behind the columns' headings */
#define ESCAPE_DELAY_MS 100

static const char hints[] = "q end  h help  / filter  < > sort  r reverse  t threads  e expand";

struct ebb_top_screen {
	SCREEN *screen;
};

/* asked first, since newterm() does not give back all memory when it fails */
static bool is_known_terminal(void)
{
	int err;

	if (setupterm(NULL, STDOUT_FILENO, &err) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

struct ebb_top_screen *ebb_top_screen_open(char *why, size_t size)
{
	struct ebb_top_screen *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		snprintf(why, size, "standard input and output are not a terminal");
		return NULL;
	}
	screen = calloc(1, sizeof(*screen));
	if (!screen) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	screen->screen = is_known_terminal() ? newterm(NULL, stdout, stdin) : NULL;
	if (!screen->screen) {
		snprintf(why, size, "terminals of type TERM='%s' are not known",
			 getenv("TERM") ? getenv("TERM") : "");
		free(screen);
		return NULL;
	}
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	return screen;
}

static size_t page_rows(void)
{
	return LINES > FIRST_ROW + 2 ? (size_t)(LINES - FIRST_ROW - 1) : 1;
}

/* cut, since curses goes on in the next line */
static void put_line(int y, char *line, bool is_marked)
{
	ebb_text_cut(line, COLS > 0 ? (size_t)COLS : 1);
	if (is_marked)
		attron(A_REVERSE);
	mvaddstr(y, 0, line);
	if (is_marked) {
		for (int x = getcurx(stdscr); getcury(stdscr) == y && x < COLS - 1; x++)
			addch(' ');
		attroff(A_REVERSE);
	}
}

static void put_text(char *text, int marked, int marked_too)
{
	char *line, *rest = text;

	for (int y = 0; y < LINES - 1 && (line = strsep(&rest, "\n")) && rest; y++)
		put_line(y, line, y == marked || y == marked_too);
}

static void put_help(void)
{
	for (int i = 0; ebb_top_help((size_t)i) && i < LINES - 1; i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s", ebb_top_help((size_t)i));
		put_line(i, line, false);
	}
}

static void put_last_line(const char *note)
{
	char line[256];

	snprintf(line, sizeof(line), "%s", note ? note : hints);
	put_line(LINES - 1, line, false);
}

static int put_rows(const struct ebb_top *top, struct ebb_top_view *view)
{
	int cursor = -1, err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	ebb_top_scroll(top, view, page_rows());
	ebb_top_head(top, view, out);
	err = ebb_top_text(top, view, view->first, page_rows(), (size_t)COLS, out);
	if (fclose(out))
		err = -ENOMEM;
	if (view->is_selected)
		cursor = FIRST_ROW + (int)(view->cursor - view->first);
	if (!err)
		put_text(text, HEAD_LINES, cursor);
	free(text);
	return err;
}

int ebb_top_screen_draw(struct ebb_top_screen *screen, const struct ebb_top *top,
			struct ebb_top_view *view, const char *note)
{
	int err = 0;

	erase();
	if (view->is_help)
		put_help();
	else
		err = put_rows(top, view);
	put_last_line(note);
	refresh();
	return err;
}

static int translate(int key)
{
	static const struct {
		int from;
		int to;
	} keys[] = {
		{ KEY_UP, EBB_TOP_KEY_UP },	    { KEY_DOWN, EBB_TOP_KEY_DOWN },
		{ KEY_LEFT, EBB_TOP_KEY_LEFT },	    { KEY_RIGHT, EBB_TOP_KEY_RIGHT },
		{ KEY_PPAGE, EBB_TOP_KEY_PAGE_UP }, { KEY_NPAGE, EBB_TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, EBB_TOP_KEY_HOME },	    { KEY_END, EBB_TOP_KEY_END },
		{ KEY_ENTER, EBB_TOP_KEY_ENTER },   { '\n', EBB_TOP_KEY_ENTER },
		{ '\r', EBB_TOP_KEY_ENTER },	    { KEY_BACKSPACE, EBB_TOP_KEY_BACKSPACE },
		{ 0x7f, EBB_TOP_KEY_BACKSPACE },    { '\b', EBB_TOP_KEY_BACKSPACE },
		{ 0x1b, EBB_TOP_KEY_ESCAPE },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].from == key)
			return keys[i].to;
	}
	return key;
}

bool ebb_top_screen_keys(struct ebb_top_screen *screen, struct ebb_top *top,
			 struct ebb_top_view *view)
{
	int key;

	while ((key = getch()) != ERR) {
		/* curses has taken the new size already */
		if (key == KEY_RESIZE)
			continue;
		if (!ebb_top_press(top, view, translate(key), page_rows()))
			return false;
		ebb_top_arrange(top, view);
	}
	return true;
}

void ebb_top_screen_close(struct ebb_top_screen *screen)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen->screen);
	free(screen);
}
