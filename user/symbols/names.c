// SPDX-License-Identifier: GPL-2.0
#include "symbols/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel.h"

#define NR_BUCKETS 8192
#define MAX_NAMES 131072
#define NAME_MAX_BYTES 512

struct name {
	struct name *next;
	uint64_t addr;
	uint64_t kind; /* image and is_return, or KERNEL */
	char text[];
};
#define KERNEL UINT64_MAX

struct ebb_names {
	struct ebb_usyms *user;
	struct ebb_ksyms *kernel;
	size_t nr;
	struct name *buckets[NR_BUCKETS];
	char spare[NAME_MAX_BYTES]; /* the answer when there is no place for more */
};

static struct name **bucket_of(struct ebb_names *names, uint64_t addr, uint64_t kind)
{
	uint64_t hash = (addr ^ (kind << 48)) * 0xff51afd7ed558ccdULL;

	return &names->buckets[hash >> 51];
}

static const char *find_name(struct ebb_names *names, uint64_t addr, uint64_t kind)
{
	struct name *name = *bucket_of(names, addr, kind);

	while (name && !(name->addr == addr && name->kind == kind))
		name = name->next;
	return name ? name->text : NULL;
}

static const char *keep_name(struct ebb_names *names, uint64_t addr, uint64_t kind,
			     const char *text)
{
	struct name **bucket = bucket_of(names, addr, kind);
	struct name *name = NULL;

	if (names->nr < MAX_NAMES)
		name = malloc(sizeof(*name) + strlen(text) + 1);
	if (!name) {
		snprintf(names->spare, sizeof(names->spare), "%s", text);
		return names->spare;
	}
	name->addr = addr;
	name->kind = kind;
	strcpy(name->text, text);
	name->next = *bucket;
	*bucket = name;
	names->nr++;
	return name->text;
}

const char *ebb_names_user(struct ebb_names *names, uint32_t image, uint64_t addr, bool is_return)
{
	uint64_t kind = (uint64_t)image << 1 | is_return;
	const char *known = find_name(names, addr, kind);
	struct ebb_usym sym = { 0 };
	char text[NAME_MAX_BYTES];

	if (known)
		return known;
	if (names->user)
		ebb_usyms_find(names->user, addr, is_return, &sym);
	if (sym.name)
		snprintf(text, sizeof(text), "%.300s+0x%" PRIx64 " (%.150s)", sym.name, sym.offset,
			 sym.file);
	else if (sym.file)
		snprintf(text, sizeof(text), "0x%" PRIx64 " (%.150s)", sym.offset, sym.file);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	return keep_name(names, addr, kind, text);
}

const char *ebb_names_kernel(struct ebb_names *names, uint64_t addr)
{
	const char *known = find_name(names, addr, KERNEL);
	const char *name = NULL, *module = "";
	char text[NAME_MAX_BYTES];
	uint64_t offset = 0;

	if (known)
		return known;
	if (names->kernel)
		name = ebb_ksyms_find(names->kernel, addr, &offset, &module);
	if (name)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64 " (%s)", name, offset,
			 module[0] ? module : "kernel");
	else
		snprintf(text, sizeof(text), "0x%" PRIx64 " (kernel)", addr);
	return keep_name(names, addr, KERNEL, text);
}

struct ebb_names *ebb_names_open(struct ebb_usyms *user)
{
	struct ebb_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->user = user;
	/* hidden from us: addresses are shown then */
	names->kernel = ebb_ksyms_open();
	return names;
}

void ebb_names_close(struct ebb_names *names)
{
	struct name *name;

	if (!names)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		while ((name = names->buckets[i])) {
			names->buckets[i] = name->next;
			free(name);
		}
	}
	ebb_ksyms_close(names->kernel);
	free(names);
}
