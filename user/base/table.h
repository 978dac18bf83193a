/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of text: columns as wide as what is in them. */
#ifndef EBB_BASE_TABLE_H
#define EBB_BASE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "base/log.h"

struct ebb_table;

/**
 * struct ebb_column - one column of a table
 * @title: its heading
 * @is_right: aligned right, as numbers are; else left
 */
struct ebb_column {
	const char *title;
	int is_right;
};

/**
 * ebb_table_new() - begin a table
 * @columns: its columns, copied
 * @nr_columns: how many, at least 1
 *
 * Return: the table, or NULL without memory.
 */
struct ebb_table *ebb_table_new(const struct ebb_column *columns, size_t nr_columns);

/**
 * ebb_table_cell() - add the next cell; rows are filled from left to right
 * @table: the table
 * @fmt: printf format; what is unprintable becomes '?'
 *
 * A failed allocation is remembered and reported by ebb_table_print().
 */
void ebb_table_cell(struct ebb_table *table, const char *fmt, ...) EBB_PRINTF(2, 3);

/**
 * ebb_table_print() - write the table
 * @table: the table; an unfinished row is filled with empty cells
 * @out: where to
 * @width: columns of the terminal: the last column is cut to fit when it is aligned left;
 *	0: nothing is ever cut
 *
 * Return: 0, or -ENOMEM when cells are missing.
 */
int ebb_table_print(struct ebb_table *table, FILE *out, size_t width);

/**
 * ebb_table_free() - end a table
 * @table: the table or NULL
 */
void ebb_table_free(struct ebb_table *table);

/**
 * ebb_terminal_width() - how wide to make a table for a stream
 * @out: the stream
 *
 * Return: the columns of its terminal, or 0 when it is none (nothing is to be cut then).
 */
size_t ebb_terminal_width(FILE *out);

#endif
