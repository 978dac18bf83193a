// SPDX-License-Identifier: GPL-2.0
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

#define MESSAGE_MAX 4096

static const char *speaker = "ebb";
static bool progress_shown;

void ebb_log_name(const char *name)
{
	speaker = name;
}

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static void say(const char *kind, const char *fmt, va_list ap)
{
	char message[MESSAGE_MAX];

	vsnprintf(message, sizeof(message), fmt, ap);
	ebb_text_printable(message);
	fflush(stdout);
	clear_progress();
	fprintf(stderr, "%s: %s%s\n", speaker, kind, message);
}

void ebb_err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void ebb_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void ebb_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("hint: ", fmt, ap);
	va_end(ap);
}

void ebb_progress(const char *fmt, ...)
{
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	clear_progress();
	if (fmt) {
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		progress_shown = true;
	}
	fflush(stderr);
}
