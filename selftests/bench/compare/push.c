// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "nl.h"
#include "pagemap.h"
#include "push.h"
#include "tap.h"
#include "target.h"

static struct nl nl;

static size_t by_ebb(const struct target *target)
{
	uint64_t start = (uint64_t)target->toucher.mem, outcomes[__EBB_OUTCOME_MAX];
	struct ebb_range range = { start, start + target->toucher.nr * PAGE };

	if (nl_reclaim(&nl, target->toucher.pid, &range, 1, 0, outcomes))
		tap_bail("RECLAIM: %s", nl.text);
	return outcomes[EBB_OUTCOME_RECLAIMED];
}

static size_t by_madvise(const struct target *target)
{
	struct iovec vec = { target->toucher.mem, target->toucher.nr * PAGE };
	int fd = syscall(SYS_pidfd_open, target->toucher.pid, 0);
	ssize_t len = syscall(SYS_process_madvise, fd, &vec, 1, MADV_PAGEOUT, 0);

	if (len < 0)
		tap_bail("process_madvise: %s", strerror(errno));
	close(fd);
	return (size_t)len / PAGE;
}

static const struct {
	const char *name;
	size_t (*fn)(const struct target *target);
} ways[NR_PUSHES] = {
	{ "ebb", by_ebb },
	{ "process_madvise(MADV_PAGEOUT)", by_madvise },
};

static void push_once(struct target *target, size_t way, struct push *push)
{
	double begin;

	target_epoch(target, 0, 0); /* all pages are in memory again */
	begin = now_us();
	push->said += ways[way].fn(target);
	push->us[push->nr_rounds++] = now_us() - begin;
	push->stayed += pagemap_present(target->toucher.pid, (uint64_t)target->toucher.mem,
					target->toucher.nr);
}

void measure_pushes(size_t mib, unsigned int rounds, struct push pushes[NR_PUSHES])
{
	struct target target;
	unsigned int round;
	size_t way;

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	target_layout(LAYOUT_HOT, 100);
	target_start(&target, mib * MIB / PAGE);
	memset(pushes, 0, NR_PUSHES * sizeof(*pushes));
	for (way = 0; way < NR_PUSHES; way++) {
		pushes[way].name = ways[way].name;
		pushes[way].nr_pages = target.toucher.nr;
	}
	for (round = 0; round < rounds; round++) {
		for (way = 0; way < NR_PUSHES; way++)
			push_once(&target, (way + round) % NR_PUSHES,
				  &pushes[(way + round) % NR_PUSHES]);
	}
	target_stop(&target);
	nl_close(&nl);
}
