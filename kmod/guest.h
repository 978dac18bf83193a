/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guests of a process touched: virtual machines of KVM, and whatever else has page tables
 * of its own for the process's memory and listens to the MMU notifiers.
 */
#ifndef EBB_GUEST_H
#define EBB_GUEST_H

#include <linux/types.h>

struct mm_struct;

/* how many entries of page tables a look at a guest's page costs as much as */
#define EBB_GUEST_COST 8

bool ebb_guest_has(struct mm_struct *mm);
bool ebb_guest_is_young(struct mm_struct *mm, unsigned long addr, unsigned long size);
bool ebb_guest_take_young(struct mm_struct *mm, unsigned long addr, unsigned long size);
void ebb_guest_flush(struct mm_struct *mm, unsigned long addr);

#endif /* EBB_GUEST_H */
