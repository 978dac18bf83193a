/* SPDX-License-Identifier: GPL-2.0 */
/* Quantities as people write them: 64M, 1.5G, 10s, 250ms, 5%. */
#ifndef EBB_BASE_UNITS_H
#define EBB_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define EBB_UNITS_MAX 24 /* bytes that any of the format functions needs, with the NUL */

#define EBB_NSEC_PER_SEC 1000000000ULL
#define EBB_NSEC_PER_MSEC 1000000ULL

/**
 * ebb_parse_u64() - read a plain decimal number
 * @text: the text; all of it must be the number
 * @out: the number; untouched on error
 * @why: on error the reason, a static string
 *
 * Return: 0, -EINVAL not a number, -ERANGE too large.
 */
int ebb_parse_u64(const char *text, uint64_t *out, const char **why);

/**
 * ebb_parse_size() - read a size: digits, at most one dot, and a unit
 * @text: "4096", "64M", "1.5G", "2MiB", "100kB"; K M G T P E are powers of 1024
 * @bytes: the size in bytes, rounded down; untouched on error
 * @why: on error the reason, a static string
 *
 * Return: 0, -EINVAL not a size, -ERANGE too large.
 */
int ebb_parse_size(const char *text, uint64_t *bytes, const char **why);

/**
 * ebb_parse_duration() - read a length of time
 * @text: "10s", "250ms", "1.5m", "2h", "100us", "5ns"; without unit: seconds
 * @ns: nanoseconds, rounded down; untouched on error
 * @why: on error the reason, a static string
 *
 * Return: 0, -EINVAL not a duration, -ERANGE too large.
 */
int ebb_parse_duration(const char *text, uint64_t *ns, const char **why);

/**
 * ebb_parse_percent() - read a share of 0 to 100 percent
 * @text: "5%", "12.5%"; the percent sign may be left out
 * @ppm: the share in millionths (5% is 50000); untouched on error
 * @why: on error the reason, a static string
 *
 * Return: 0, -EINVAL not a percentage, -ERANGE above 100.
 */
int ebb_parse_percent(const char *text, uint32_t *ppm, const char **why);

/**
 * ebb_format_size() - write a size for people
 * @buf: at least %EBB_UNITS_MAX bytes
 * @bytes: the size
 *
 * Return: @buf: "0", "512", "4.0K", "1.5G", "212M": three digits where there are as many.
 */
char *ebb_format_size(char buf[EBB_UNITS_MAX], uint64_t bytes);

/**
 * ebb_format_duration() - write a length of time for people
 * @buf: at least %EBB_UNITS_MAX bytes
 * @ns: nanoseconds
 *
 * Return: @buf: "0s", "120ns", "3.4us", "250ms", "10s", "1.5m", "2.0h".
 */
char *ebb_format_duration(char buf[EBB_UNITS_MAX], uint64_t ns);

/**
 * ebb_format_percent() - write a share of a whole
 * @buf: at least %EBB_UNITS_MAX bytes
 * @part: the part
 * @whole: the whole; 0 gives "-"
 *
 * Return: @buf: "0%", "0.4%", "97%".
 */
char *ebb_format_percent(char buf[EBB_UNITS_MAX], uint64_t part, uint64_t whole);

#endif
