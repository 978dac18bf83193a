// SPDX-License-Identifier: GPL-2.0
#include "base/text.h"

#include <string.h>
#include <wchar.h>

static size_t sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

static int is_valid(uint32_t code, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

size_t ebb_utf8_next(const char *text, size_t len, uint32_t *code)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned char first = (unsigned char)text[0];
	size_t n = sequence_length(first);
	uint32_t value;

	if (!n || n > len)
		return 0;
	value = first & mask[n];
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (!is_valid(value, n))
		return 0;
	if (code)
		*code = value;
	return n;
}

static int is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

void ebb_text_printable(char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t code = 0;

		n = ebb_utf8_next(text + i, len - i, &code);
		if (n && !is_control(code))
			continue;
		if (!n)
			n = 1;
		memset(text + i, '?', n);
	}
}

static size_t char_width(uint32_t code)
{
	int width = wcwidth((wchar_t)code);

	return width < 0 ? 1 : (size_t)width;
}

/* bytes of the first character; a byte that is not UTF-8 counts as one */
static size_t next_char(const char *text, size_t len, size_t *width)
{
	uint32_t code = '?';
	size_t n = ebb_utf8_next(text, len, &code);

	*width = char_width(code);
	return n ? n : 1;
}

size_t ebb_text_width(const char *text)
{
	size_t len = strlen(text), columns = 0, width;

	for (size_t i = 0; i < len; columns += width)
		i += next_char(text + i, len - i, &width);
	return columns;
}

void ebb_text_cut(char *text, size_t columns)
{
	size_t len = strlen(text), used = 0, i = 0;

	if (!columns) {
		*text = '\0';
		return;
	}
	if (ebb_text_width(text) <= columns)
		return;
	while (i < len) {
		size_t width, n = next_char(text + i, len - i, &width);

		if (used + width > columns - 1)
			break;
		used += width;
		i += n;
	}
	strcpy(text + i, "~");
}
