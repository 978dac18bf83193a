/* SPDX-License-Identifier: GPL-2.0 */
/* JSON written as it comes: no tree in memory, always well-formed. */
#ifndef EBB_BASE_JSON_H
#define EBB_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EBB_JSON_DEPTH 16

/**
 * struct ebb_json - a writer; zeroed and given its stream by ebb_json_init()
 * @out: where to
 * @depth: open objects and arrays
 * @closer: of each of them, the character that ends it
 * @has_items: of each of them, whether a comma is due
 *
 * Every function that writes a value takes a key: its name inside an object, NULL inside an
 * array or at the top.
 */
struct ebb_json {
	FILE *out;
	size_t depth;
	char closer[EBB_JSON_DEPTH];
	bool has_items[EBB_JSON_DEPTH];
};

/** ebb_json_init() - begin to write to @out */
void ebb_json_init(struct ebb_json *json, FILE *out);

/**
 * ebb_json_document() - open the object that every verb's answer is
 * @json: a fresh writer
 * @verb: "scan"
 *
 * Writes the members "schema":"ebb", "version":1 and "verb", see Documentation/json.rst.
 */
void ebb_json_document(struct ebb_json *json, const char *verb);

/** ebb_json_object() - open an object */
void ebb_json_object(struct ebb_json *json, const char *key);

/** ebb_json_array() - open an array */
void ebb_json_array(struct ebb_json *json, const char *key);

/** ebb_json_end() - close the innermost object or array; the outermost ends the line */
void ebb_json_end(struct ebb_json *json);

/** ebb_json_end_all() - close all that is open, as after an interrupted work */
void ebb_json_end_all(struct ebb_json *json);

/**
 * ebb_json_str() - write a text
 * @json: the writer
 * @key: see &struct ebb_json
 * @text: any bytes; what is not UTF-8 becomes U+FFFD, one for each byte; NULL writes null
 */
void ebb_json_str(struct ebb_json *json, const char *key, const char *text);

/** ebb_json_u64() - write a number; note that some readers keep only 53 bits */
void ebb_json_u64(struct ebb_json *json, const char *key, uint64_t value);

/** ebb_json_i64() - write a number */
void ebb_json_i64(struct ebb_json *json, const char *key, int64_t value);

/** ebb_json_addr() - write an address as a text, "0x7f..." */
void ebb_json_addr(struct ebb_json *json, const char *key, uint64_t value);

/** ebb_json_double() - write a number; what is not finite becomes null */
void ebb_json_double(struct ebb_json *json, const char *key, double value);

/** ebb_json_bool() - write true or false */
void ebb_json_bool(struct ebb_json *json, const char *key, bool value);

/** ebb_json_null() - write null: not known */
void ebb_json_null(struct ebb_json *json, const char *key);

#endif
