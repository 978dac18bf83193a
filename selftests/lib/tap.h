/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results in TAP, for selftests. Not for threads or forked children: only the main program prints
 * results.
 *
 *	tap_errno(read(fd, buf, 19), EINVAL, "a read of 19 bytes");
 *	tap_ok(x == 3, "x is %d", x);
 *	return tap_end();
 */
#ifndef EBB_SELFTESTS_TAP_H
#define EBB_SELFTESTS_TAP_H

#include <errno.h>
#include <stdbool.h>

#define TAP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/**
 * tap_ok() - give a result
 * @is_ok: did it pass?
 * @fmt: what was tested
 *
 * Return: @is_ok.
 */
TAP_PRINTF(2, 3) bool tap_ok(bool is_ok, const char *fmt, ...);

/**
 * tap_errno() - give a result: a call has to fail, and how
 * @ret: what the call returned; errno is still the call's
 * @expected: the errno
 * @fmt: what was called
 *
 * Return: did it fail so?
 */
TAP_PRINTF(3, 4) bool tap_errno(long ret, int expected, const char *fmt, ...);

/**
 * tap_equal() - give a result: two numbers have to be equal
 * @found: the number found
 * @expected: the number that it should be
 * @fmt: what was counted
 *
 * Return: are they equal?
 */
TAP_PRINTF(3, 4) bool tap_equal(long long found, long long expected, const char *fmt, ...);

/**
 * tap_skip() - give a result: it could not be tested
 * @what: what would have been tested
 * @fmt: why it could not: what this machine lacks
 */
TAP_PRINTF(2, 3) void tap_skip(const char *what, const char *fmt, ...);

/**
 * tap_note() - say something that is no result
 * @fmt: one line, without its end
 */
TAP_PRINTF(1, 2) void tap_note(const char *fmt, ...);

/**
 * tap_bail() - end the program: nothing can be tested
 * @fmt: why
 */
TAP_PRINTF(1, 2) void tap_bail(const char *fmt, ...) __attribute__((noreturn));

/**
 * tap_end() - print the plan
 *
 * Return: exit status of the program: 0 nothing failed, else 1.
 */
int tap_end(void);

#endif /* EBB_SELFTESTS_TAP_H */
