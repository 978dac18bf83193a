// SPDX-License-Identifier: GPL-2.0
/*
 * Adds entries to /proc/PID. fs/proc/base.c hands its static table of them to two functions:
 *
 *	proc_pident_lookup(dir, dentry, table, end of table)
 *	proc_pident_readdir(file, ctx, table, number of entries)
 *
 * A kprobe on each exchanges the last two arguments for a longer copy of the table. All the rest is
 * the kernel's own work: owner, mode, hidepid, revalidation, going away with the process.
 *
 * Nothing is taken for granted: the table's layout is checked entry by entry against known
 * symbols, and the arguments are exchanged only when both are exactly what they should be. A
 * kernel that differs keeps its table, and the entries stay off.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ksym.h"
#include "pident.h"

/* As in fs/proc/base.c and fs/proc/internal.h; private to them, hence checked at run time. */
union proc_op {
	void *proc_get_link;
	ebb_pident_show_fn *proc_show;
	int lsm;
};

struct pid_entry {
	const char *name;
	unsigned int len;
	umode_t mode;
	const void *iop;
	const struct file_operations *fop;
	union proc_op op;
};

#define NAME_LEN_MAX 63
#define NR_ENTRIES_MIN 16
#define NR_ENTRIES_MAX 256

/* Set by ebb_pident_init(), constant while hooked. */
static unsigned long kernel_table;
static size_t nr_kernel; /* entries of the kernel's table */
static struct pid_entry *table; /* copy of them, and ours behind */
static size_t nr_table;

static bool mismatch; /* a hook saw the kernel's table with another length */

static bool name_is_sane(const struct pid_entry *entry)
{
	char name[NAME_LEN_MAX + 1];

	if (!entry->len || entry->len > NAME_LEN_MAX)
		return false;
	if (copy_from_kernel_nofault(name, entry->name, entry->len + 1))
		return false;
	return strnlen(name, sizeof(name)) == entry->len;
}

static bool entry_is_sane(const struct pid_entry *entry)
{
	if (entry->mode & ~(S_IFMT | 07777))
		return false;
	if (S_ISDIR(entry->mode))
		return entry->iop && entry->fop && name_is_sane(entry);
	if (S_ISLNK(entry->mode))
		return entry->iop && entry->op.proc_get_link && name_is_sane(entry);
	return S_ISREG(entry->mode) && entry->fop && name_is_sane(entry);
}

/* All names have been found sane. */
static const struct pid_entry *find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_kernel; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

/* A symbol's size is the distance to the next: zeros behind the table (KASAN's) are no entries. */
static void leave_out_padding(void)
{
	while (nr_kernel && !table[nr_kernel - 1].name && !table[nr_kernel - 1].len)
		nr_kernel--;
}

#define IS_AT(pointer, symbol) ((unsigned long)(pointer) == ebb_ksym_addr(EBB_KSYM_##symbol))

/* One known entry of each kind has to hold, in each member, what kallsyms says of it. */
static bool layout_is_known(void)
{
	const struct pid_entry *status = find("status");
	const struct pid_entry *maps = find("maps");
	const struct pid_entry *task = find("task");

	if (!status || !maps || !task)
		return false;
	return IS_AT(status->fop, proc_single_file_operations) &&
	       IS_AT(status->op.proc_show, proc_pid_status) && S_ISREG(status->mode) &&
	       IS_AT(maps->fop, proc_pid_maps_operations) && S_ISREG(maps->mode) &&
	       IS_AT(task->iop, proc_task_inode_operations) &&
	       IS_AT(task->fop, proc_task_operations) && S_ISDIR(task->mode);
}

static const char *check_table(const struct ebb_pident *entries, size_t nr)
{
	size_t i;

	leave_out_padding();
	for (i = 0; i < nr_kernel; i++)
		if (!entry_is_sane(&table[i]))
			return "the table of /proc/PID entries has a layout that ebb does not know";
	if (!layout_is_known())
		return "the kernel's table of /proc/PID entries does not hold what its symbols say";
	for (i = 0; i < nr; i++)
		if (find(entries[i].name))
			return "this kernel has entries of the same names itself";
	return NULL;
}

static void append(const struct ebb_pident *entry)
{
	table[nr_table++] = (struct pid_entry){
		.name = entry->name,
		.len = strlen(entry->name),
		.mode = S_IFREG | 0600,
		.fop = entry->fops,
		.op.proc_show = entry->show,
	};
}

/**
 * ebb_pident_init() - copy and check the kernel's table, add entries
 * @entries: the entries
 * @nr: how many
 *
 * Context: may sleep.
 * Return: NULL, or why the entries cannot be had; ebb_pident_exit() is due only after NULL.
 */
