// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: symbols that were found, and what the capabilities say of them.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "cap.h"
#include "ksym.h"

/* A known symbol has the address that the linker gave it; this kernel has all. */
static void ksym_addresses(struct kunit *test)
{
	char text[KSYM_SYMBOL_LEN];
	int sym;

	for (sym = 0; sym < EBB_NR_KSYMS; sym++)
		KUNIT_EXPECT_NE_MSG(test, ebb_ksym_addr(sym), 0UL, "symbol %d", sym);
	sprint_symbol(text, ebb_ksym_addr(EBB_KSYM_mm_access));
	KUNIT_EXPECT_EQ(test, strncmp(text, "mm_access+0x0/", strlen("mm_access+0x0/")), 0);
}

static void ksym_sizes(struct kunit *test)
{
	size_t size = ebb_ksym_size(EBB_KSYM_tgid_base_stuff);

	KUNIT_EXPECT_GT(test, size, (size_t)16);
	KUNIT_EXPECT_LT(test, size, (size_t)PAGE_SIZE * 8);
}

/* A capability that lacks a symbol is not there, and tells a reason. */
static void cap_reasons(struct kunit *test)
{
	char reason[EBB_CAP_REASON_MAX];
	enum ebb_cap cap;
	bool available;

	for (cap = 0; cap < EBB_NR_CAPS; cap++) {
		available = ebb_cap_get(cap, reason);
		KUNIT_EXPECT_EQ(test, available, ebb_cap_available(cap));
		KUNIT_EXPECT_EQ_MSG(test, available, !reason[0], "%s", ebb_cap_name(cap));
		if (available)
			KUNIT_EXPECT_NULL(test, ebb_ksym_missing(cap));
	}
}

static struct kunit_case ksym_cases[] = {
	KUNIT_CASE(ksym_addresses),
	KUNIT_CASE(ksym_sizes),
	KUNIT_CASE(cap_reasons),
	{},
};

static struct kunit_suite ksym_suite = {
	.name = "ebb_ksym",
	.test_cases = ksym_cases,
};
kunit_test_suite(ksym_suite);
