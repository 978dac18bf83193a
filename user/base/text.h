/* SPDX-License-Identifier: GPL-2.0 */
/* Text of unknown origin (names of processes and files): UTF-8, terminals. */
#ifndef EBB_BASE_TEXT_H
#define EBB_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/**
 * ebb_utf8_next() - length of the valid UTF-8 sequence at the beginning of a text
 * @text: the text
 * @len: its length in bytes, at least 1
 * @code: the code point; may be NULL
 *
 * Surrogates, overlong forms and code points above U+10FFFF are not valid.
 *
 * Return: 1 to 4, or 0 when the first byte begins no valid sequence.
 */
size_t ebb_utf8_next(const char *text, size_t len, uint32_t *code);

/**
 * ebb_text_printable() - make a text harmless for a terminal, in place
 * @text: NUL-terminated; control characters and bytes that are not UTF-8 become '?'
 */
void ebb_text_printable(char *text);

/**
 * ebb_text_width() - columns that a text takes on a terminal
 * @text: NUL-terminated, printable
 *
 * Return: the columns; East Asian wide characters count 2, combining ones 0 when the locale
 * knows them, else each character counts 1.
 */
size_t ebb_text_width(const char *text);

/**
 * ebb_text_cut() - shorten a text to fit a number of columns, in place
 * @text: NUL-terminated, printable
 * @columns: at most so many; when something is cut off, the last one is '~'
 */
void ebb_text_cut(char *text, size_t columns);

#endif
