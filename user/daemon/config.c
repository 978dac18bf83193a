// SPDX-License-Identifier: GPL-2.0
#include "daemon/config.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

#define NAME_MAX_BYTES 64

enum kind {
	DURATION,
	NUMBER,
	TEXT
};

struct key {
	const char *group;
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t min;
	uint64_t max;
};

/* the next setting: one row here, one line in struct ebb_config and in etc/ebbd.conf */
static const struct key keys[] = {
	{ "collector", "interval", DURATION, offsetof(struct ebb_config, interval_ns),
	  100 * EBB_NSEC_PER_MSEC, 3600 * EBB_NSEC_PER_SEC },
	{ "collector", "max_tasks", NUMBER, offsetof(struct ebb_config, max_tasks), 1024,
	  16 << 20 },
	{ "metrics", "listen", TEXT, offsetof(struct ebb_config, listen), 0, 0 },
	{ "metrics", "max_series", NUMBER, offsetof(struct ebb_config, max_series), 1, 1 << 20 },
};
#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

struct reading {
	const char *path;
	unsigned int lines[NR_KEYS]; /* where each key is given; 0: not */
	bool is_bad;
};

void ebb_config_defaults(struct ebb_config *config)
{
	*config = (struct ebb_config){
		.interval_ns = 5 * EBB_NSEC_PER_SEC,
		.max_tasks = 262144,
		.listen = "127.0.0.1:9464",
		.max_series = 10000,
	};
}

static bool is_group_known(const char *group)
{
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!strcmp(keys[i].group, group))
			return true;
	}
	return false;
}

static int find_key(const char *group, const char *name)
{
	for (size_t i = 0; i < NR_KEYS; i++) {
		if (!strcmp(keys[i].group, group) && !strcmp(keys[i].name, name))
			return (int)i;
	}
	return -1;
}

static void check_key(struct reading *reading, unsigned int line, const char *group,
		      const char *name)
{
	int at = find_key(group, name);

	if (at < 0) {
		ebb_err("%s:%u: there is no key '%s' in [%s]", reading->path, line, name, group);
		reading->is_bad = true;
	} else if (reading->lines[at]) {
		ebb_err("%s:%u: '%s' was given in line %u already", reading->path, line, name,
			reading->lines[at]);
		reading->is_bad = true;
	} else {
		reading->lines[at] = line;
	}
}

/* GKeyFile knows no line numbers and takes what it does not know: look at the lines before */
static void check_line(struct reading *reading, unsigned int line, char *text,
		       char group[NAME_MAX_BYTES])
{
	char *end;

	g_strstrip(text);
	if (!*text || *text == '#')
		return;
	end = strchr(text, *text == '[' ? ']' : '=');
	if (!end) {
		ebb_err("%s:%u: neither [GROUP] nor KEY=VALUE: '%s'", reading->path, line, text);
		reading->is_bad = true;
		return;
	}
	*end = '\0';
	if (*text != '[') {
		check_key(reading, line, group, g_strchomp(text));
		return;
	}
	snprintf(group, NAME_MAX_BYTES, "%s", text + 1);
	if (!is_group_known(group)) {
		ebb_err("%s:%u: there is no group [%s]", reading->path, line, group);
		reading->is_bad = true;
	}
}

static void check_lines(struct reading *reading, const char *text)
{
	char group[NAME_MAX_BYTES] = "";
	char **lines = g_strsplit(text, "\n", -1);

	for (unsigned int i = 0; lines[i]; i++)
		check_line(reading, i + 1, lines[i], group);
	g_strfreev(lines);
}

static const char *take_number(const struct key *key, const char *text, struct ebb_config *config)
{
	static char limits[96];
	const char *why = NULL;
	uint64_t value = 0;

	if (key->kind == DURATION)
		ebb_parse_duration(text, &value, &why);
	else
		ebb_parse_u64(text, &value, &why);
	if (why)
		return why;
	if (value < key->min || value > key->max) {
		snprintf(limits, sizeof(limits), "it is not between %lu and %lu%s", key->min,
			 key->max, key->kind == DURATION ? " ns" : "");
		return limits;
	}
	*(uint64_t *)((char *)config + key->offset) = value;
	return NULL;
}

static const char *take_text(const struct key *key, const char *text, struct ebb_config *config)
{
	if (!*text)
		return "it is empty";
	if (strlen(text) >= EBB_CONFIG_TEXT_MAX)
		return "it is too long";
	strcpy((char *)config + key->offset, text);
	return NULL;
}

static void take_values(struct reading *reading, GKeyFile *file, struct ebb_config *config)
{
	for (size_t i = 0; i < NR_KEYS; i++) {
		const struct key *key = &keys[i];
		const char *why;
		char *text;

		if (!reading->lines[i])
			continue;
		text = g_key_file_get_string(file, key->group, key->name, NULL);
		if (!text)
			why = "it is not text in UTF-8";
		else if (key->kind == TEXT)
			why = take_text(key, text, config);
		else
			why = take_number(key, text, config);
		if (why) {
			ebb_err("%s:%u: %s '%s': %s", reading->path, reading->lines[i], key->name,
				text ? text : "", why);
			reading->is_bad = true;
		}
		g_free(text);
	}
}

static int take_file(const char *path, const char *text, size_t size, struct ebb_config *config)
{
	struct reading reading = { .path = path };
	GKeyFile *file = g_key_file_new();
	struct ebb_config fresh;
	GError *error = NULL;

	ebb_config_defaults(&fresh);
	check_lines(&reading, text);
	if (!reading.is_bad &&
	    !g_key_file_load_from_data(file, text, size, G_KEY_FILE_NONE, &error)) {
		ebb_err("%s: %s", path, error->message);
		g_error_free(error);
		reading.is_bad = true;
	}
	if (!reading.is_bad)
		take_values(&reading, file, &fresh);
	g_key_file_free(file);
	if (reading.is_bad)
		return -EINVAL;
	*config = fresh;
	return 0;
}

int ebb_config_read(const char *path, struct ebb_config *config)
{
	GError *error = NULL;
	char *text;
	gsize size;
	int err;

	if (!g_file_get_contents(path, &text, &size, &error)) {
		ebb_err("cannot read the configuration: %s", error->message);
		g_error_free(error);
		return -ENOENT;
	}
	if (memchr(text, '\0', size)) {
		ebb_err("%s: holds NUL bytes, it is no text", path);
		err = -EINVAL;
	} else {
		err = take_file(path, text, size, config);
	}
	g_free(text);
	return err;
}
