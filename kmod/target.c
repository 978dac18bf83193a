// SPDX-License-Identifier: GPL-2.0
/*
 * From a process to its memory. Who may: CAP_SYS_ADMIN in the initial user namespace and the right
 * to read the target as ptrace sees it.
 *
 * The mm_struct is held by mmgrab() only: it does not keep the memory of a process alive that has
 * exited. Users take mmget_not_zero() for as long as they look at the memory.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "ksym.h"
#include "target.h"

/**
 * ebb_target_permit() - may the caller use ebb at all?
 *
 * Context: process context.
 * Return: 0, or -EPERM without CAP_SYS_ADMIN in the initial user namespace.
 */
int ebb_target_permit(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/**
 * ebb_target_of_task() - get hold of the memory of a task
 * @task: the task
 * @mm: gets the memory, to be given back with ebb_target_put()
 *
 * Context: process context, may sleep. The caller has asked ebb_target_permit().
 * Return: 0; -ESRCH for a kernel thread or a task that has given up its memory; -EACCES when
 * the caller may not read the task (PTRACE_MODE_READ_FSCREDS); -EINTR when killed;
 * -EOPNOTSUPP when the kernel shows no way to check that.
 */
int ebb_target_of_task(struct task_struct *task, struct mm_struct **mm)
{
	struct mm_struct *user;

	if (!ebb_has(mm_access))
		return -EOPNOTSUPP;
	user = ebb_call(mm_access)(task, PTRACE_MODE_READ_FSCREDS);
	if (IS_ERR_OR_NULL(user))
		return user ? PTR_ERR(user) : -ESRCH;
	mmgrab(user);
	mmput(user);
	*mm = user;
	return 0;
}

/**
 * ebb_target_get() - get hold of the memory of a process, by its id
 * @nr: process id as the caller's PID namespace sees it; that of a thread other than the first
 *	names no process
 * @mm: gets the memory, to be given back with ebb_target_put()
 *
 * Context: process context, may sleep.
 * Return: 0, -EPERM as ebb_target_permit(), -ESRCH when there is no such process, and the errors
 * of ebb_target_of_task().
 */
int ebb_target_get(pid_t nr, struct mm_struct **mm)
{
	struct task_struct *task;
	struct pid *pid;
	int err;

	err = ebb_target_permit();
	if (err)
		return err;
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_TGID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	err = ebb_target_of_task(task, mm);
	put_task_struct(task);
	return err;
}

/**
 * ebb_target_put() - let go of the memory
 * @mm: from ebb_target_get() or ebb_target_of_task()
 *
 * Context: process context, may sleep.
 */
void ebb_target_put(struct mm_struct *mm)
{
	mmdrop(mm);
}
