/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module can do on the kernel it runs on, and if not, why not.
 */
#ifndef EBB_CAP_H
#define EBB_CAP_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

/**
 * enum ebb_cap - capabilities, by the names that userspace sees (&enum ebb_cap_attr)
 * @EBB_CAP_SCAN: "scan": tell young pages from idle ones
 * @EBB_CAP_SKIP_TABLES: "skip_tables": leave out page tables that were not touched
 * @EBB_CAP_RECLAIM: "reclaim": push pages out
 * @EBB_CAP_PROC_ENTRIES: "proc_entries": /proc/PID/idle_pages and swap_pages
 * @EBB_CAP_YOUNG_HANDBACK: "young_handback": tell the kernel's own reclaim what was young
 * @EBB_CAP_HUGETLB: "hugetlb": scan mappings of hugetlbfs
 * @EBB_CAP_GUESTS: "guests": tell what the virtual machines of a process touched
 * @EBB_NR_CAPS: number of capabilities
 */
enum ebb_cap {
	EBB_CAP_SCAN,
	EBB_CAP_SKIP_TABLES,
	EBB_CAP_RECLAIM,
	EBB_CAP_PROC_ENTRIES,
	EBB_CAP_YOUNG_HANDBACK,
	EBB_CAP_HUGETLB,
	EBB_CAP_GUESTS,
	EBB_NR_CAPS,
};

/* room for a reason, with the 0 at its end */
#define EBB_CAP_REASON_MAX 160

void ebb_cap_init(void);
const char *ebb_cap_name(enum ebb_cap cap);
bool ebb_cap_available(enum ebb_cap cap);
bool ebb_cap_get(enum ebb_cap cap, char reason[EBB_CAP_REASON_MAX]);
void ebb_cap_on(enum ebb_cap cap);
__printf(2, 3) void ebb_cap_off(enum ebb_cap cap, const char *fmt, ...);

#endif /* EBB_CAP_H */
