// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's view. A guest's accesses set bits in its second-stage page tables, which KVM keeps,
 * and none in the host's. The kernel's own reclaim asks for them by MMU notifiers; so do we.
 *
 * The notifier that clears bits flushes no TLB of the guest, and the one that also flushes does so
 * for each page. So that there is one flush per scan: at its end one of the pages found young is
 * invalidated, as if the host were about to change its mapping. KVM takes it out of the guest's
 * tables, and then flushes the guest's TLB, of all pages. The guest faults that page in again at
 * its next touch, which is told young as any other.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>

#include "cap.h"
#include "compat/mm.h"
#include "guest.h"
#include "hold.h"
#include "ksym.h"

/**
 * ebb_guest_has() - may there be guests in this memory, and can they be asked?
 * @mm: whose
 *
 * Context: any.
 * Return: false when there are none, or when the capability is missing.
 */
bool ebb_guest_has(struct mm_struct *mm)
{
	return ebb_cap_available(EBB_CAP_GUESTS) && mm_has_notifiers(mm);
}

/**
 * ebb_guest_is_young() - did a guest touch one of these pages?
 * @mm: whose; ebb_guest_has() was true once
 * @addr: address in the process, a multiple of the page size
 * @size: bytes
 *
 * Context: mmap_lock held; may hold the spinlock of a page table, interrupts on.
 * Return: true when one was.
 */
bool ebb_guest_is_young(struct mm_struct *mm, unsigned long addr, unsigned long size)
{
	unsigned long end = addr + size;

	for (; addr < end; addr += PAGE_SIZE)
		if (ebb_call(__mmu_notifier_test_young)(mm, addr))
			return true;
	return false;
}

/**
 * ebb_guest_take_young() - did a guest touch one of these pages? Forget it
 * @mm: whose; ebb_guest_has() was true once
 * @addr: address in the process, a multiple of the page size
 * @size: bytes
 *
 * Context: as ebb_guest_is_young(). The guest's TLB is not flushed, see ebb_guest_flush().
 * Return: true when one was.
 */
bool ebb_guest_take_young(struct mm_struct *mm, unsigned long addr, unsigned long size)
{
	return ebb_call(__mmu_notifier_clear_young)(mm, addr, addr + size);
}

/**
 * ebb_guest_flush() - have the guests' TLBs flushed
 * @mm: whose; the caller holds a reference on its users
 * @addr: address of a page that a guest was found to have touched
 *
 * When the page has left the guest's tables meanwhile, they were flushed with that.
 *
 * Context: process context, sleeps. Takes mmap_lock for reading, which keeps a guest from appearing
 * between begin and end of the invalidation.
 */
void ebb_guest_flush(struct mm_struct *mm, unsigned long addr)
{
	struct mmu_notifier_range range;
	u64 start;

	ebb_hold_begin_always(mm, &start);
	if (ebb_guest_has(mm)) {
		ebb_range_init(&range, mm, addr, addr + PAGE_SIZE);
		range.flags |= MMU_NOTIFIER_RANGE_BLOCKABLE;
		ebb_call(__mmu_notifier_invalidate_range_start)(&range);
		ebb_range_end(&range);
	}
	ebb_hold_end(mm, start);
}
