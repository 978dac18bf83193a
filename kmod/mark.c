// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings are marked by a name that begins with the prefix in the module parameter "mark":
 *
 *	- the name given by prctl(PR_SET_VMA_ANON_NAME), where the kernel has CONFIG_ANON_VMA_NAME;
 *	- on all kernels the name of the file, when its memory is shmem or hugetlbfs: what
 *	  memfd_create() was given, or a file's own name in tmpfs.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat/mm.h"
#include "mark.h"

#define MEMFD "memfd:" /* before the name that memfd_create() was given */

static char prefix[EBB_MARK_MAX] = "etmem";
static DEFINE_SPINLOCK(prefix_lock);

/* What both PR_SET_VMA_ANON_NAME and a file's name may have. */
static bool is_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isascii(text[i]) || !isprint(text[i]) || strchr("\\`$[]/", text[i]))
			return false;
	return len > 0 && len < EBB_MARK_MAX;
}

static int set_prefix(const char *val, const struct kernel_param *param)
{
	size_t len = strcspn(val, "\n");

	if (!is_name(val, len))
		return -EINVAL;
	spin_lock(&prefix_lock);
	memcpy(prefix, val, len);
	prefix[len] = '\0';
	spin_unlock(&prefix_lock);
	return 0;
}

static int get_prefix(char *buffer, const struct kernel_param *param)
{
	char mark[EBB_MARK_MAX];

	ebb_mark_get(mark);
	return scnprintf(buffer, PAGE_SIZE, "%s\n", mark);
}

static const struct kernel_param_ops prefix_ops = { .set = set_prefix, .get = get_prefix };
module_param_cb(mark, &prefix_ops, NULL, 0644);
MODULE_PARM_DESC(mark,
		 "VMA_SCAN_FLAG: what the names of marked mappings begin with (default etmem)");

/**
 * ebb_mark_get() - the prefix as it is now
 * @mark: gets it
 *
 * Context: any but interrupts.
 */
void ebb_mark_get(char mark[EBB_MARK_MAX])
{
	spin_lock(&prefix_lock);
	strscpy(mark, prefix, EBB_MARK_MAX);
	spin_unlock(&prefix_lock);
}

/* A file in memory; the names of others are no offer of their memory. */
static bool is_memory(const struct file *file)
{
	unsigned long magic = file_inode(file)->i_sb->s_magic;

	return magic == TMPFS_MAGIC || magic == HUGETLBFS_MAGIC;
}

static bool is_file_marked(const struct file *file, const char *mark)
{
	struct dentry *dentry = file->f_path.dentry;
	const char *name;
	bool is_marked;

	spin_lock(&dentry->d_lock); /* the name may change */
	name = dentry->d_name.name;
	name += str_has_prefix(name, MEMFD);
	is_marked = str_has_prefix(name, mark);
	spin_unlock(&dentry->d_lock);
	return is_marked;
}

/**
 * ebb_mark_is_on() - is this mapping marked?
 * @vma: the mapping
 * @mark: the prefix, from ebb_mark_get()
 *
 * Context: mmap_lock held.
 * Return: true when it is.
 */
bool ebb_mark_is_on(struct vm_area_struct *vma, const char *mark)
{
	const char *name = ebb_vma_name(vma);

	mmap_assert_locked(vma->vm_mm);
	if (name && str_has_prefix(name, mark))
		return true;
	return vma->vm_file && is_memory(vma->vm_file) && is_file_marked(vma->vm_file, mark);
}
