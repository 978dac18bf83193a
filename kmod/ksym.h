/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every symbol of the kernel that ebb uses and that is not exported, in one table.
 *
 * A row gives the exact name, the capabilities that need it, and its type. To call one:
 *
 *	if (ebb_has(mm_access))
 *		mm = ebb_call(mm_access)(task, mode);
 *
 * A call of a symbol that is not there does nothing and returns garbage: ask ebb_has() or
 * ebb_cap_available() first. The calls are static calls, i.e. patched to direct ones: a kernel
 * that enforces indirect branch tracking (IBT) removes the landing pad of functions whose address
 * it never takes, so an indirect call there would fault. A direct one is right on every kernel,
 * and may sleep or migrate, which bracketing with the control register of the CPU may not.
 */
#ifndef EBB_KSYM_H
#define EBB_KSYM_H

#include <linux/bits.h>
#include <linux/static_call.h>
#include <linux/types.h>

#include "cap.h"
#include "compat/mm.h"

struct folio;
struct list_head;
struct mm_struct;
struct mmu_notifier_range;
struct task_struct;

/* the capabilities that need a row */
#define EBB_NEED(cap) BIT(EBB_CAP_##cap)
#define EBB_NEED_TARGET (EBB_NEED(SCAN) | EBB_NEED(RECLAIM) | EBB_NEED(PROC_ENTRIES))
#define EBB_NEED_NONE 0 /* an alternative exists, the caller asks ebb_has() */

/* clang-format off */

/* functions: name, needed by, return type, arguments */
#define EBB_KSYM_FUNCTIONS(X) \
	X(mm_access, EBB_NEED_TARGET, struct mm_struct *, \
	  (struct task_struct *task, unsigned int mode)) \
	X(flush_tlb_mm_range, EBB_NEED(SCAN) | EBB_NEED(RECLAIM), void, \
	  (struct mm_struct *mm, unsigned long start, unsigned long end, \
	   unsigned int stride_shift, bool freed_tables)) \
	X(folio_isolate_lru, EBB_NEED(RECLAIM), ebb_isolate_t, (struct folio *folio)) \
	X(folio_putback_lru, EBB_NEED(RECLAIM), void, (struct folio *folio)) \
	X(__mmu_notifier_test_young, EBB_NEED(GUESTS), int, \
	  (struct mm_struct *mm, unsigned long addr)) \
	X(__mmu_notifier_clear_young, EBB_NEED(GUESTS), int, \
	  (struct mm_struct *mm, unsigned long start, unsigned long end)) \
	X(__mmu_notifier_invalidate_range_start, EBB_NEED(GUESTS), int, \
	  (struct mmu_notifier_range *range)) \
	X(__mmu_notifier_invalidate_range_end, EBB_NEED(GUESTS), void, EBB_RANGE_END_ARGS) \
	X(lru_add_drain_all, EBB_NEED_NONE, void, (void)) \
	X(reclaim_pages, EBB_NEED(RECLAIM), unsigned long, (struct list_head *folios))

/* addresses: name, needed by. Data, or functions that are not called from here */
#define EBB_KSYM_ADDRESSES(X) \
	X(proc_pident_lookup, EBB_NEED(PROC_ENTRIES)) \
	X(proc_pident_readdir, EBB_NEED(PROC_ENTRIES)) \
	X(tgid_base_stuff, EBB_NEED(PROC_ENTRIES)) \
	X(proc_tgid_base_inode_operations, EBB_NEED(PROC_ENTRIES)) \
	X(proc_single_file_operations, EBB_NEED(PROC_ENTRIES)) \
	X(proc_pid_status, EBB_NEED(PROC_ENTRIES)) \
	X(proc_pid_maps_operations, EBB_NEED(PROC_ENTRIES)) \
	X(proc_task_inode_operations, EBB_NEED(PROC_ENTRIES)) \
	X(proc_task_operations, EBB_NEED(PROC_ENTRIES))

#define EBB_KSYM_ENUM(name, ...) EBB_KSYM_##name,
enum ebb_ksym {
	EBB_KSYM_FUNCTIONS(EBB_KSYM_ENUM)
	EBB_KSYM_ADDRESSES(EBB_KSYM_ENUM)
	EBB_NR_KSYMS
};

/* clang-format on */

#define EBB_KSYM_DECLARE(name, needed_by, ret, args) \
	typedef ret ebb_ksym_##name##_fn args;       \
	DECLARE_STATIC_CALL(ebb_ksym_##name, ebb_ksym_##name##_fn);
EBB_KSYM_FUNCTIONS(EBB_KSYM_DECLARE)

/* The function of that name, to be called at once. */
#define ebb_call(name) static_call(ebb_ksym_##name)

/* Is the symbol there? */
#define ebb_has(name) (ebb_ksym_addr(EBB_KSYM_##name) != 0)

int ebb_ksym_init(void);
unsigned long ebb_ksym_addr(enum ebb_ksym sym);
size_t ebb_ksym_size(enum ebb_ksym sym);
const char *ebb_ksym_missing(enum ebb_cap cap);

#endif /* EBB_KSYM_H */
