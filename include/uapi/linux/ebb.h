/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The contract between ebb.ko and userspace: the generic netlink family "ebb" and the
 * files /proc/PID/idle_pages and /proc/PID/swap_pages.
 *
 * All addresses are virtual addresses of the target process, all sizes are bytes unless the
 * name says otherwise. Everything here needs CAP_SYS_ADMIN in the initial user namespace and
 * ptrace access to the target.
 */
#ifndef _UAPI_LINUX_EBB_H
#define _UAPI_LINUX_EBB_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define EBB_GENL_NAME "ebb"
#define EBB_GENL_VERSION 1

/**
 * enum ebb_cmd - commands of the genetlink family
 * @EBB_CMD_CAPS: do: what this module can do on this kernel. Reply: %EBB_A_VERSION and one
 *	%EBB_A_CAP nest for each capability.
 * @EBB_CMD_SCAN: dump: which pages of a process were touched since the last scan. Request:
 *	%EBB_A_PID, and optionally %EBB_A_START, %EBB_A_END, %EBB_A_FLAGS (&enum ebb_scan_flag).
 *	Replies: %EBB_A_RUNS, in ascending order of address; the last message has
 *	the %EBB_A_STATS nest of this scan, and no runs. Errors: ESRCH no such process or it is
 *	exiting, EPERM, EBUSY another scan of the same memory is under way, EINVAL, EOPNOTSUPP a
 *	capability is missing; each with an extended ack text.
 * @EBB_CMD_RECLAIM: do: push pages out to swap or drop them when clean. Request: %EBB_A_PID,
 *	%EBB_A_RANGES, and optionally %EBB_A_FLAGS (&enum ebb_reclaim_flag). Reply:
 *	the %EBB_A_OUTCOMES nest, which counts every page asked for exactly once. A killed caller
 *	gets EINTR; EAGAIN is not used.
 * @EBB_CMD_STATS: do: the counters of the module since it was loaded. Reply: %EBB_A_STATS and
 *	%EBB_A_OUTCOMES nests, and %EBB_A_LOCK_HELD.
 */
enum ebb_cmd {
	EBB_CMD_UNSPEC,
	EBB_CMD_CAPS,
	EBB_CMD_SCAN,
	EBB_CMD_RECLAIM,
	EBB_CMD_STATS,
	__EBB_CMD_MAX,
};
#define EBB_CMD_MAX (__EBB_CMD_MAX - 1)

/**
 * enum ebb_attr - top-level attributes
 * @EBB_A_PAD: alignment of 64-bit attributes
 * @EBB_A_VERSION: string: version of the module, "0.1.0"
 * @EBB_A_PID: u32: process id of the target, as the sender's PID namespace sees it
 * @EBB_A_START: u64: first address of a scan, a multiple of the page size; default 0
 * @EBB_A_END: u64: end (exclusive), a multiple of the page size; default: all of the address space
 * @EBB_A_FLAGS: u32: flags of the command; unknown ones are refused with EINVAL
 * @EBB_A_RUNS: binary: array of &struct ebb_run
 * @EBB_A_RANGES: binary: array of 1 to %EBB_RANGES_MAX &struct ebb_range
 * @EBB_A_CAP: nest of &enum ebb_cap_attr; comes several times
 * @EBB_A_STATS: nest of &enum ebb_stat
 * @EBB_A_OUTCOMES: nest of &enum ebb_outcome
 * @EBB_A_LOCK_HELD: binary: array of %EBB_LOCK_HELD_BUCKETS u64: how often mmap_lock of a target
 *	was held for 2^i up to (not including) 2^(i+1) nanoseconds, i from 0; the first counts 0 ns
 *	too, the last all that is longer
 */
enum ebb_attr {
	EBB_A_UNSPEC,
	EBB_A_PAD,
	EBB_A_VERSION,
	EBB_A_PID,
	EBB_A_START,
	EBB_A_END,
	EBB_A_FLAGS,
	EBB_A_RUNS,
	EBB_A_RANGES,
	EBB_A_CAP,
	EBB_A_STATS,
	EBB_A_OUTCOMES,
	EBB_A_LOCK_HELD,
	__EBB_A_MAX,
};
#define EBB_A_MAX (__EBB_A_MAX - 1)
#define EBB_LOCK_HELD_BUCKETS 40

