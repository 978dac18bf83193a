// SPDX-License-Identifier: GPL-2.0
/*
 * On a kernel with CONFIG_DEBUG_VM the mmap_lock assertions of <linux/mmap_lock.h> call dump_mm(),
 * which no kernel exports to modules.
 */
#include <linux/mmdebug.h>
#include <linux/mm_types.h>
#include <linux/printk.h>

#ifdef CONFIG_DEBUG_VM
/**
 * dump_mm() - say which memory an assertion failed for
 * @mm: address space
 *
 * Context: any; called right before a BUG().
 */
void dump_mm(const struct mm_struct *mm)
{
	pr_emerg("ebb: mm %px: users %d, mappings %d, flags %lx\n", mm, atomic_read(&mm->mm_users),
		 mm->map_count, mm->flags);
}
#endif
