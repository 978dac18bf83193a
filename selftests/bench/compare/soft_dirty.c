// SPDX-License-Identifier: GPL-2.0
/* Soft-dirty bits of pagemap: writes only, each at the price of a page fault. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

#define SOFT_DIRTY (1ULL << 55)
#define PRESENT (1ULL << 63)

static void take(const uint64_t *entries, size_t first, size_t nr, void *arg)
{
	struct answer *answer = arg;
	size_t i;

	for (i = 0; i < nr; i++) {
		answer->nr_told += entries[i] & PRESENT ? 1 : 0;
		answer->hot[first + i] = entries[i] & SOFT_DIRTY ? 1 : 0;
	}
}

static void look_at_self(const uint64_t *entries, size_t first, size_t nr, void *arg)
{
	*(uint64_t *)arg = entries[0];
}

/* A page that was just written to is dirty, where there is such a thing. */
static const char *missing(void)
{
	static char page[2 * PAGE];
	char *mem = page + PAGE - (unsigned long)page % PAGE;
	struct target self = { .toucher = { .pid = getpid(), .mem = mem, .nr = 1 } };
	uint64_t entry;

	*(volatile char *)mem = 1;
	read_pagemap(&self, look_at_self, &entry);
	return entry & SOFT_DIRTY ? NULL : "needs CONFIG_MEM_SOFT_DIRTY";
}

static void clear(struct target *target)
{
	int fd = open_proc(target, "clear_refs", O_WRONLY);

	if (write(fd, "4", 1) != 1)
		tap_bail("clear_refs: %s", strerror(errno));
	close(fd);
}

static void end_interval(struct target *target, struct answer *answer)
{
	read_pagemap(target, take, answer);
	clear(target);
}

const struct contender contender_soft_dirty = {
	.name = "soft-dirty",
	.sees = "writes",
	.missing = missing,
	.begin = clear,
	.end = end_interval,
};
