// SPDX-License-Identifier: GPL-2.0
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_DIGITS 9

/* whole.fraction: the fraction in billionths */
struct decimal {
	uint64_t whole;
	uint64_t billionths;
};

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 },	     { "b", 1 },	  { "k", 1ULL << 10 }, { "m", 1ULL << 20 },
	{ "g", 1ULL << 30 }, { "t", 1ULL << 40 }, { "p", 1ULL << 50 }, { "e", 1ULL << 60 },
};

static const struct unit duration_units[] = {
	{ "", EBB_NSEC_PER_SEC },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", EBB_NSEC_PER_MSEC },
	{ "s", EBB_NSEC_PER_SEC },
	{ "m", 60 * EBB_NSEC_PER_SEC },
	{ "min", 60 * EBB_NSEC_PER_SEC },
	{ "h", 3600 * EBB_NSEC_PER_SEC },
	{ "d", 86400 * EBB_NSEC_PER_SEC },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int refuse(int err, const char *reason, const char **why)
{
	*why = reason;
	return -err;
}

static int parse_digits(const char **text, uint64_t *out, const char **why)
{
	uint64_t n = 0;
	const char *p = *text;

	for (; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return refuse(ERANGE, "the number is too large", why);
	}
	if (p == *text)
		return refuse(EINVAL, "it does not begin with a digit", why);
	*text = p;
	*out = n;
	return 0;
}

static int parse_fraction(const char **text, uint64_t *billionths, const char **why)
{
	const char *p = *text + 1;
	int digits = 0;

	*billionths = 0;
	if (!isdigit((unsigned char)*p))
		return refuse(EINVAL, "there is no digit behind the dot", why);
	for (; isdigit((unsigned char)*p); p++) {
		if (digits < FRACTION_DIGITS) {
			*billionths = *billionths * 10 + (uint64_t)(*p - '0');
			digits++;
		}
	}
	for (; digits < FRACTION_DIGITS; digits++)
		*billionths *= 10;
	*text = p;
	return 0;
}

static int parse_decimal(const char **text, struct decimal *d, const char **why)
{
	int err = parse_digits(text, &d->whole, why);

	d->billionths = 0;
	if (!err && **text == '.')
		err = parse_fraction(text, &d->billionths, why);
	return err;
}

static int scale(const struct decimal *d, uint64_t factor, uint64_t *out, const char **why)
{
	uint64_t part = (uint64_t)((unsigned __int128)d->billionths * factor / 1000000000);
	uint64_t n;

	if (__builtin_mul_overflow(d->whole, factor, &n) || __builtin_add_overflow(n, part, &n))
		return refuse(ERANGE, "the number is too large", why);
	*out = n;
	return 0;
}

static const struct unit *find_unit(const struct unit *units, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcasecmp(units[i].name, name))
			return &units[i];
	}
	return NULL;
}

/* "MiB", "MB" and "M" are the same unit: leaves "M" in @name. False: too long to be one */
static bool size_unit_name(const char *text, char name[4])
{
	size_t len = strlen(text);

	if (len > 3)
		return false;
	strcpy(name, text);
	if (tolower((unsigned char)*name) == 'b')
		return len == 1;
	if (len == 3 && !strcasecmp(name + 1, "ib"))
		name[1] = '\0';
	else if (len == 2 && !strcasecmp(name + 1, "b"))
		name[1] = '\0';
	return true;
}

int ebb_parse_u64(const char *text, uint64_t *out, const char **why)
{
	uint64_t n;
	int err = parse_digits(&text, &n, why);

	if (err)
		return err;
	if (*text)
		return refuse(EINVAL, "something follows the number", why);
	*out = n;
	return 0;
}

int ebb_parse_size(const char *text, uint64_t *bytes, const char **why)
{
	const struct unit *unit = NULL;
	struct decimal d;
	char name[4];
	int err = parse_decimal(&text, &d, why);

	if (err)
		return err;
	if (size_unit_name(text, name))
		unit = find_unit(size_units, ARRAY_SIZE(size_units), name);
	if (!unit)
		return refuse(EINVAL, "the unit is not one of K, M, G, T, P, E", why);
	return scale(&d, unit->factor, bytes, why);
}

int ebb_parse_duration(const char *text, uint64_t *ns, const char **why)
{
	const struct unit *unit;
	struct decimal d;
	int err = parse_decimal(&text, &d, why);

	if (err)
		return err;
	unit = find_unit(duration_units, ARRAY_SIZE(duration_units), text);
	if (!unit)
		return refuse(EINVAL, "the unit is not one of ns, us, ms, s, m, h, d", why);
	return scale(&d, unit->factor, ns, why);
}

int ebb_parse_percent(const char *text, uint32_t *ppm, const char **why)
{
	struct decimal d;
	uint64_t n;
	int err = parse_decimal(&text, &d, why);

	if (err)
		return err;
	if (*text == '%')
		text++;
	if (*text)
		return refuse(EINVAL, "something follows the percentage", why);
	if (d.whole > 100 || (d.whole == 100 && d.billionths))
		return refuse(ERANGE, "it is above 100%", why);
	err = scale(&d, 10000, &n, why);
	if (!err)
		*ppm = (uint32_t)n;
	return err;
}

/* three digits: 1.50 -> "1.5", 15.2 -> "15", 212 -> "212" */
static char *format_short(char *buf, double value, const char *unit)
{
	snprintf(buf, EBB_UNITS_MAX, value < 9.95 ? "%.1f%s" : "%.0f%s", value, unit);
	return buf;
}

char *ebb_format_size(char buf[EBB_UNITS_MAX], uint64_t bytes)
{
	static const char *const names[] = { "", "K", "M", "G", "T", "P", "E" };
	double value = (double)bytes;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, EBB_UNITS_MAX, "%u", (unsigned int)bytes);
		return buf;
	}
	for (; value >= 1023.5 && i + 1 < ARRAY_SIZE(names); i++)
		value /= 1024;
	return format_short(buf, value, names[i]);
}

char *ebb_format_duration(char buf[EBB_UNITS_MAX], uint64_t ns)
{
	static const struct unit steps[] = {
		{ "h", 3600 * EBB_NSEC_PER_SEC },
		{ "m", 60 * EBB_NSEC_PER_SEC },
		{ "s", EBB_NSEC_PER_SEC },
		{ "ms", EBB_NSEC_PER_MSEC },
		{ "us", 1000 },
		{ "ns", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (ns < steps[i].factor)
			continue;
		if (ns % steps[i].factor == 0)
			snprintf(buf, EBB_UNITS_MAX, "%llu%s",
				 (unsigned long long)(ns / steps[i].factor), steps[i].name);
		else
			format_short(buf, (double)ns / (double)steps[i].factor, steps[i].name);
		return buf;
	}
	return strcpy(buf, "0s");
}

char *ebb_format_percent(char buf[EBB_UNITS_MAX], uint64_t part, uint64_t whole)
{
	if (!whole)
		return strcpy(buf, "-");
	if (!part)
		return strcpy(buf, "0%");
	if (part == whole)
		return strcpy(buf, "100%");
	return format_short(buf, 100.0 * (double)part / (double)whole, "%");
}
