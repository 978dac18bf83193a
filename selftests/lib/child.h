/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes to test on: one that waits until it is told to go on, or a function that runs in one.
 */
#ifndef EBB_SELFTESTS_CHILD_H
#define EBB_SELFTESTS_CHILD_H

#include <sys/types.h>

/**
 * child_start() - fork a process that prepares itself, then sleeps until it is killed
 * @prepare: run in it first; NULL: nothing to prepare. Nonzero: child_start() fails
 * @arg: for @prepare
 *
 * The process dies with the caller.
 *
 * Return: its id, after @prepare has ended. The program ends when it cannot be had.
 */
pid_t child_start(int (*prepare)(void *arg), void *arg);

/**
 * child_end() - kill a process and wait for it
 * @pid: from child_start()
 */
void child_end(pid_t pid);

/**
 * child_run() - run a function in a process of its own
 * @fn: the function
 * @arg: for @fn
 *
 * Return: what @fn returned, 0 to 255; -1 when it was killed.
 */
int child_run(int (*fn)(void *arg), void *arg);

#endif /* EBB_SELFTESTS_CHILD_H */
