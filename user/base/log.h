/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to people, on stderr: what was asked, what is missing, what to do. */
#ifndef EBB_BASE_LOG_H
#define EBB_BASE_LOG_H

#define EBB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/**
 * ebb_log_name() - say who speaks from now on
 * @name: "ebb scan"; kept by reference, must outlive all messages
 */
void ebb_log_name(const char *name);

/**
 * ebb_err() - say what went wrong
 * @fmt: printf format, one sentence without a newline
 *
 * Printed as "ebb scan: MESSAGE"; control characters in it become '?'.
 */
void ebb_err(const char *fmt, ...) EBB_PRINTF(1, 2);

/**
 * ebb_warn() - say what the user should know although the work goes on
 * @fmt: printf format, one sentence without a newline
 */
void ebb_warn(const char *fmt, ...) EBB_PRINTF(1, 2);

/**
 * ebb_hint() - say what the user can do about the message before
 * @fmt: printf format, one sentence without a newline
 */
void ebb_hint(const char *fmt, ...) EBB_PRINTF(1, 2);

/**
 * ebb_progress() - show how far a long work is, on one line that is written over
 * @fmt: printf format without a newline; NULL takes the line away
 *
 * Does nothing when stderr is not a terminal.
 */
void ebb_progress(const char *fmt, ...) EBB_PRINTF(1, 2);

#endif
