// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/idle_pages: the position is an address, a read returns the PIP stream from there on and
 * clears the accessed bits of what it tells. The format and the rules are etmem's.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/ebb.h>

#include "procfile.h"
#include "scan.h"
#include "target.h"

#define CHUNK_MAX 7991 /* bytes of one chunk; etmem's */
#define PAGES_PER_BYTE 8 /* of a read, in its span */

/* What open(2) may be given: these share their bits with flags of its own. */
#define OPEN_FLAGS \
	(EBB_SCAN_HUGE_PAGE | EBB_VMA_SCAN_FLAG | EBB_SCAN_SKIM_IDLE | EBB_SCAN_DIRTY_PAGE)

/**
 * struct idle_file - an open idle_pages
 * @mm: the memory; NULL when there was none at open
 * @lock: protects @flags
 * @flags: EBB_SCAN_HUGE_PAGE and the like
 * @is_stale: bits were cleared since the last flush of the TLB
 */
struct idle_file {
	struct mm_struct *mm;
	struct mutex lock;
	u32 flags;
	bool is_stale;
};

static int idle_open(struct inode *inode, struct file *file)
{
	const u32 flags = file->f_flags & OPEN_FLAGS;
	struct idle_file *idle;
	struct mm_struct *mm;
	int err;

	err = ebb_procfile_open(inode, file, EBB_CAP_SCAN, &mm);
	if (err)
		return err;
	if (flags & ~EBB_PIP_FLAGS_ALL) {
		err = -EINVAL;
		goto put_mm;
	}
	idle = kzalloc(sizeof(*idle), GFP_KERNEL_ACCOUNT);
	if (!idle) {
		err = -ENOMEM;
		goto put_mm;
	}
	idle->mm = mm;
	mutex_init(&idle->lock);
	idle->flags = flags;
	file->private_data = idle;
	return 0;

put_mm:
	if (mm)
		ebb_target_put(mm);
	return err;
}

/* What was cleared becomes exact for what follows. */
static void flush(struct idle_file *idle)
{
	if (xchg(&idle->is_stale, false))
		ebb_scan_flush(idle->mm);
}

static int idle_release(struct inode *inode, struct file *file)
{
	struct idle_file *idle = file->private_data;

	flush(idle);
	if (idle->mm)
		ebb_target_put(idle->mm);
	kfree(idle);
	return 0;
}

/* Going back begins a new round: what the last one cleared has to be seen by the CPUs before. */
static loff_t idle_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	if (offset < file->f_pos)
		flush(file->private_data);
	file->f_pos = offset;
	return offset;
}

/* The span of a read: 1, or 0 when there is nothing to read, or an error. */
static int check_span(size_t count, u64 start, u64 *end)
{
	*end = start + (u64)count * PAGES_PER_BYTE * PAGE_SIZE;
	if (start >= TASK_SIZE_MAX || *end >= TASK_SIZE_MAX || *end <= start)
		return 0;
	if (!PAGE_ALIGNED(start) || count < EBB_PIP_READ_MIN)
		return -EINVAL;
	return 1;
}

/*
 * One chunk, of at most @size bytes, to @buf. The bits of what is told are cleared before it is
 * copied out: so see first that it can be.
 */
static ssize_t read_chunk(struct idle_file *idle, u64 *pos, u64 end, char *chunk, size_t size,
			  char __user *buf)
{
	u64 next = *pos;
	ssize_t len;

	if (fault_in_safe_writeable(buf, size))
		return -EFAULT;
	WRITE_ONCE(idle->is_stale, true);
	len = ebb_scan_pip(idle->mm, &next, end - next, READ_ONCE(idle->flags), chunk, size);
	if (len < 0)
		return len;
	if (copy_to_user(buf, chunk, len))
		return -EFAULT;
	*pos = next;
	return len;
}

/* Chunks until the span or the buffer ends, or there is no more to be had now. */
static ssize_t read_span(struct idle_file *idle, u64 *pos, u64 end, char *chunk, char __user *buf,
			 size_t count)
{
	size_t done = 0;
	ssize_t len;

	while (*pos < end && count - done >= EBB_PIP_READ_MIN) {
		u64 before = *pos;

		len = read_chunk(idle, pos, end, chunk, min_t(size_t, count - done, CHUNK_MAX),
				 buf + done);
		if (len < 0)
			return done ?: len;
		done += len;
		if (*pos == before)
			break;
		if (fatal_signal_pending(current))
			return done ?: -EINTR;
		cond_resched();
	}
	return done;
}

static ssize_t idle_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	struct idle_file *idle = file->private_data;
	u64 pos = *ppos, end;
	ssize_t ret;
	char *chunk;

	ret = check_span(count, pos, &end);
	if (ret <= 0)
		return ret;
	if (!idle->mm)
		return -ESRCH;
	chunk = kmalloc(min_t(size_t, count, CHUNK_MAX), GFP_KERNEL);
	if (!chunk)
		return -ENOMEM;
	ret = read_span(idle, &pos, end, chunk, buf, count);
	kfree(chunk);
	*ppos = pos;
	return ret;
}

static int change_flags(struct idle_file *idle, const u32 __user *arg, u32 allowed, bool add)
{
	u32 flags;

	if (get_user(flags, arg))
		return -EFAULT;
	if (flags & ~allowed)
		return -EINVAL;
	mutex_lock(&idle->lock);
	WRITE_ONCE(idle->flags, add ? idle->flags | flags : idle->flags & ~flags);
	mutex_unlock(&idle->lock);
	return 0;
}

static long idle_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const u32 scan = EBB_PIP_FLAGS_ALL & ~EBB_VMA_SCAN_FLAG;
	const u32 vma = EBB_PIP_FLAGS_ALL & EBB_VMA_SCAN_FLAG;
	struct idle_file *idle = file->private_data;
	u32 __user *user = (u32 __user *)arg;

	switch (cmd) {
	case EBB_IDLE_SCAN_ADD_FLAGS:
		return change_flags(idle, user, scan, true);
	case EBB_IDLE_SCAN_REMOVE_FLAGS:
		return change_flags(idle, user, scan, false);
	case EBB_VMA_SCAN_ADD_FLAGS:
		return change_flags(idle, user, vma, true);
	case EBB_VMA_SCAN_REMOVE_FLAGS:
		return change_flags(idle, user, vma, false);
	default:
		return -EOPNOTSUPP;
	}
}

const struct file_operations ebb_idle_pages_fops = {
	.owner = THIS_MODULE,
	.open = idle_open,
	.release = idle_release,
	.llseek = idle_llseek,
	.read = idle_read,
	.unlocked_ioctl = idle_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
