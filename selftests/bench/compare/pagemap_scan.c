// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl PAGEMAP_SCAN (Linux 6.7), with asynchronous write protection by userfaultfd: writes
 * only, and the target has to do its part.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contender.h"
#include "tap.h"

/* what headers before 6.7 do not have */
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, anyof_mask, return_mask;
};

struct region {
	uint64_t start, end, categories;
};

#define SCAN _IOWR('f', 16, struct scan_arg)
#define SCAN_PROTECT 1 /* PM_SCAN_WP_MATCHING */
#define SCAN_CHECK 2 /* PM_SCAN_CHECK_WPASYNC */
#define IS_WRITTEN (1 << 1)
#define WP_UNPOPULATED (1 << 13)
#define WP_ASYNC (1 << 15)
#define NR_REGIONS 65536

static struct region regions[NR_REGIONS];
static int uffd; /* in the target */

static const char *missing(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct scan_arg arg = { .size = 0 };
	int err = ioctl(fd, SCAN, &arg) ? errno : 0;

	close(fd);
	return err == EINVAL ? NULL : "needs PAGEMAP_SCAN: Linux 6.7";
}

static void protect_self(struct toucher *self)
{
	struct uffdio_range range = { (unsigned long)self->mem, self->nr * PAGE };
	struct uffdio_register reg = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_api api = { .api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED };

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg))
		_exit(1);
}

static void unprotect_self(struct toucher *self)
{
	close(uffd);
}

static void open_uffd(struct target *target)
{
	if (!toucher_do(&target->toucher, protect_self))
		tap_bail("the target cannot have asynchronous write protection");
}

static void close_uffd(struct target *target)
{
	if (!toucher_do(&target->toucher, unprotect_self))
		tap_bail("the target is gone");
}

static void take(const struct target *target, struct answer *answer, int nr)
{
	uint64_t begin = (uint64_t)target->toucher.mem;
	int i;

	for (i = 0; answer && i < nr; i++)
		memset(answer->hot + (regions[i].start - begin) / PAGE, 1,
		       (regions[i].end - regions[i].start) / PAGE);
}

static void end_interval(struct target *target, struct answer *answer)
{
	struct scan_arg arg = {
		.size = sizeof(arg),
		.flags = SCAN_PROTECT | SCAN_CHECK,
		.start = (uint64_t)target->toucher.mem,
		.end = (uint64_t)target->toucher.mem + target->toucher.nr * PAGE,
		.vec = (uint64_t)regions,
		.vec_len = NR_REGIONS,
		.mask = IS_WRITTEN,
		.return_mask = IS_WRITTEN,
	};
	int fd = open_proc(target, "pagemap", O_RDONLY), nr;

	for (; arg.start < arg.end; arg.start = arg.walk_end) {
		nr = ioctl(fd, SCAN, &arg);
		if (nr < 0)
			tap_bail("PAGEMAP_SCAN: %s", strerror(errno));
		take(target, answer, nr);
	}
	if (answer)
		answer->nr_told = target->toucher.nr;
	close(fd);
}

static void begin(struct target *target)
{
	end_interval(target, NULL);
}

const struct contender contender_pagemap_scan = {
	.name = "PAGEMAP_SCAN",
	.sees = "writes",
	.missing = missing,
	.open = open_uffd,
	.begin = begin,
	.end = end_interval,
	.close = close_uffd,
};
