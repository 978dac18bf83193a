// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the encoder of idle_pages, as a table of what is put and of the bytes that come out.
 */
#include <kunit/test.h>

#include "pip.h"

#define KIB4 0x1000ULL
#define MIB2 0x200000ULL
#define AT(b2, b1, b0) 0xa0, 0, 0, 0, 0, 0, (b2), (b1), (b0)

struct put {
	enum ebb_pip type;
	u64 addr;
	u64 nr;
};

static const struct {
	const char *what;
	struct put puts[4]; /* ends with nr 0 */
	u8 bytes[32];
	size_t len;
} cases[] = {
	{ "one page", { { EBB_PIP_PTE_ACCESSED, KIB4, 1 } }, { AT(0, 0x10, 0), 0x01 }, 10 },
	{ "15 fit into a byte", { { EBB_PIP_PTE_IDLE, KIB4, 15 } }, { AT(0, 0x10, 0), 0x5f }, 10 },
	{ "16 do not", { { EBB_PIP_PTE_IDLE, KIB4, 16 } }, { AT(0, 0x10, 0), 0x5f, 0x51 }, 11 },
	{ "neighbours of one kind grow together",
	  { { EBB_PIP_PTE_IDLE, KIB4, 3 }, { EBB_PIP_PTE_IDLE, 4 * KIB4, 2 } },
	  { AT(0, 0x10, 0), 0x55 },
	  10 },
	{ "neighbours of two kinds do not",
	  { { EBB_PIP_PTE_IDLE, KIB4, 3 }, { EBB_PIP_PTE_DIRTY, 4 * KIB4, 2 } },
	  { AT(0, 0x10, 0), 0x53, 0x32 },
	  11 },
	{ "a small gap is a hole",
	  { { EBB_PIP_PTE_IDLE, KIB4, 1 }, { EBB_PIP_PTE_IDLE, 4 * KIB4, 1 } },
	  { AT(0, 0x10, 0), 0x51, 0x82, 0x51 },
	  12 },
	{ "the largest gap that is one",
	  { { EBB_PIP_PTE_IDLE, KIB4, 1 }, { EBB_PIP_PTE_IDLE, 122 * KIB4, 1 } },
	  { AT(0, 0x10, 0), 0x51, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x51 },
	  19 },
	{ "a larger one is an address",
	  { { EBB_PIP_PTE_IDLE, KIB4, 1 }, { EBB_PIP_PTE_IDLE, 123 * KIB4, 1 } },
	  { AT(0, 0x10, 0), 0x51, AT(0x07, 0xb0, 0), 0x51 },
	  20 },
	{ "a gap of huge pages is told in these",
	  { { EBB_PIP_PMD_IDLE, MIB2, 1 }, { EBB_PIP_PMD_IDLE, 4 * MIB2, 1 } },
	  { AT(0x20, 0, 0), 0x61, 0x92, 0x61 },
	  12 },
	{ "going back is an address",
	  { { EBB_PIP_PTE_IDLE, 2 * KIB4, 1 }, { EBB_PIP_PTE_IDLE, KIB4, 1 } },
	  { AT(0, 0x20, 0), 0x51, AT(0, 0x10, 0), 0x51 },
	  20 },
	{ "a huge page's address is rounded down",
	  { { EBB_PIP_PMD_ACCESSED, MIB2 + KIB4, 1 } },
	  { AT(0x20, 0, 0), 0x11 },
	  10 },
};

static void pip_bytes(struct kunit *test)
{
	struct ebb_pip_buf pip;
	const struct put *put;
	u8 buf[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(buf, 0xee, sizeof(buf));
		ebb_pip_init(&pip, buf, sizeof(buf));
		for (put = cases[i].puts; put->nr; put++)
			ebb_pip_put(&pip, put->type, put->addr, put->nr);
		KUNIT_EXPECT_EQ_MSG(test, pip.len, cases[i].len, "%s", cases[i].what);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(buf, cases[i].bytes, cases[i].len), 0, "%s: %*ph",
				    cases[i].what, (int)pip.len, buf);
		KUNIT_EXPECT_EQ_MSG(test, buf[cases[i].len], 0xee, "%s: a byte too much",
				    cases[i].what);
	}
}

/* What room says is sure to fit does fit, whatever kinds it is, holes between. */
static void pip_room(struct kunit *test)
{
	u8 buf[EBB_PIP_READ_MIN + 8];
	struct ebb_pip_buf pip;
	size_t size, nr, i;

	for (size = 1; size <= sizeof(buf); size++) {
		ebb_pip_init(&pip, buf, size);
		nr = ebb_pip_room(&pip, KIB4);
		KUNIT_EXPECT_EQ(test, nr, size > 9 ? size - 9 : 0);
		for (i = 0; i < nr; i++)
			ebb_pip_put(&pip, i % 2 ? EBB_PIP_PTE_IDLE : EBB_PIP_PTE_ACCESSED,
				    (i + 1) * KIB4, 1);
		KUNIT_EXPECT_LE(test, pip.len, size);
	}
}

static void pip_shifts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ebb_pip_shift(EBB_PIP_PTE_HOLE), 12);
	KUNIT_EXPECT_EQ(test, ebb_pip_shift(EBB_PIP_PMD_IDLE_PTES), 21);
	KUNIT_EXPECT_EQ(test, ebb_pip_shift(EBB_PIP_PUD_PRESENT), 30);
}

static struct kunit_case pip_cases[] = {
	KUNIT_CASE(pip_bytes),
	KUNIT_CASE(pip_room),
	KUNIT_CASE(pip_shifts),
	{},
};

static struct kunit_suite pip_suite = {
	.name = "ebb_pip",
	.test_cases = pip_cases,
};
kunit_test_suite(pip_suite);
