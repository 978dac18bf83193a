// SPDX-License-Identifier: GPL-2.0
/*
 * Encoder of the idle_pages stream, see enum ebb_pip for the format.
 *
 * A gap between two units becomes hole units where these are shorter than a new address. Gaps at
 * the ends are not told.
 */
#include "pip.h"

#define PTE_SHIFT 12
#define HUGE_PMD_SHIFT 21
#define HUGE_PUD_SHIFT 30

#define UNIT_MAX 15 /* most units in a byte */
#define ADDR_LEN 9 /* EBB_PIP_SET_ADDR and the address */
#define GAP_MAX (8 * UNIT_MAX) /* hole units up to here are shorter than an address */

/**
 * ebb_pip_init() - begin a stream
 * @pip: the stream
 * @buf: where to write
 * @size: bytes in @buf, at least %EBB_PIP_READ_MIN to get anywhere
 *
 * Context: any.
 */
void ebb_pip_init(struct ebb_pip_buf *pip, void *buf, size_t size)
{
	pip->buf = buf;
	pip->size = size;
	pip->len = 0;
	pip->next = 0;
	pip->has_unit = false;
}

/**
 * ebb_pip_room() - how much fits, whatever it is
 * @pip: the stream
 * @addr: address of the next unit
 *
 * Between units that follow each other a hole costs no more than the units it takes the place of.
 *
 * Context: any.
 * Return: number of units that are sure to fit when they come one after the other from @addr on,
 * holes among them counted too.
 */
size_t ebb_pip_room(const struct ebb_pip_buf *pip, __u64 addr)
{
	size_t room = pip->size - pip->len;
	size_t start = pip->len && addr == pip->next ? 0 : ADDR_LEN;

	return room > start ? room - start : 0;
}

/**
 * ebb_pip_shift() - size of a unit
 * @type: type of the unit, a hole or pages
 *
 * Context: any.
 * Return: log2 of the size in bytes.
 */
unsigned int ebb_pip_shift(enum ebb_pip type)
{
	switch (type) {
	case EBB_PIP_PMD_ACCESSED:
	case EBB_PIP_PMD_DIRTY:
	case EBB_PIP_PMD_IDLE:
	case EBB_PIP_PMD_IDLE_PTES:
	case EBB_PIP_PMD_HOLE:
		return HUGE_PMD_SHIFT;
	case EBB_PIP_PUD_PRESENT:
		return HUGE_PUD_SHIFT;
	default:
		return PTE_SHIFT;
	}
}

static void put_addr(struct ebb_pip_buf *pip, __u64 addr)
{
	int shift;

	pip->buf[pip->len++] = EBB_PIP_SET_ADDR;
	for (shift = 56; shift >= 0; shift -= 8)
		pip->buf[pip->len++] = addr >> shift;
	pip->next = addr;
	pip->has_unit = false;
}

static bool may_grow(const struct ebb_pip_buf *pip, enum ebb_pip type)
{
	__u8 last;

	if (!pip->has_unit)
		return false;
	last = pip->buf[pip->len - 1];
	return last >> 4 == type && (last & 0xf) < UNIT_MAX;
}

static void put_units(struct ebb_pip_buf *pip, enum ebb_pip type, __u64 nr)
{
	pip->next += nr << ebb_pip_shift(type);
	for (; nr; nr--) {
		if (may_grow(pip, type))
			pip->buf[pip->len - 1]++;
		else
			pip->buf[pip->len++] = type << 4 | 1;
		pip->has_unit = true;
	}
}

/* Can the gap be told in units of this size, in fewer bytes than an address? */
static bool gap_fits(__u64 from, __u64 to, unsigned int shift)
{
	__u64 mask = (1ULL << shift) - 1;

	return !((from | to) & mask) && (to - from) >> shift <= GAP_MAX;
}

static void go_to(struct ebb_pip_buf *pip, __u64 addr)
{
	if (pip->len && addr == pip->next)
		return;
	if (!pip->len || addr < pip->next)
		put_addr(pip, addr);
	else if (gap_fits(pip->next, addr, HUGE_PMD_SHIFT))
		put_units(pip, EBB_PIP_PMD_HOLE, (addr - pip->next) >> HUGE_PMD_SHIFT);
	else if (gap_fits(pip->next, addr, PTE_SHIFT))
		put_units(pip, EBB_PIP_PTE_HOLE, (addr - pip->next) >> PTE_SHIFT);
	else
		put_addr(pip, addr);
}

/**
 * ebb_pip_put() - write units that follow each other
 * @pip: the stream; the caller has seen by ebb_pip_room() that they fit
 * @type: what they are
 * @addr: address of the first one; rounded down to the size of a unit
 * @nr: number of units
 *
 * Context: any.
 */
void ebb_pip_put(struct ebb_pip_buf *pip, enum ebb_pip type, __u64 addr, __u64 nr)
{
	go_to(pip, addr & ~((1ULL << ebb_pip_shift(type)) - 1));
	put_units(pip, type, nr);
}
