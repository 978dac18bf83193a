/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files in /proc/PID share: how one is opened.
 */
#ifndef EBB_PROCFILE_H
#define EBB_PROCFILE_H

#include "cap.h"
#include "pident.h"

struct file;
struct inode;
struct mm_struct;

ebb_pident_show_fn ebb_procfile_show;
int ebb_procfile_open(struct inode *inode, struct file *file, enum ebb_cap needs,
		      struct mm_struct **mm);

extern const struct file_operations ebb_idle_pages_fops;
extern const struct file_operations ebb_swap_pages_fops;

#endif /* EBB_PROCFILE_H */
