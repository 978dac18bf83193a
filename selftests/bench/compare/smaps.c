// SPDX-License-Identifier: GPL-2.0
/* smaps, then clear_refs: tells how much of each mapping was touched, not which pages. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

static const char *missing(void)
{
	return access("/proc/self/clear_refs", F_OK) ? "needs CONFIG_PROC_PAGE_MONITOR" : NULL;
}

static void clear(struct target *target)
{
	int fd = open_proc(target, "clear_refs", O_WRONLY);

	if (write(fd, "1", 1) != 1)
		tap_bail("clear_refs: %s", strerror(errno));
	close(fd);
}

/* The sum of "Referenced" of the mappings that the target's memory is made of. */
static size_t referenced_kib(struct target *target)
{
	unsigned long start, end, begin = (unsigned long)target->toucher.mem;
	int fd = open_proc(target, "smaps", O_RDONLY);
	FILE *file = fdopen(fd, "r");
	size_t kib, sum = 0;
	bool is_ours = false;
	char line[512];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			is_ours = start < begin + target->toucher.nr * PAGE && end > begin;
		else if (is_ours && sscanf(line, "Referenced: %zu", &kib) == 1)
			sum += kib;
	}
	fclose(file);
	return sum;
}

static void end_interval(struct target *target, struct answer *answer)
{
	answer->nr_hot = referenced_kib(target) * 1024 / PAGE;
	clear(target);
}

const struct contender contender_smaps = {
	.name = "clear_refs + smaps",
	.sees = "a total",
	.missing = missing,
	.begin = clear,
	.end = end_interval,
};
