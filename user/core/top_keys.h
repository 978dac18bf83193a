/* SPDX-License-Identifier: GPL-2.0 */
/* What the keys of `ebb top` do to its view. Pure: the screen tells the keys. */
#ifndef EBB_CORE_TOP_KEYS_H
#define EBB_CORE_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

struct ebb_top;
struct ebb_top_view;

/** enum ebb_top_key - keys that are no characters */
enum ebb_top_key {
	EBB_TOP_KEY_UP = 0x1000,
	EBB_TOP_KEY_DOWN,
	EBB_TOP_KEY_LEFT,
	EBB_TOP_KEY_RIGHT,
	EBB_TOP_KEY_PAGE_UP,
	EBB_TOP_KEY_PAGE_DOWN,
	EBB_TOP_KEY_HOME,
	EBB_TOP_KEY_END,
	EBB_TOP_KEY_ENTER,
	EBB_TOP_KEY_BACKSPACE,
	EBB_TOP_KEY_ESCAPE,
};

/**
 * ebb_top_press() - a key was pressed
 * @top: the model, arranged
 * @view: changed as the key wants; ebb_top_arrange() is due then
 * @key: a character or &enum ebb_top_key; others do nothing
 * @page: rows on the screen
 *
 * Return: false when the key ends the program.
 */
bool ebb_top_press(struct ebb_top *top, struct ebb_top_view *view, int key, size_t page);

/** ebb_top_scroll() - choose the first row on a screen of @page rows, so that the cursor is on it */
void ebb_top_scroll(const struct ebb_top *top, struct ebb_top_view *view, size_t page);

/** ebb_top_help() - line @i of the help on keys, NULL behind the last */
const char *ebb_top_help(size_t i);

#endif /* EBB_CORE_TOP_KEYS_H */
