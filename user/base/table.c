// SPDX-License-Identifier: GPL-2.0
#include "base/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

#define GAP 2

struct ebb_table {
	struct ebb_column *columns;
	size_t nr_columns;
	char **cells; /* row by row */
	size_t nr_cells;
	size_t room;
	int error;
};

struct ebb_table *ebb_table_new(const struct ebb_column *columns, size_t nr_columns)
{
	struct ebb_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->columns = calloc(nr_columns, sizeof(*columns));
	if (!table->columns) {
		free(table);
		return NULL;
	}
	memcpy(table->columns, columns, nr_columns * sizeof(*columns));
	table->nr_columns = nr_columns;
	return table;
}

static int grow(struct ebb_table *table)
{
	size_t room = table->room ? 2 * table->room : 64;
	char **cells;

	if (table->nr_cells < table->room)
		return 0;
	cells = reallocarray(table->cells, room, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	table->cells = cells;
	table->room = room;
	return 0;
}

void ebb_table_cell(struct ebb_table *table, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	if (table->error)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0 || grow(table)) {
		if (n >= 0)
			free(text);
		table->error = -ENOMEM;
		return;
	}
	ebb_text_printable(text);
	table->cells[table->nr_cells++] = text;
}

static void measure(const struct ebb_table *table, size_t *widths)
{
	for (size_t c = 0; c < table->nr_columns; c++)
		widths[c] = ebb_text_width(table->columns[c].title);
	for (size_t i = 0; i < table->nr_cells; i++) {
		size_t width = ebb_text_width(table->cells[i]);
		size_t c = i % table->nr_columns;

		if (width > widths[c])
			widths[c] = width;
	}
}

static void cut_last_column(struct ebb_table *table, size_t *widths, size_t width)
{
	size_t last = table->nr_columns - 1, used = 0;

	for (size_t c = 0; c < last; c++)
		used += widths[c] + GAP;
	if (!width || table->columns[last].is_right || used + 8 > width ||
	    used + widths[last] <= width)
		return;
	widths[last] = width - used;
	for (size_t i = last; i < table->nr_cells; i += table->nr_columns)
		ebb_text_cut(table->cells[i], widths[last]);
}

/* blanks are due until something follows them: no line ends in blanks */
static void put_text(FILE *out, size_t *due, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "%*s%s", (int)*due, "", text);
	*due = 0;
}

static void print_cell(FILE *out, const struct ebb_table *table, const size_t *widths, size_t c,
		       const char *text, size_t *due)
{
	size_t spare = widths[c] - ebb_text_width(text);

	if (table->columns[c].is_right)
		*due += spare;
	put_text(out, due, text);
	if (!table->columns[c].is_right)
		*due += spare;
	*due += GAP;
	if (c == table->nr_columns - 1) {
		putc('\n', out);
		*due = 0;
	}
}

static void print_cells(FILE *out, const struct ebb_table *table, const size_t *widths)
{
	size_t due = 0;

	for (size_t c = 0; c < table->nr_columns; c++)
		print_cell(out, table, widths, c, table->columns[c].title, &due);
	for (size_t i = 0; i < table->nr_cells; i++)
		print_cell(out, table, widths, i % table->nr_columns, table->cells[i], &due);
}

int ebb_table_print(struct ebb_table *table, FILE *out, size_t width)
{
	size_t *widths = calloc(table->nr_columns, sizeof(*widths));

	if (!widths)
		return -ENOMEM;
	while (!table->error && table->nr_cells % table->nr_columns)
		ebb_table_cell(table, "%s", "");
	table->nr_cells -= table->nr_cells % table->nr_columns;
	measure(table, widths);
	cut_last_column(table, widths, width);
	print_cells(out, table, widths);
	free(widths);
	return table->error;
}

void ebb_table_free(struct ebb_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->columns);
	free(table);
}

size_t ebb_terminal_width(FILE *out)
{
	struct winsize size;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}
