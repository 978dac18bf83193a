// SPDX-License-Identifier: GPL-2.0
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

void ebb_json_init(struct ebb_json *json, FILE *out)
{
	memset(json, 0, sizeof(*json));
	json->out = out;
}

static void write_escape(FILE *out, unsigned char c)
{
	static const char *const names = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *p = names; *p; p += 2) {
		if ((unsigned char)*p == c) {
			fprintf(out, "\\%c", p[1]);
			return;
		}
	}
	fprintf(out, "\\u%04x", c);
}

static size_t write_char(FILE *out, const char *text, size_t len)
{
	unsigned char c = (unsigned char)*text;
	size_t n = ebb_utf8_next(text, len, NULL);

	if (!n) {
		fputs("\\ufffd", out);
		return 1;
	}
	if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
		write_escape(out, c);
	else
		fwrite(text, 1, n, out);
	return n;
}

static void write_string(FILE *out, const char *text)
{
	size_t len = strlen(text);

	putc('"', out);
	for (size_t i = 0; i < len;)
		i += write_char(out, text + i, len - i);
	putc('"', out);
}

/* the comma and the key that come before a value */
static void begin_value(struct ebb_json *json, const char *key)
{
	if (json->depth) {
		size_t top = json->depth - 1;

		assert((json->closer[top] == '}') == (key != NULL));
		if (json->has_items[top])
			putc(',', json->out);
		json->has_items[top] = true;
	}
	if (key) {
		write_string(json->out, key);
		putc(':', json->out);
	}
}

static void open_scope(struct ebb_json *json, const char *key, const char brackets[2])
{
	assert(json->depth < EBB_JSON_DEPTH);
	begin_value(json, key);
	putc(brackets[0], json->out);
	json->closer[json->depth] = brackets[1];
	json->has_items[json->depth] = false;
	json->depth++;
}

void ebb_json_document(struct ebb_json *json, const char *verb)
{
	ebb_json_object(json, NULL);
	ebb_json_str(json, "schema", "ebb");
	ebb_json_u64(json, "version", 1);
	ebb_json_str(json, "verb", verb);
}

void ebb_json_object(struct ebb_json *json, const char *key)
{
	open_scope(json, key, "{}");
}

void ebb_json_array(struct ebb_json *json, const char *key)
{
	open_scope(json, key, "[]");
}

void ebb_json_end(struct ebb_json *json)
{
	assert(json->depth);
	putc(json->closer[--json->depth], json->out);
	if (!json->depth)
		putc('\n', json->out);
}

void ebb_json_end_all(struct ebb_json *json)
{
	while (json->depth)
		ebb_json_end(json);
}

void ebb_json_str(struct ebb_json *json, const char *key, const char *text)
{
	begin_value(json, key);
	if (text)
		write_string(json->out, text);
	else
		fputs("null", json->out);
}

void ebb_json_u64(struct ebb_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void ebb_json_i64(struct ebb_json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void ebb_json_addr(struct ebb_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void ebb_json_double(struct ebb_json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		ebb_json_null(json, key);
		return;
	}
	begin_value(json, key);
	fprintf(json->out, "%.6g", value);
}

void ebb_json_bool(struct ebb_json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void ebb_json_null(struct ebb_json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}
