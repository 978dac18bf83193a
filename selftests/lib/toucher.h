/* SPDX-License-Identifier: GPL-2.0 */
/* A process with one mapping, of which it touches the pages that it is told to. */
#ifndef EBB_SELFTESTS_TOUCHER_H
#define EBB_SELFTESTS_TOUCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct toucher - the process
 * @pid: its id
 * @mem: address of the mapping, in the process
 * @nr: pages of the mapping
 * @to: pipe for orders
 * @from: pipe for answers
 */
struct toucher {
	pid_t pid;
	char *mem;
	size_t nr;
	int to[2];
	int from[2];
};

/**
 * toucher_start() - start the process; each page of its mapping has been written to once
 * @toucher: the process
 * @nr: pages of the mapping, which begins at a multiple of 2 MiB
 * @advice: for madvise(2), about huge pages
 *
 * The program ends when it cannot be had.
 */
void toucher_start(struct toucher *toucher, size_t nr, int advice);

/**
 * toucher_touch() - have pages read
 * @toucher: the process
 * @first: number of the first page
 * @nr: how many
 * @step: distance between them, in pages
 */
void toucher_touch(struct toucher *toucher, size_t first, size_t nr, size_t step);

/**
 * toucher_do() - have the process do something
 * @toucher: the process
 * @fn: called in it
 *
 * Return: true when @fn returned there; false when it ended the process, or ran another program.
 */
bool toucher_do(struct toucher *toucher, void (*fn)(struct toucher *toucher));

/**
 * toucher_begin() - have the process do something, and go on meanwhile
 * @toucher: the process
 * @fn: called in it; toucher_wait() comes before the next order
 */
void toucher_begin(struct toucher *toucher, void (*fn)(struct toucher *toucher));

/**
 * toucher_wait() - wait until what toucher_begin() began has returned
 * @toucher: the process
 *
 * Return: as toucher_do().
 */
bool toucher_wait(struct toucher *toucher);

/**
 * toucher_stop() - end the process
 * @toucher: the process
 */
void toucher_stop(struct toucher *toucher);

#endif /* EBB_SELFTESTS_TOUCHER_H */
