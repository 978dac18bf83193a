// SPDX-License-Identifier: GPL-2.0
#include "cmd/mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"

static int take_map(const struct ebb_proc_map *map, void *arg)
{
	struct ebb_mappings *mappings = arg;
	struct ebb_mapping *at = mappings->at;

	/* a power of two is full: double it */
	if (!(mappings->nr & (mappings->nr - 1))) {
		at = reallocarray(at, mappings->nr ? 2 * mappings->nr : 1, sizeof(*at));
		if (!at)
			return -ENOMEM;
		mappings->at = at;
	}
	at += mappings->nr;
	memset(at, 0, sizeof(*at));
	at->start = map->start;
	at->end = map->end;
	memcpy(at->perms, map->perms, sizeof(at->perms));
	at->path = strdup(map->path);
	if (!at->path)
		return -ENOMEM;
	mappings->nr++;
	return 0;
}

int ebb_mappings_read(struct ebb_mappings *mappings, pid_t pid)
{
	memset(mappings, 0, sizeof(*mappings));
	mappings->other.end = UINT64_MAX;
	memcpy(mappings->other.perms, "----", 5);
	return ebb_proc_maps(pid, take_map, mappings);
}

void ebb_mappings_free(struct ebb_mappings *mappings)
{
	for (size_t i = 0; i < mappings->nr; i++)
		free(mappings->at[i].path);
	free(mappings->at);
	memset(mappings, 0, sizeof(*mappings));
}

/* position of the first mapping that ends above @addr */
static size_t find(const struct ebb_mappings *mappings, uint64_t addr)
{
	size_t low = 0, high = mappings->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mappings->at[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_to(struct ebb_mapping *mapping, uint64_t bytes, enum ebb_page_sum sum)
{
	if (sum == EBB_PAGE_YOUNG)
		mapping->young += bytes;
	else if (sum == EBB_PAGE_IDLE)
		mapping->idle += bytes;
	else
		mapping->swap += bytes;
}

void ebb_mappings_add(struct ebb_mappings *mappings, uint64_t start, uint64_t bytes,
		      enum ebb_page_sum sum)
{
	uint64_t end = start + bytes;
	size_t at = find(mappings, start);

	while (start < end) {
		struct ebb_mapping *mapping = at < mappings->nr ? &mappings->at[at] : NULL;
		uint64_t next = end;

		if (mapping && start < mapping->start) {
			next = mapping->start < end ? mapping->start : end;
			add_to(&mappings->other, next - start, sum);
		} else if (mapping) {
			next = mapping->end < end ? mapping->end : end;
			add_to(mapping, next - start, sum);
			at++;
		} else {
			add_to(&mappings->other, next - start, sum);
		}
		start = next;
	}
}
