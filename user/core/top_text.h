/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of `ebb top` as text and as JSON; screen, --batch and tests share it. Pure. */
#ifndef EBB_CORE_TOP_TEXT_H
#define EBB_CORE_TOP_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ebb_json;
struct ebb_top;
struct ebb_top_view;

/**
 * ebb_top_text() - write a heading and rows, a line each
 * @top: the model, arranged
 * @view: how it was arranged
 * @first: index of the first row
 * @nr: at most so many
 * @width: columns, see ebb_table_print()
 * @out: where to
 *
 * Return: 0 or -ENOMEM.
 */
int ebb_top_text(const struct ebb_top *top, const struct ebb_top_view *view, size_t first,
		 size_t nr, size_t width, FILE *out);

/** ebb_top_head() - write the sums and the view's state: three lines */
void ebb_top_head(const struct ebb_top *top, const struct ebb_top_view *view, FILE *out);

/**
 * ebb_top_json() - write one element of "intervals", see Documentation/json.rst
 * @top: the model, arranged
 * @view: how it was arranged
 * @time_ns: of the read, CLOCK_MONOTONIC
 * @json: the writer, in an array
 */
void ebb_top_json(const struct ebb_top *top, const struct ebb_top_view *view, uint64_t time_ns,
		  struct ebb_json *json);

#endif /* EBB_CORE_TOP_TEXT_H */
