// SPDX-License-Identifier: GPL-2.0
/*
 * Switches the entries in /proc/PID on and off; the module parameter "proc" does it at run time.
 *
 * While they are on, the module holds a reference on itself: it cannot go. Going off:
 *
 *  1. Unhook. Lookups that begin from now on see the kernel's own table.
 *  2. Drain. One that began before may still walk the longer table, and make an inode from it. It
 *     holds the inode lock of its /proc/PID directory: whoever takes that lock in turn knows it has
 *     ended.
 *  3. Retire. Cached inodes point at the file operations of this module. Their names are dropped:
 *     left in the cache, they would answer EIO when the entries come back. Then each is made a
 *     bad inode, while all CPUs are stopped: open(2) of 6.1 reads i_fop several times, to take a
 *     reference on its owner and to keep it in the file. If it changes in between, the reference
 *     on this module is never dropped. A CPU stops where tasks are switched, which is not in
 *     between; only a kernel with full preemption may lose a reference, and so keep the module.
 *  4. Wait until no task is between reading i_fop and try_module_get() in open(2): it does not
 *     sleep there, so synchronize_rcu_tasks() covers it. It reads our file operations, therefore
 *     they must still be there.
 *  5. Drop the reference. Files that are still open hold one each.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>

#include "cap.h"
#include "ksym.h"
#include "pident.h"
#include "procfile.h"
#include "procfs.h"

static const struct ebb_pident entries[] = {
	{ .name = "idle_pages", .fops = &ebb_idle_pages_fops, .show = ebb_procfile_show },
	{ .name = "swap_pages", .fops = &ebb_swap_pages_fops, .show = ebb_procfile_show },
};

static DEFINE_MUTEX(switch_lock);
static bool is_wanted = true; /* the parameter; before the init: what the command line says */
static bool is_ready; /* init has found that the entries are possible */
static bool is_hooked; /* lookups see the entries */
static bool is_on; /* the reference is held, entries may be cached */

/**
 * struct inode_visit - something to do with some inodes of all proc instances
 * @is_meant: which ones; called under spinlocks
 * @visit: what to do; may sleep, the inode is held. 0 or an error, which ends the round
 * @err: what the last @visit returned
 */
struct inode_visit {
	bool (*is_meant)(struct inode *inode);
	int (*visit)(struct inode *inode);
	int err;
};

static void visit_inodes(struct super_block *sb, void *arg)
{
	struct inode_visit *how = arg;
	struct inode *inode, *previous = NULL;

	spin_lock(&sb->s_inode_list_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		if (how->err)
			break;
		if (!how->is_meant(inode) || !igrab(inode)) /* not grabbed: on its way out */
			continue;
		spin_unlock(&sb->s_inode_list_lock);
		/* @inode keeps the place in the list from here on, the one before may go */
		iput(previous);
		previous = inode;
		how->err = how->visit(inode);
		cond_resched();
		spin_lock(&sb->s_inode_list_lock);
	}
	spin_unlock(&sb->s_inode_list_lock);
	iput(previous);
}

static int visit_proc_inodes(bool (*is_meant)(struct inode *inode),
			     int (*visit)(struct inode *inode))
{
	struct inode_visit how = { .is_meant = is_meant, .visit = visit };
	struct file_system_type *proc = get_fs_type("proc");

	if (!proc) /* nothing can be mounted then */
		return 0;
	iterate_supers_type(proc, visit_inodes, &how);
	module_put(proc->owner);
	return how.err;
}

static bool is_pid_directory(struct inode *inode)
{
	return (unsigned long)READ_ONCE(inode->i_op) ==
	       ebb_ksym_addr(EBB_KSYM_proc_tgid_base_inode_operations);
}

/* A readdir may wait for its caller's memory as long as that caller likes: hence killable. */
static int drain(struct inode *inode)
{
	if (down_write_killable(&inode->i_rwsem))
		return -EINTR;
	inode_unlock(inode);
	return 0;
}

static bool is_ours(struct inode *inode)
{
	const struct file_operations *fops = READ_ONCE(inode->i_fop);

	return fops == &ebb_idle_pages_fops || fops == &ebb_swap_pages_fops;
}

static void drop_names(struct inode *inode)
{
	struct dentry *alias;

	while ((alias = d_find_alias(inode))) {
		d_drop(alias);
		dput(alias);
	}
}

/* Inodes that are retired together: stopping the machine is not cheap. Under switch_lock. */
static struct {
	struct inode *inodes[128];
	unsigned int nr;
} retired;

/* Runs with all other CPUs stopped and interrupts off. */
static int make_all_bad(void *unused)
{
	unsigned int i;

	for (i = 0; i < retired.nr; i++)
		make_bad_inode(retired.inodes[i]);
	return 0;
}

static void retire_batch(void)
{
	lockdep_assert_held(&switch_lock);
	stop_machine(make_all_bad, NULL, NULL);
	while (retired.nr)
		iput(retired.inodes[--retired.nr]);
}

