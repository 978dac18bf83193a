/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mark of mappings that a process offers for reclaim: a name that begins with a prefix.
 */
#ifndef EBB_MARK_H
#define EBB_MARK_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct vm_area_struct;

/* room for the prefix, with the 0 at its end */
#define EBB_MARK_MAX 64

/* Is there anything on this kernel that a mapping can be marked with? */
#define EBB_MARK_POSSIBLE                                                \
	(IS_ENABLED(CONFIG_ANON_VMA_NAME) || IS_ENABLED(CONFIG_SHMEM) || \
	 IS_ENABLED(CONFIG_HUGETLBFS))

void ebb_mark_get(char mark[EBB_MARK_MAX]);
bool ebb_mark_is_on(struct vm_area_struct *vma, const char *mark);

#endif /* EBB_MARK_H */
