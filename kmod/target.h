/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a process to its memory, with the permission checks.
 */
#ifndef EBB_TARGET_H
#define EBB_TARGET_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;

int ebb_target_permit(void);
int ebb_target_of_task(struct task_struct *task, struct mm_struct **mm);
int ebb_target_get(pid_t nr, struct mm_struct **mm);
void ebb_target_put(struct mm_struct *mm);

#endif /* EBB_TARGET_H */
