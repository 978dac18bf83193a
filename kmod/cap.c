// SPDX-License-Identifier: GPL-2.0
/*
 * The table of capabilities. Filled when the module is loaded; the proc entries' row changes when
 * they are switched.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "cap.h"
#include "ksym.h"

struct cap_row {
	const char *name;
	bool available; /* written under the lock, read without */
	char reason[EBB_CAP_REASON_MAX]; /* under the lock; empty when available */
};

static struct cap_row rows[EBB_NR_CAPS] = {
	[EBB_CAP_SCAN] = { .name = "scan" },
	[EBB_CAP_SKIP_TABLES] = { .name = "skip_tables" },
	[EBB_CAP_RECLAIM] = { .name = "reclaim" },
	[EBB_CAP_PROC_ENTRIES] = { .name = "proc_entries" },
	[EBB_CAP_YOUNG_HANDBACK] = { .name = "young_handback" },
	[EBB_CAP_HUGETLB] = { .name = "hugetlb" },
	[EBB_CAP_GUESTS] = { .name = "guests" },
};
static DEFINE_MUTEX(cap_lock);

/**
 * ebb_cap_init() - switch off what the kernel's symbols do not allow
 *
 * Units that need more than symbols switch their own capability off in their init.
 *
 * Context: module init, after ebb_ksym_init(); may sleep.
 */
void ebb_cap_init(void)
{
	enum ebb_cap cap;

	for (cap = 0; cap < EBB_NR_CAPS; cap++) {
		const char *missing = ebb_ksym_missing(cap);

		if (missing)
			ebb_cap_off(cap, "needs %s, which this kernel has not or does not show",
				    missing);
		else
			ebb_cap_on(cap);
	}
}

/**
 * ebb_cap_name() - the name that userspace sees
 * @cap: which
 *
 * Context: any.
 * Return: the name.
 */
const char *ebb_cap_name(enum ebb_cap cap)
{
	return rows[cap].name;
}

/**
 * ebb_cap_available() - can the module do this here?
 * @cap: which
 *
 * Context: any.
 * Return: true when it can.
 */
bool ebb_cap_available(enum ebb_cap cap)
{
	return READ_ONCE(rows[cap].available);
}

/**
 * ebb_cap_get() - can the module do this here, and why not?
 * @cap: which
 * @reason: gets the reason; empty when available
 *
 * Context: may sleep.
 * Return: true when it can.
 */
bool ebb_cap_get(enum ebb_cap cap, char reason[EBB_CAP_REASON_MAX])
{
	bool available;

	mutex_lock(&cap_lock);
	available = rows[cap].available;
	strscpy(reason, rows[cap].reason, EBB_CAP_REASON_MAX);
	mutex_unlock(&cap_lock);
	return available;
}

/**
 * ebb_cap_on() - note that a capability is there
 * @cap: which
 *
 * Context: may sleep.
 */
void ebb_cap_on(enum ebb_cap cap)
{
	mutex_lock(&cap_lock);
	WRITE_ONCE(rows[cap].available, true);
	rows[cap].reason[0] = '\0';
	mutex_unlock(&cap_lock);
}

/**
 * ebb_cap_off() - note that a capability is not there
 * @cap: which
 * @fmt: the reason, for a user: what is missing, what to do
 *
 * Context: may sleep.
 */
void ebb_cap_off(enum ebb_cap cap, const char *fmt, ...)
{
	va_list args;

	mutex_lock(&cap_lock);
	WRITE_ONCE(rows[cap].available, false);
	va_start(args, fmt);
	vscnprintf(rows[cap].reason, EBB_CAP_REASON_MAX, fmt, args);
	va_end(args);
	mutex_unlock(&cap_lock);
}
