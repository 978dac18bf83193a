// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

#define CHUNK 65536 /* entries */

/* The first one is what the others are compared with. */
const struct contender *const contenders[] = {
	&contender_ebb,	      &contender_ebb_no_flush, &contender_ebb_heat,
	&contender_smaps,     &contender_soft_dirty,   &contender_pagemap_scan,
	&contender_page_idle, &contender_damon,	       &contender_damon_tuned,
};
const size_t nr_contenders = sizeof(contenders) / sizeof(contenders[0]);

int open_proc(const struct target *target, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", target->toucher.pid, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		tap_bail("%s: %s", path, strerror(errno));
	return fd;
}

void write_file(const char *path, const char *fmt, ...)
{
	char text[128];
	va_list args;
	int fd = open(path, O_WRONLY | O_CLOEXEC), len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (fd < 0 || write(fd, text, len) != len)
		tap_bail("%s <- %s: %s", path, text, strerror(errno));
	close(fd);
}

void read_pagemap(const struct target *target,
		  void (*fn)(const uint64_t *entries, size_t first, size_t nr, void *arg),
		  void *arg)
{
	static uint64_t entries[CHUNK];
	size_t base = (unsigned long)target->toucher.mem / PAGE, first, nr;
	int fd = open_proc(target, "pagemap", O_RDONLY);

	for (first = 0; first < target->toucher.nr; first += nr) {
		nr = target->toucher.nr - first < CHUNK ? target->toucher.nr - first : CHUNK;
		if (pread(fd, entries, nr * 8, (base + first) * 8) != (ssize_t)(nr * 8))
			tap_bail("pagemap: %s", strerror(errno));
		fn(entries, first, nr, arg);
	}
	close(fd);
}