/**
 * enum ebb_cap_attr - one capability
 * @EBB_CAP_A_NAME: string: "scan", "skip_tables", "reclaim", "proc_entries", "young_handback",
 *	"hugetlb", "guests"
 * @EBB_CAP_A_AVAILABLE: u8: 1 or 0
 * @EBB_CAP_A_REASON: string: when not available, what is missing
 */
enum ebb_cap_attr {
	EBB_CAP_A_UNSPEC,
	EBB_CAP_A_NAME,
	EBB_CAP_A_AVAILABLE,
	EBB_CAP_A_REASON,
	__EBB_CAP_A_MAX,
};
#define EBB_CAP_A_MAX (__EBB_CAP_A_MAX - 1)

/**
 * enum ebb_scan_flag - flags of %EBB_CMD_SCAN
 * @EBB_SCAN_NO_FLUSH: do not flush the TLB at the end. Cheaper for the target; small hot sets
 *	of a thread that never sleeps can then look idle.
 * @EBB_SCAN_KEEP: only look: clear no accessed bit. Skipped tables are not to be told from
 *	idle ones then, so all are visited.
 * @EBB_SCAN_ALL_VMAS: also shared file mappings and shmem; default: anonymous memory,
 *	private file mappings that are writable, and hugetlb
 * @EBB_SCAN_TELL_DIRTY: tell which of the touched pages are dirty (%EBB_RUN_DIRTY)
 * @EBB_SCAN_NO_HOST: where the memory may have guests (virtual machines of KVM), tell what they
 *	touched and not what the process itself did, whose bits stay. No effect on other memory.
 * @EBB_SCAN_NO_GUEST: do not tell what guests touched, whose bits stay. By default a page is young
 *	when either touched it. Not both flags.
 */
enum ebb_scan_flag {
	EBB_SCAN_NO_FLUSH = 1 << 0,
	EBB_SCAN_KEEP = 1 << 1,
	EBB_SCAN_ALL_VMAS = 1 << 2,
	EBB_SCAN_TELL_DIRTY = 1 << 3,
	EBB_SCAN_NO_HOST = 1 << 4,
	EBB_SCAN_NO_GUEST = 1 << 5,
};
#define EBB_SCAN_FLAGS                                                                 \
	(EBB_SCAN_NO_FLUSH | EBB_SCAN_KEEP | EBB_SCAN_ALL_VMAS | EBB_SCAN_TELL_DIRTY | \
	 EBB_SCAN_NO_HOST | EBB_SCAN_NO_GUEST)

/**
 * enum ebb_run_kind - what is known of the pages of a run
 * @EBB_RUN_YOUNG: present, touched since the last scan
 * @EBB_RUN_IDLE: present, not touched since the last scan
 * @EBB_RUN_IDLE_TABLE: whole page tables that the scan skipped: none of their present pages was
 *	touched; which pages are present is not told
 * @EBB_RUN_SWAP: swap entries: out, or in the swap cache only
 * @EBB_RUN_DIRTY: present, touched since the last scan, and dirty, perhaps for longer; only with
 *	%EBB_SCAN_TELL_DIRTY
 *
 * Addresses that no run covers are holes or belong to mappings that the scan leaves out.
 */
enum ebb_run_kind {
	EBB_RUN_YOUNG,
	EBB_RUN_IDLE,
	EBB_RUN_IDLE_TABLE,
	EBB_RUN_SWAP,
	EBB_RUN_DIRTY,
	__EBB_RUN_MAX,
};

/**
 * struct ebb_run - neighbouring pages of one kind and one mapping size
 * @start: address of the first page
 * @nr_pages: number of pages of 1 << @page_shift bytes
 * @kind: &enum ebb_run_kind
 * @page_shift: 12 for base pages (also skipped tables), 21 for pages mapped by a PMD, 30 by a PUD
 * @reserved: 0
 */
