// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "target.h"
#include "tap.h"

#define NR_PARTS 8
#define BLOCK_PAGES 512 /* of 2 MiB */
#define SEED 0x9e3779b97f4a7c15ULL

/* what the process is told, and tells; shared with it */
static struct orders {
	enum layout layout;
	unsigned int percent;
	unsigned int epoch;
	unsigned int ms;
	bool halt;
	double rate;
} volatile *orders;

/* A number that looks random, the same in each run. */
static uint64_t mix(uint64_t n)
{
	n = (n + 1) * SEED;
	n = (n ^ (n >> 31)) * SEED;
	return n ^ (n >> 29);
}

static void touch(struct toucher *toucher, volatile uint8_t *truth, size_t page, bool write)
{
	volatile char *at = toucher->mem + page * PAGE;

	if (write)
		*at = *at + 1;
	else
		(void)*at;
	truth[page] = 1;
}

static struct target *this; /* in the process: itself */

static size_t touch_hot(struct toucher *toucher, size_t step)
{
	size_t nr = toucher->nr * orders->percent / 100, i;

	for (i = 0; i < nr; i++)
		touch(toucher, this->truth, i * step, mix(i) & 1);
	return nr;
}

static size_t touch_part(struct toucher *toucher, unsigned int part, bool write)
{
	size_t nr = toucher->nr / NR_PARTS, i;

	for (i = 0; i < nr; i++)
		touch(toucher, this->truth, part * nr + i, write || mix(i) & 1);
	return nr;
}

static size_t touch_one_of_each(struct toucher *toucher, unsigned int part, unsigned int epoch)
{
	size_t first = toucher->nr / NR_PARTS * part, nr = toucher->nr / NR_PARTS / BLOCK_PAGES, i;

	for (i = 0; i < nr; i++)
		touch(toucher, this->truth,
		      first + i * BLOCK_PAGES + mix(epoch * nr + i) % BLOCK_PAGES, mix(i) & 1);
	return nr;
}

static size_t touch_reads(struct toucher *toucher)
{
	size_t nr = toucher->nr / NR_PARTS, i;

	for (i = 0; i < nr; i++)
		touch(toucher, this->truth, i, false);
	return nr;
}

static size_t touch_mixed(struct toucher *toucher, unsigned int epoch)
{
	size_t nr = touch_reads(toucher) + touch_part(toucher, 1, true);

	if (epoch % 2 == 0)
		nr += touch_part(toucher, 2, false);
	if (epoch % 4 == 0)
		nr += touch_part(toucher, 3, false);
	if (epoch % 8 == 0)
		nr += touch_part(toucher, 4, false);
	if (epoch == 0)
		nr += touch_part(toucher, 5, false);
	return nr + touch_one_of_each(toucher, 7, epoch);
}

static size_t touch_all(struct toucher *toucher)
{
	if (orders->layout == LAYOUT_MIXED)
		return touch_mixed(toucher, orders->epoch);
	return touch_hot(toucher, orders->layout == LAYOUT_SPREAD ? 100 / orders->percent : 1);
}

static void do_epoch(struct toucher *toucher)
{
	double end = now_us() + orders->ms * 1e3;

	do {
		touch_all(toucher);
	} while (orders->ms && now_us() < end);
}

static void do_run(struct toucher *toucher)
{
	double begin = now_us();
	size_t nr = 0;

	while (!orders->halt)
		nr += touch_all(toucher);
	orders->rate = nr / (now_us() - begin);
}

static void *share(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));
	memset(mem, 0, size);
	return mem;
}

void target_start(struct target *target, size_t nr)
{
	this = target;
	target->truth = share(nr);
	toucher_start(&target->toucher, nr, MADV_NOHUGEPAGE);
}

void target_layout(enum layout layout, unsigned int percent)
{
	if (!orders)
		orders = share(sizeof(*orders));
	orders->layout = layout;
	orders->percent = percent;
}

void target_epoch(struct target *target, unsigned int epoch, unsigned int ms)
{
	memset((void *)target->truth, 0, target->toucher.nr);
	orders->epoch = epoch;
	orders->ms = ms;
	if (!toucher_do(&target->toucher, do_epoch))
		tap_bail("the target is gone");
}

void target_run(struct target *target)
{
	orders->epoch = 0;
	orders->halt = false;
	toucher_begin(&target->toucher, do_run);
}

double target_halt(struct target *target)
{
	orders->halt = true;
	if (!toucher_wait(&target->toucher))
		tap_bail("the target is gone");
	return orders->rate;
}

void target_stop(struct target *target)
{
	size_t nr = target->toucher.nr;

	toucher_stop(&target->toucher);
	munmap((void *)target->truth, nr);
}