const char *ebb_pident_init(const struct ebb_pident *entries, size_t nr)
{
	const char *reason;
	size_t i;

	if (!IS_ENABLED(CONFIG_X86_64))
		return "written for x86-64 only so far";
	kernel_table = ebb_ksym_addr(EBB_KSYM_tgid_base_stuff);
	nr_kernel = ebb_ksym_size(EBB_KSYM_tgid_base_stuff) / sizeof(*table);
	if (nr_kernel < NR_ENTRIES_MIN || nr_kernel > NR_ENTRIES_MAX)
		return "the kernel's table of /proc/PID entries has an odd size";
	table = kcalloc(nr_kernel + nr, sizeof(*table), GFP_KERNEL);
	if (!table)
		return "out of memory";
	reason = "the kernel's table of /proc/PID entries cannot be read";
	if (!copy_from_kernel_nofault(table, (void *)kernel_table, nr_kernel * sizeof(*table)))
		reason = check_table(entries, nr);
	if (reason) {
		ebb_pident_exit();
		return reason;
	}
	nr_table = nr_kernel;
	for (i = 0; i < nr; i++)
		append(&entries[i]);
	return NULL;
}

/**
 * ebb_pident_exit() - free the table
 *
 * Context: not hooked, and no lookup or readdir uses the table any more; may sleep.
 */
void ebb_pident_exit(void)
{
	kfree(table);
	table = NULL;
}

#ifdef CONFIG_X86_64
static unsigned long *third_argument(struct pt_regs *regs)
{
	return &regs->dx;
}

static unsigned long *fourth_argument(struct pt_regs *regs)
{
	return &regs->cx;
}
#else
static unsigned long *third_argument(struct pt_regs *regs)
{
	return NULL;
}

static unsigned long *fourth_argument(struct pt_regs *regs)
{
	return NULL;
}
#endif

/* Give the function our table, when the kernel's has the length, @found, that it should have. */
static void exchange(struct pt_regs *regs, unsigned long found, unsigned long expected,
		     unsigned long ours)
{
	if (*third_argument(regs) != kernel_table)
		return;
	if (found != expected) {
		WRITE_ONCE(mismatch, true);
		return;
	}
	*third_argument(regs) = (unsigned long)table;
	*fourth_argument(regs) = ours;
}
NOKPROBE_SYMBOL(exchange);

static int on_lookup(struct kprobe *probe, struct pt_regs *regs)
{
	exchange(regs, *fourth_argument(regs), kernel_table + nr_kernel * sizeof(*table),
		 (unsigned long)(table + nr_table));
	return 0;
}
NOKPROBE_SYMBOL(on_lookup);

/* The number is an unsigned int: the upper half of the register means nothing. */
static int on_readdir(struct kprobe *probe, struct pt_regs *regs)
{
	exchange(regs, (u32)*fourth_argument(regs), nr_kernel, nr_table);
	return 0;
}
NOKPROBE_SYMBOL(on_readdir);

static struct kprobe lookup_probe, readdir_probe;

/*
 * unregister_kprobe() cannot tell when it fails, for lack of memory, to disarm a probe, and leaves
 * it where it is: so arming and disarming are done apart, only disarmed probes are unregistered.
 */
static int register_both(void)
{
	int err;

	/* what an earlier registration left inside has to go */
	lookup_probe = (struct kprobe){ .symbol_name = "proc_pident_lookup",
					.pre_handler = on_lookup,
					.flags = KPROBE_FLAG_DISABLED };
	readdir_probe = (struct kprobe){ .symbol_name = "proc_pident_readdir",
					 .pre_handler = on_readdir,
					 .flags = KPROBE_FLAG_DISABLED };
	err = register_kprobe(&lookup_probe);
	if (err)
		return err;
	err = register_kprobe(&readdir_probe);
	if (err)
		unregister_kprobe(&lookup_probe);
	return err;
}

static void unregister_both(void)
{
	unregister_kprobe(&readdir_probe);
	unregister_kprobe(&lookup_probe);
}

static int arm_both(void)
{
	int err;

	err = enable_kprobe(&lookup_probe);
	if (err)
		return err;
	err = enable_kprobe(&readdir_probe);
	if (err)
		disable_kprobe(&lookup_probe);
	return err;
}

/**
 * ebb_pident_hook() - have the kernel use the longer table
 *
 * Context: after ebb_pident_init(); may sleep.
 * Return: 0 or the error of register_kprobe() or enable_kprobe().
 */
int ebb_pident_hook(void)
{
	int err;

	WRITE_ONCE(mismatch, false);
	err = register_both();
	if (err)
		return err;
	err = arm_both();
	if (err)
		unregister_both();
	return err;
}

/**
 * ebb_pident_unhook() - have the kernel use its own table
 *
 * A lookup or readdir that began before may go on with the longer table: it holds the inode lock of
 * the directory as long as it does.
 *
 * Context: hooked; may sleep.
 * Return: 0; or the error of disable_kprobe(): still hooked then.
 */
int ebb_pident_unhook(void)
{
	int err;

	err = disable_kprobe(&readdir_probe);
	if (err)
		return err;
	err = disable_kprobe(&lookup_probe);
	if (err) {
		enable_kprobe(&readdir_probe);
		return err;
	}
	unregister_both();
	return 0;
}

/**
 * ebb_pident_mismatch() - did a hook see the kernel's table with a length it should not have?
 *
 * Context: any.
 * Return: true when so; the kernel's table was used then.
 */
bool ebb_pident_mismatch(void)
{
	return READ_ONCE(mismatch);
}