static int retire(struct inode *inode)
{
	drop_names(inode);
	ihold(inode);
	retired.inodes[retired.nr++] = inode;
	if (retired.nr == ARRAY_SIZE(retired.inodes))
		retire_batch();
	return 0;
}

static void retire_all(void)
{
	visit_proc_inodes(is_ours, retire);
	if (retired.nr)
		retire_batch();
}

static bool exists(const char *name)
{
	struct path path;

	if (kern_path(name, 0, &path))
		return false;
	path_put(&path);
	return true;
}

/* Look once where a user would look. Where no /proc is mounted nothing can be said. */
static bool entries_show(void)
{
	return exists("/proc/self/idle_pages") || !exists("/proc/self/status");
}

static void report(void)
{
	if (!is_hooked)
		ebb_cap_off(EBB_CAP_PROC_ENTRIES,
			    "switched off (write 1 to /sys/module/ebb/parameters/proc)");
	else if (ebb_pident_mismatch() || !entries_show())
		ebb_cap_off(EBB_CAP_PROC_ENTRIES,
			    "this kernel does not use its table of /proc/PID entries as expected");
	else
		ebb_cap_on(EBB_CAP_PROC_ENTRIES);
}

static int hook(void)
{
	int err;

	err = ebb_pident_hook();
	is_hooked = !err;
	report();
	if (err)
		ebb_cap_off(EBB_CAP_PROC_ENTRIES, "the kernel refuses a kprobe (error %d)", -err);
	return err;
}

static int unhook(void)
{
	int err = is_hooked ? ebb_pident_unhook() : 0;

	if (!err)
		is_hooked = false;
	return err;
}

static int switch_on(void)
{
	int err;

	lockdep_assert_held(&switch_lock);
	if (is_on && is_hooked)
		return 0;
	if (!is_on && !try_module_get(THIS_MODULE)) /* the module is going */
		return -ENODEV;
	err = hook();
	if (err && !is_on)
		module_put(THIS_MODULE);
	else
		is_on = true;
	return err;
}

/* When interrupted, all is as before if the kernel lets us hook again; the reference stays. */
static int switch_off(void)
{
	int err;

	lockdep_assert_held(&switch_lock);
	if (!is_on)
		return 0;
	err = unhook();
	if (err)
		return err;
	err = visit_proc_inodes(is_pid_directory, drain);
	if (err) {
		hook();
		return err;
	}
	retire_all();
	synchronize_rcu_tasks();
	is_on = false;
	report();
	module_put(THIS_MODULE);
	return 0;
}

/* Parameters are set before the init as well, from the command line: only noted then. */
static int set_proc(const char *value, const struct kernel_param *param)
{
	bool wanted;
	int err;

	err = kstrtobool(value, &wanted);
	if (err)
		return err;
	mutex_lock(&switch_lock);
	if (is_ready)
		err = wanted ? switch_on() : switch_off();
	else if (THIS_MODULE->state == MODULE_STATE_LIVE)
		err = wanted ? -EOPNOTSUPP : 0;
	if (!err)
		is_wanted = wanted;
	mutex_unlock(&switch_lock);
	return err;
}

static const struct kernel_param_ops proc_param_ops = {
	.set = set_proc,
	.get = param_get_bool,
};
module_param_cb(proc, &proc_param_ops, &is_wanted, 0644);
MODULE_PARM_DESC(
	proc,
	"idle_pages and swap_pages in /proc/PID (default Y); while on, only modprobe -r unloads");

/* Find out whether the entries are possible. */
static bool prepare(void)
{
	const char *reason;

	if (!ebb_cap_available(EBB_CAP_PROC_ENTRIES)) /* a symbol is missing */
		return false;
	reason = ebb_pident_init(entries, ARRAY_SIZE(entries));
	if (reason)
		ebb_cap_off(EBB_CAP_PROC_ENTRIES, "%s", reason);
	return !reason;
}

/**
 * ebb_procfs_init() - switch the entries on, unless the command line says otherwise
 *
 * A kernel on which they are not possible is no error: the capability tells.
 *
 * Context: module init.
 * Return: 0.
 */
int ebb_procfs_init(void)
{
	mutex_lock(&switch_lock);
	is_ready = prepare();
	if (is_ready && !is_wanted)
		report();
	else if (!is_ready || switch_on())
		is_wanted = false;
	mutex_unlock(&switch_lock);
	return 0;
}

/**
 * ebb_procfs_exit() - free what init made
 *
 * The entries are off: else the module's reference on itself would have kept it. Only an unload by
 * force, which disregards references, finds them on.
 *
 * Context: module exit.
 */
void ebb_procfs_exit(void)
{
	mutex_lock(&switch_lock);
	switch_off();
	if (is_ready)
		ebb_pident_exit();
	is_ready = false;
	mutex_unlock(&switch_lock);
}
