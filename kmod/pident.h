/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's table of entries in /proc/PID, and how ebb's get into it.
 */
#ifndef EBB_PIDENT_H
#define EBB_PIDENT_H

#include <linux/types.h>

struct file_operations;
struct pid;
struct pid_namespace;
struct seq_file;
struct task_struct;

/* what the kernel calls for an entry that is written by one function */
typedef int ebb_pident_show_fn(struct seq_file *m, struct pid_namespace *ns, struct pid *pid,
			       struct task_struct *task);

/**
 * struct ebb_pident - an entry to add
 * @name: name of the file
 * @fops: what the file does
 * @show: kept in the inode; the kernel calls it with the process when asked to, see procfile.c
 */
struct ebb_pident {
	const char *name;
	const struct file_operations *fops;
	ebb_pident_show_fn *show;
};

const char *ebb_pident_init(const struct ebb_pident *entries, size_t nr);
void ebb_pident_exit(void);
int ebb_pident_hook(void);
int ebb_pident_unhook(void);
bool ebb_pident_mismatch(void);

#endif /* EBB_PIDENT_H */
