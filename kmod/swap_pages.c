// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/swap_pages: each line written is a hexadecimal address, the page there is reclaimed.
 * The format and the rules are etmem's; a line may be cut anywhere by the end of a write.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/ebb.h>

#include "procfile.h"
#include "reclaim.h"
#include "swapcache.h"
#include "target.h"

#define LINE_MAX 32 /* an address with blanks around, and the 0 at its end */
#define BATCH_MAX 512 /* addresses in one reclaim */
#define INPUT_MAX 4096 /* bytes taken from the user at a time */

/**
 * struct swap_file - an open swap_pages
 * @mm: the memory; NULL when there was none at open
 * @lock: one write at a time; protects what follows
 * @line: the beginning of a line whose end is still to come
 * @line_len: its length so far; LINE_MAX: too long to be an address
 * @nr_batch: number of addresses in @batch
 * @batch: addresses to reclaim
 * @input: what was copied from the user
 */
struct swap_file {
	struct mm_struct *mm;
	struct mutex lock;
	char line[LINE_MAX];
	size_t line_len;
	size_t nr_batch;
	unsigned long batch[BATCH_MAX];
	char input[INPUT_MAX];
};

static int swap_open(struct inode *inode, struct file *file)
{
	struct swap_file *swap;
	struct mm_struct *mm;
	int err;

	err = ebb_procfile_open(inode, file, EBB_CAP_RECLAIM, &mm);
	if (err)
		return err;
	swap = kvzalloc(sizeof(*swap), GFP_KERNEL_ACCOUNT);
	if (!swap) {
		if (mm)
			ebb_target_put(mm);
		return -ENOMEM;
	}
	swap->mm = mm;
	mutex_init(&swap->lock);
	file->private_data = swap;
	return 0;
}

/* etmem leaves no kind of mapping out, so code goes as well. */
static int reclaim_batch(struct swap_file *swap)
{
	u64 outcomes[__EBB_OUTCOME_MAX] = {};
	size_t nr = swap->nr_batch;

	swap->nr_batch = 0;
	return nr ? ebb_reclaim_addrs(swap->mm, swap->batch, nr, EBB_RECLAIM_EXEC, outcomes) : 0;
}

/* Is the line an address, hexadecimal, with or without 0x, blanks around it? */
static bool parse_line(struct swap_file *swap, unsigned long *addr)
{
	size_t len = swap->line_len;

	if (len == LINE_MAX)
		return false;
	swap->line[len] = '\0';
	return strlen(swap->line) == len && !kstrtoul(strim(swap->line), 16, addr);
}

/* The line is complete. What is no address is left out. */
static int end_line(struct swap_file *swap)
{
	unsigned long addr;
	bool is_addr = parse_line(swap, &addr);

	swap->line_len = 0;
	if (!is_addr)
		return 0;
	swap->batch[swap->nr_batch++] = addr & PAGE_MASK;
	return swap->nr_batch == BATCH_MAX ? reclaim_batch(swap) : 0;
}

static int take_char(struct swap_file *swap, char c)
{
	if (c == '\n')
		return end_line(swap);
	if (swap->line_len < LINE_MAX)
		swap->line[swap->line_len++] = c;
	return 0;
}

static int take_input(struct swap_file *swap, size_t len)
{
	size_t i;
	int err;

	for (i = 0; i < len; i++) {
		err = take_char(swap, swap->input[i]);
		if (err)
			return err;
	}
	return 0;
}

static int take_some(struct swap_file *swap, const char __user *buf, size_t len)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (copy_from_user(swap->input, buf, len))
		return -EFAULT;
	return take_input(swap, len);
}

static ssize_t take_all(struct swap_file *swap, const char __user *buf, size_t count)
{
	size_t done = 0;
	int err = 0, err_batch;

	while (done < count && !err) {
		size_t len = min_t(size_t, count - done, INPUT_MAX);

		err = take_some(swap, buf + done, len);
		if (!err)
			done += len;
		cond_resched();
	}
	err_batch = reclaim_batch(swap);
	return err_batch ?: done ?: err;
}

static ssize_t swap_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	struct swap_file *swap = file->private_data;
	ssize_t ret;

	if (!swap->mm || !mmget_not_zero(swap->mm))
		return -ESRCH;
	ret = -EINTR;
	if (!mutex_lock_killable(&swap->lock)) {
		ret = take_all(swap, buf, count);
		mutex_unlock(&swap->lock);
	}
	mmput(swap->mm);
	return ret;
}

/* A last line needs no newline. */
static int swap_release(struct inode *inode, struct file *file)
{
	struct swap_file *swap = file->private_data;

	if (swap->line_len && mmget_not_zero(swap->mm)) {
		if (!end_line(swap))
			reclaim_batch(swap);
		mmput(swap->mm);
	}
	if (swap->mm)
		ebb_target_put(swap->mm);
	kvfree(swap);
	return 0;
}

static int set_watermarks(const u32 __user *arg)
{
	u32 marks;

	return get_user(marks, arg) ? -EFAULT : ebb_swapcache_set_watermarks(marks);
}

/* The swap cache is that of all processes. */
static long swap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case EBB_SWAPCACHE_RECLAIM_OFF:
		ebb_swapcache_off();
		return 0;
	case EBB_SWAPCACHE_RECLAIM_ON:
		return ebb_swapcache_on();
	case EBB_SWAPCACHE_SET_WATERMARK:
		return set_watermarks((const u32 __user *)arg);
	default:
		return -EOPNOTSUPP;
	}
}

const struct file_operations ebb_swap_pages_fops = {
	.owner = THIS_MODULE,
	.open = swap_open,
	.release = swap_release,
	.llseek = noop_llseek,
	.write = swap_write,
	.unlocked_ioctl = swap_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
