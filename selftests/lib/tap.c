// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static int nr_results, nr_failed;

/* Children that are forked must not inherit, and print again, what is still in the buffer. */
static void finish_line(void)
{
	putchar('\n');
	fflush(stdout);
}

static void begin_result(bool is_ok, const char *fmt, va_list args)
{
	nr_results++;
	nr_failed += !is_ok;
	printf("%sok %d - ", is_ok ? "" : "not ", nr_results);
	vprintf(fmt, args);
}

bool tap_ok(bool is_ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	begin_result(is_ok, fmt, args);
	va_end(args);
	finish_line();
	return is_ok;
}

bool tap_errno(long ret, int expected, const char *fmt, ...)
{
	const int found = ret < 0 ? errno : 0;
	va_list args;

	va_start(args, fmt);
	begin_result(found == expected && ret < 0, fmt, args);
	va_end(args);
	printf(": %s", strerrorname_np(expected));
	finish_line();
	if (ret >= 0)
		tap_note("returned %ld", ret);
	else if (found != expected)
		tap_note("found %s", strerrorname_np(found));
	return ret < 0 && found == expected;
}

bool tap_equal(long long found, long long expected, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	begin_result(found == expected, fmt, args);
	va_end(args);
	printf(": %lld", expected);
	finish_line();
	if (found != expected)
		tap_note("found %lld", found);
	return found == expected;
}

void tap_skip(const char *what, const char *fmt, ...)
{
	va_list args;

	nr_results++;
	printf("ok %d - %s # SKIP ", nr_results, what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	finish_line();
}

void tap_note(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	finish_line();
}

void tap_bail(const char *fmt, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	finish_line();
	exit(1);
}

int tap_end(void)
{
	printf("1..%d", nr_results);
	finish_line();
	return nr_failed ? 1 : 0;
}
