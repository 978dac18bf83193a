// SPDX-License-Identifier: GPL-2.0
/*
 * From an open file in /proc/PID to the memory of that process.
 *
 * Which process an inode belongs to is private to fs/proc. The kernel tells it to the function in
 * the table entry of a file made by seq_file ("status" is one): so the open here borrows that way
 * for a moment, with a function that only notes the task.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

#include "ksym.h"
#include "procfile.h"
#include "target.h"

/**
 * ebb_procfile_show() - note the task
 * @m: of find_task()
 * @ns: PID namespace of the proc instance
 * @pid: of the process
 * @task: its first thread
 *
 * Context: called by the kernel from within find_task().
 * Return: 0.
 */
int ebb_procfile_show(struct seq_file *m, struct pid_namespace *ns, struct pid *pid,
		      struct task_struct *task)
{
	m->private = get_task_struct(task);
	return 0;
}

/* The task of an inode in /proc/PID, or an error: ESRCH when it is gone. */
static struct task_struct *find_task(struct inode *inode, struct file *file)
{
	const struct file_operations *single =
		(const void *)ebb_ksym_addr(EBB_KSYM_proc_single_file_operations);
	const fmode_t mode = file->f_mode; /* seq_open() forbids pwrite */
	struct task_struct *task;
	struct seq_file *m;
	int err;

	err = single->open(inode, file);
	if (err)
		return ERR_PTR(err);
	m = file->private_data;
	err = m->op->show(m, NULL);
	task = err ? ERR_PTR(err) : m->private;
	single->release(inode, file);
	file->private_data = NULL;
	file->f_mode = mode;
	return task;
}

/**
 * ebb_procfile_open() - check permission and get hold of the memory of the process
 * @inode: of the file in /proc/PID
 * @file: being opened; its private data is empty before and after
 * @needs: the capability without which the file is of no use
 * @mm: gets the memory, to be given back with ebb_target_put(); NULL for a kernel thread
 *	or a process that has exited: reads and writes answer ESRCH then
 *
 * Context: open of the file, may sleep.
 * Return: 0; -EPERM without CAP_SYS_ADMIN in the initial user namespace; -ENODEV when @needs is not
 * there; -ESRCH when the process is gone; the errors of ebb_target_of_task(); in that order.
 */
int ebb_procfile_open(struct inode *inode, struct file *file, enum ebb_cap needs,
		      struct mm_struct **mm)
{
	struct task_struct *task;
	int err;

	err = ebb_target_permit();
	if (err)
		return err;
	if (!ebb_cap_available(needs))
		return -ENODEV;
	task = find_task(inode, file);
	if (IS_ERR(task))
		return PTR_ERR(task);
	*mm = NULL;
	err = ebb_target_of_task(task, mm);
	put_task_struct(task);
	return err == -ESRCH ? 0 : err;
}