struct ebb_run {
	__u64 start;
	__u32 nr_pages;
	__u8 kind;
	__u8 page_shift;
	__u16 reserved;
};

/**
 * struct ebb_range - addresses [start, end), both multiples of the page size
 * @start: first address
 * @end: first address behind the range; more than @start
 */
struct ebb_range {
	__u64 start;
	__u64 end;
};
#define EBB_RANGES_MAX 1024

/**
 * enum ebb_reclaim_flag - flags of %EBB_CMD_RECLAIM
 * @EBB_RECLAIM_EXEC: also pages of executable mappings, which are left alone by default
 * @EBB_RECLAIM_ONLY_IDLE: leave alone what was touched since the last scan
 *	(%EBB_OUTCOME_YOUNG)
 */
enum ebb_reclaim_flag {
	EBB_RECLAIM_EXEC = 1 << 0,
	EBB_RECLAIM_ONLY_IDLE = 1 << 1,
};
#define EBB_RECLAIM_FLAGS (EBB_RECLAIM_EXEC | EBB_RECLAIM_ONLY_IDLE)

/**
 * enum ebb_outcome - what became of the pages asked for, counted in pages of 4 KiB, u64 each
 * @EBB_OUTCOME_ASKED: all of them: the sum of the ones that follow
 * @EBB_OUTCOME_RECLAIMED: no longer resident: seen so afterwards
 * @EBB_OUTCOME_ABSENT: was not resident, or is not mapped
 * @EBB_OUTCOME_SHARED: mapped more than once
 * @EBB_OUTCOME_LOCKED: mlocked or unevictable
 * @EBB_OUTCOME_EXEC: of an executable mapping
 * @EBB_OUTCOME_YOUNG: touched since the last scan
 * @EBB_OUTCOME_BUSY: could not be isolated, was under writeback, pinned, touched meanwhile, or the
 *	kernel kept it; no swap space left counts here as well
 * @EBB_OUTCOME_UNSUPPORTED: hugetlb, zero page, device memory and other special mappings
 */
enum ebb_outcome {
	EBB_OUTCOME_UNSPEC,
	EBB_OUTCOME_PAD,
	EBB_OUTCOME_ASKED,
	EBB_OUTCOME_RECLAIMED,
	EBB_OUTCOME_ABSENT,
	EBB_OUTCOME_SHARED,
	EBB_OUTCOME_LOCKED,
	EBB_OUTCOME_EXEC,
	EBB_OUTCOME_YOUNG,
	EBB_OUTCOME_BUSY,
	EBB_OUTCOME_UNSUPPORTED,
	__EBB_OUTCOME_MAX,
};
#define EBB_OUTCOME_MAX (__EBB_OUTCOME_MAX - 1)

/**
 * enum ebb_stat - counters of scans, u64 each
 * @EBB_STAT_SCANS: scans finished (1 in the nest of a single scan)
 * @EBB_STAT_TABLES_VISITED: last-level page tables whose entries were looked at
 * @EBB_STAT_TABLES_SKIPPED: last-level page tables skipped as not touched
 * @EBB_STAT_PTES_VISITED: entries looked at in visited tables
 * @EBB_STAT_PTES_SKIPPED: entries of skipped tables
 * @EBB_STAT_PAGES_YOUNG: 4 KiB pages found young
 * @EBB_STAT_PAGES_IDLE: 4 KiB pages found idle one by one
 * @EBB_STAT_FLUSHES: TLB flushes
 * @EBB_STAT_LOCK_HOLDS: how often mmap_lock was taken
 * @EBB_STAT_LOCK_MAX_NS: longest time mmap_lock was held at a stretch, nanoseconds
 * @EBB_STAT_SCAN_NS: time in scans, nanoseconds, waiting for the reader not included
 */
enum ebb_stat {
	EBB_STAT_UNSPEC,
	EBB_STAT_PAD,
	EBB_STAT_SCANS,
	EBB_STAT_TABLES_VISITED,
	EBB_STAT_TABLES_SKIPPED,
	EBB_STAT_PTES_VISITED,
	EBB_STAT_PTES_SKIPPED,
	EBB_STAT_PAGES_YOUNG,
	EBB_STAT_PAGES_IDLE,
	EBB_STAT_FLUSHES,
	EBB_STAT_LOCK_HOLDS,
	EBB_STAT_LOCK_MAX_NS,
	EBB_STAT_SCAN_NS,
	__EBB_STAT_MAX,
};
#define EBB_STAT_MAX (__EBB_STAT_MAX - 1)

