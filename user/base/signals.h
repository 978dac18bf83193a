/* SPDX-License-Identifier: GPL-2.0 */
/* A clean end on SIGINT, SIGTERM and SIGHUP: what was obtained is still printed. */
#ifndef EBB_BASE_SIGNALS_H
#define EBB_BASE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum ebb_wake - why ebb_wait() came back
 * @EBB_WAKE_TIME: the time is over
 * @EBB_WAKE_STOP: the user wants an end
 * @EBB_WAKE_EXIT: the process exited
 */
enum ebb_wake {
	EBB_WAKE_TIME,
	EBB_WAKE_STOP,
	EBB_WAKE_EXIT,
};

/**
 * ebb_signals_init() - from now on the signals only ask for an end
 *
 * The same signal coming a second time kills as usual.
 *
 * Return: 0, or a negative errno.
 */
int ebb_signals_init(void);

/** ebb_stopped() - whether an end was asked for; cheap, for loops. Any thread */
bool ebb_stopped(void);

/**
 * ebb_stop_fd() - for poll loops
 *
 * Return: a descriptor that becomes readable, and stays so, when an end is asked for.
 */
int ebb_stop_fd(void);

/**
 * ebb_wait() - sleep until something happens
 * @pidfd: of a process whose exit matters, or -1
 * @ns: at most so long, nanoseconds
 *
 * Return: why it came back. Needs ebb_signals_init().
 */
enum ebb_wake ebb_wait(int pidfd, uint64_t ns);

/** ebb_now_ns() - the monotonic clock, nanoseconds */
uint64_t ebb_now_ns(void);

#endif
