// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define HUGE (2 * 1024 * 1024UL)

struct order {
	void (*fn)(struct toucher *toucher);
	size_t first, nr, step; /* when @fn is NULL */
};

static void touch(const struct toucher *toucher, const struct order *order)
{
	size_t i;

	for (i = 0; i < order->nr; i++)
		(void)*(volatile char *)(toucher->mem + (order->first + i * order->step) * PAGE);
}

static void answer(const struct toucher *toucher)
{
	if (write(toucher->from[1], "", 1) != 1)
		_exit(1);
}

static void serve(struct toucher *toucher, int advice)
{
	struct order order;
	size_t page;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(toucher->to[1]);
	madvise(toucher->mem, toucher->nr * PAGE, advice);
	for (page = 0; page < toucher->nr; page++)
		toucher->mem[page * PAGE] = 1 + page % 100;
	answer(toucher);
	while (read(toucher->to[0], &order, sizeof(order)) == sizeof(order)) {
		if (order.fn)
			order.fn(toucher);
		else
			touch(toucher, &order);
		answer(toucher);
	}
	_exit(0);
}

static bool has_answered(const struct toucher *toucher)
{
	char byte;

	return read(toucher->from[0], &byte, 1) == 1;
}

void toucher_start(struct toucher *toucher, size_t nr, int advice)
{
	size_t size = nr * PAGE;
	char *mem = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED || pipe2(toucher->to, O_CLOEXEC) || pipe2(toucher->from, O_CLOEXEC))
		tap_bail("mmap or pipe: %s", strerror(errno));
	toucher->mem = (char *)(((unsigned long)mem + HUGE - 1) & ~(HUGE - 1));
	toucher->nr = nr;
	toucher->pid = fork();
	if (toucher->pid < 0)
		tap_bail("fork: %s", strerror(errno));
	if (!toucher->pid)
		serve(toucher, advice);
	munmap(mem, size + HUGE);
	close(toucher->to[0]);
	close(toucher->from[1]);
	if (!has_answered(toucher))
		tap_bail("the process under test has not started");
}

static void give_order(struct toucher *toucher, const struct order *order)
{
	if (write(toucher->to[1], order, sizeof(*order)) != sizeof(*order))
		tap_bail("the process under test is gone");
}

void toucher_touch(struct toucher *toucher, size_t first, size_t nr, size_t step)
{
	struct order order = { NULL, first, nr, step };

	give_order(toucher, &order);
	if (!has_answered(toucher))
		tap_bail("the process under test is gone");
}

void toucher_begin(struct toucher *toucher, void (*fn)(struct toucher *toucher))
{
	struct order order = { .fn = fn };

	give_order(toucher, &order);
}

bool toucher_wait(struct toucher *toucher)
{
	return has_answered(toucher);
}

bool toucher_do(struct toucher *toucher, void (*fn)(struct toucher *toucher))
{
	toucher_begin(toucher, fn);
	return toucher_wait(toucher);
}

void toucher_stop(struct toucher *toucher)
{
	close(toucher->to[1]);
	close(toucher->from[0]);
	kill(toucher->pid, SIGKILL);
	waitpid(toucher->pid, NULL, 0);
}