/*
 * /proc/PID/idle_pages: the file position is a virtual address; a read of N bytes covers
 * N * 8 pages from there and returns the PIP stream, see enum ebb_pip. The format, the flags and
 * the ioctl numbers are those of etmem_scan.
 */

/* flags for open(2) or the ioctls below; other bits: EINVAL */
#define EBB_SCAN_HUGE_PAGE 0x800 /* only huge pages are told */
#define EBB_SCAN_SKIM_IDLE 0x20000 /* a skipped page table is one unit */
#define EBB_SCAN_DIRTY_PAGE 0x40000 /* dirty pages get codes of their own */
#define EBB_VMA_SCAN_FLAG 0x1000 /* only marked mappings */
#define EBB_SCAN_AS_HUGE 0x1000000 /* 4 KiB pages are told as 2 MiB units */
#define EBB_SCAN_IGN_HOST 0x2000000 /* leave out the host's view of a guest */
#define EBB_VM_SCAN_HOST 0x4000000 /* only the host's view of a guest */

/* the argument is a pointer to u32 */
#define EBB_IDLE_SCAN_ADD_FLAGS 0x40046600
#define EBB_IDLE_SCAN_REMOVE_FLAGS 0x40046601
#define EBB_VMA_SCAN_ADD_FLAGS 0x40046602
#define EBB_VMA_SCAN_REMOVE_FLAGS 0x40046603

/* least size of a read: one address and one unit */
#define EBB_PIP_READ_MIN 20

/**
 * enum ebb_pip - types of the bytes in the stream of idle_pages
 * @EBB_PIP_PTE_ACCESSED: 4 KiB pages, touched
 * @EBB_PIP_PMD_ACCESSED: 2 MiB pages, touched
 * @EBB_PIP_PUD_PRESENT: 1 GiB pages, nothing known of accesses
 * @EBB_PIP_PTE_DIRTY: 4 KiB pages, touched and dirty
 * @EBB_PIP_PMD_DIRTY: 2 MiB pages, touched and dirty
 * @EBB_PIP_PTE_IDLE: 4 KiB pages, idle
 * @EBB_PIP_PMD_IDLE: 2 MiB pages, idle
 * @EBB_PIP_PMD_IDLE_PTES: a page table none of whose present 4 KiB pages was touched
 * @EBB_PIP_PTE_HOLE: 4 KiB, nothing present
 * @EBB_PIP_PMD_HOLE: 2 MiB, nothing present
 * @EBB_PIP_CMD: a command; the low nibble 0 sets the address: 8 bytes follow, big-endian
 *
 * High nibble type, low nibble repeat count 1 to 15.
 */
enum ebb_pip {
	EBB_PIP_PTE_ACCESSED,
	EBB_PIP_PMD_ACCESSED,
	EBB_PIP_PUD_PRESENT,
	EBB_PIP_PTE_DIRTY,
	EBB_PIP_PMD_DIRTY,
	EBB_PIP_PTE_IDLE,
	EBB_PIP_PMD_IDLE,
	EBB_PIP_PMD_IDLE_PTES,
	EBB_PIP_PTE_HOLE,
	EBB_PIP_PMD_HOLE,
	EBB_PIP_CMD,
};
#define EBB_PIP_SET_ADDR 0xa0

/*
 * /proc/PID/swap_pages: each line written is a hexadecimal address; the page there is asked to be
 * reclaimed. ioctls as etmem_swap has them:
 */
#define EBB_SWAPCACHE_RECLAIM_OFF 0x40047700
#define EBB_SWAPCACHE_RECLAIM_ON 0x40047701
#define EBB_SWAPCACHE_SET_WATERMARK 0x40047702

#endif /* _UAPI_LINUX_EBB_H */
