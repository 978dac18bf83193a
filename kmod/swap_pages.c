// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/swap_pages: addresses to reclaim. The format and the rules are etmem's.
 */
#include <linux/fs.h>
#include <linux/module.h>

#include "procfile.h"
#include "target.h"

static int swap_open(struct inode *inode, struct file *file)
{
	struct mm_struct *mm;
	int err;

	err = ebb_procfile_open(inode, file, EBB_CAP_RECLAIM, &mm);
	if (!err)
		file->private_data = mm;
	return err;
}

static int swap_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		ebb_target_put(file->private_data);
	return 0;
}

const struct file_operations ebb_swap_pages_fops = {
	.owner = THIS_MODULE,
	.open = swap_open,
	.release = swap_release,
	.llseek = noop_llseek,
};
