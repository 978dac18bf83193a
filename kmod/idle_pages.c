// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/idle_pages: the position is an address. The format and the rules are etmem's.
 */
#include <linux/fs.h>
#include <linux/module.h>

#include "procfile.h"
#include "target.h"

static int idle_open(struct inode *inode, struct file *file)
{
	struct mm_struct *mm;
	int err;

	err = ebb_procfile_open(inode, file, EBB_CAP_SCAN, &mm);
	if (!err)
		file->private_data = mm;
	return err;
}

static int idle_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		ebb_target_put(file->private_data);
	return 0;
}

static loff_t idle_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

const struct file_operations ebb_idle_pages_fops = {
	.owner = THIS_MODULE,
	.open = idle_open,
	.release = idle_release,
	.llseek = idle_llseek,
};
