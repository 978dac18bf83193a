// SPDX-License-Identifier: GPL-2.0
/* ebb's scan over netlink: bare, without the TLB flush, and as `ebb scan` does it, by libebb. */
#include <ebb/libebb.h>
#include <string.h>

#include "contender.h"
#include "nl.h"
#include "tap.h"

static struct nl nl;
static struct ebb_client *client;
static struct ebb_heat *heat;

struct take {
	struct target *target;
	struct answer *answer; /* NULL: not wanted */
};

static const char *missing(void)
{
	struct nl probe;

	if (nl_open(&probe))
		return "the module ebb is not loaded";
	nl_close(&probe);
	return NULL;
}

static void open_nl(struct target *target)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
}

static void close_nl(struct target *target)
{
	nl_close(&nl);
}

/* A run, as far as it is in the target's mapping. */
static void take_run(const struct ebb_run *run, void *arg)
{
	struct take *take = arg;
	uint64_t begin = (uint64_t)take->target->toucher.mem;
	uint64_t end = begin + take->target->toucher.nr * PAGE, start = run->start;
	uint64_t stop = start + ((uint64_t)run->nr_pages << run->page_shift);

	if (start < begin)
		start = begin;
	if (stop > end)
		stop = end;
	if (!take->answer || start >= stop || run->kind == EBB_RUN_SWAP)
		return;
	take->answer->nr_told += (stop - start) / PAGE;
	if (run->kind == EBB_RUN_YOUNG || run->kind == EBB_RUN_DIRTY)
		memset(take->answer->hot + (start - begin) / PAGE, 1, (stop - start) / PAGE);
}

static void scan(struct target *target, struct answer *answer, uint32_t flags)
{
	struct take take = { target, answer };
	uint64_t stats[__EBB_STAT_MAX];

	if (nl_scan(&nl, target->toucher.pid, 0, 0, flags, take_run, &take, stats))
		tap_bail("SCAN: %s", nl.text);
	if (answer)
		answer->inside_us = stats[EBB_STAT_SCAN_NS] / 1e3;
}

static void begin_flushed(struct target *target)
{
	scan(target, NULL, 0);
}

static void end_flushed(struct target *target, struct answer *answer)
{
	scan(target, answer, 0);
}

static void begin_unflushed(struct target *target)
{
	scan(target, NULL, EBB_SCAN_NO_FLUSH);
}

static void end_unflushed(struct target *target, struct answer *answer)
{
	scan(target, answer, EBB_SCAN_NO_FLUSH);
}

static void open_heat(struct target *target)
{
	int err = ebb_client_open(&client);

	if (err)
		tap_bail("libebb cannot talk to the module: %s", strerror(-err));
	heat = ebb_heat_new();
	if (!heat)
		tap_bail("out of memory");
}

static void close_heat(struct target *target)
{
	ebb_heat_free(heat);
	ebb_client_close(client);
}

static int take_runs(const struct ebb_run *runs, size_t nr, void *arg)
{
	int err = ebb_heat_add(heat, runs, nr);

	while (!err && nr--)
		take_run(runs++, arg);
	return err;
}

static void scan_heat(struct target *target, struct answer *answer)
{
	struct ebb_scan_request request = { .pid = target->toucher.pid };
	struct take take = { target, answer };
	struct ebb_scan_stats stats;
	int err;

	ebb_heat_begin(heat);
	err = ebb_client_scan(client, &request, take_runs, &take, &stats);
	if (err || ebb_heat_end(heat, true))
		tap_bail("ebb_client_scan(): %s", ebb_client_error(client));
	if (answer)
		answer->inside_us = stats.counts[EBB_STAT_SCAN_NS] / 1e3;
}

static void begin_heat(struct target *target)
{
	scan_heat(target, NULL);
}

const struct contender contender_ebb = {
	.name = "ebb",
	.sees = "pages",
	.is_exact = true,
	.missing = missing,
	.open = open_nl,
	.begin = begin_flushed,
	.end = end_flushed,
	.close = close_nl,
};

const struct contender contender_ebb_no_flush = {
	.name = "ebb, no flush",
	.sees = "pages",
	.missing = missing,
	.open = open_nl,
	.begin = begin_unflushed,
	.end = end_unflushed,
	.close = close_nl,
};

const struct contender contender_ebb_heat = {
	.name = "ebb + heat map",
	.sees = "pages",
	.is_exact = true,
	.missing = missing,
	.open = open_heat,
	.begin = begin_heat,
	.end = scan_heat,
	.close = close_heat,
};
