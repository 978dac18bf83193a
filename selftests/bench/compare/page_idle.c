// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/mm/page_idle/bitmap: one bit for each page frame, which pagemap names. Setting a bit
 * makes the page idle, and it reads as clear once the page was touched.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

#define BITMAP "/sys/kernel/mm/page_idle/bitmap"
#define PFN ((1ULL << 55) - 1)
#define PRESENT (1ULL << 63)
#define NR_WORDS (1UL << 20) /* 256 GiB of page frames */

static uint64_t *frames; /* by page of the target */
static uint64_t *mine; /* the target's frames, as a bitmap */
static uint64_t *idle; /* as read */
static int fd = -1;

static const char *missing(void)
{
	return access(BITMAP, W_OK) ? "needs CONFIG_IDLE_PAGE_TRACKING" : NULL;
}

static void open_bitmap(struct target *target)
{
	frames = calloc(target->toucher.nr, sizeof(*frames));
	mine = calloc(NR_WORDS, sizeof(*mine));
	idle = calloc(NR_WORDS, sizeof(*idle));
	fd = open(BITMAP, O_RDWR | O_CLOEXEC);
	if (!frames || !mine || !idle || fd < 0)
		tap_bail(BITMAP ": %s", strerror(errno));
}

static void close_bitmap(struct target *target)
{
	free(frames);
	free(mine);
	free(idle);
	close(fd);
}

static void take_frames(const uint64_t *entries, size_t first, size_t nr, void *arg)
{
	uint64_t frame;
	size_t i;

	for (i = 0; i < nr; i++) {
		frame = entries[i] & PRESENT ? entries[i] & PFN : 0;
		if (frame / 64 >= NR_WORDS)
			tap_bail("page frame %llu: too much memory", (unsigned long long)frame);
		frames[first + i] = frame;
		if (frame)
			mine[frame / 64] |= 1ULL << frame % 64;
	}
}

/* Read or write the words that have frames of the target, in pieces without gaps. */
static void transfer(uint64_t *words, bool write)
{
	size_t first, next;
	ssize_t len;

	for (first = 0; first < NR_WORDS; first = next + 1) {
		for (next = first; next < NR_WORDS && mine[next]; next++)
			;
		if (next == first)
			continue;
		len = (next - first) * 8;
		if ((write ? pwrite(fd, words + first, len, first * 8)
			   : pread(fd, words + first, len, first * 8)) != len)
			tap_bail(BITMAP ": %s", strerror(errno));
	}
}

static void begin(struct target *target)
{
	memset(mine, 0, NR_WORDS * 8);
	read_pagemap(target, take_frames, NULL);
	transfer(mine, true);
}

static void end_interval(struct target *target, struct answer *answer)
{
	size_t i;

	memset(mine, 0, NR_WORDS * 8);
	read_pagemap(target, take_frames, NULL);
	transfer(idle, false);
	for (i = 0; i < target->toucher.nr; i++) {
		answer->nr_told += !!frames[i];
		answer->hot[i] = frames[i] && !(idle[frames[i] / 64] >> frames[i] % 64 & 1);
	}
	transfer(mine, true);
}

const struct contender contender_page_idle = {
	.name = "page_idle",
	.sees = "pages",
	.missing = missing,
	.open = open_bitmap,
	.begin = begin,
	.end = end_interval,
	.close = close_bitmap,
};
