/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of `ebb top`: ncurses, and nothing that knows what the rows are. */
#ifndef EBB_CMD_TOP_SCREEN_H
#define EBB_CMD_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct ebb_top;
struct ebb_top_screen;
struct ebb_top_view;

/**
 * ebb_top_screen_open() - take over the terminal of standard input and output
 * @why: on failure: what is missing and what to do
 * @size: of @why
 *
 * Context: after ebb_signals_init(), or ncurses takes the signals.
 *
 * Return: the screen, or NULL.
 */
struct ebb_top_screen *ebb_top_screen_open(char *why, size_t size);

/**
 * ebb_top_screen_draw() - show the model
 * @screen: the screen
 * @top: the model, arranged
 * @view: how; its first row may change
 * @note: for the last line, or NULL for the most used keys
 *
 * Return: 0 or -ENOMEM.
 */
int ebb_top_screen_draw(struct ebb_top_screen *screen, const struct ebb_top *top,
			struct ebb_top_view *view, const char *note);

/**
 * ebb_top_screen_keys() - do what the keys want that were pressed; does not wait
 * @screen: the screen
 * @top: the model
 * @view: changed; the model is arranged again
 *
 * Return: false when one of them ends the program.
 */
bool ebb_top_screen_keys(struct ebb_top_screen *screen, struct ebb_top *top,
			 struct ebb_top_view *view);

/** ebb_top_screen_close() - give the terminal back as it was; NULL is allowed */
void ebb_top_screen_close(struct ebb_top_screen *screen);

#endif /* EBB_CMD_TOP_SCREEN_H */
