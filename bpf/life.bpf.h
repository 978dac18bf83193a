/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by life.bpf.c and userspace; includes nothing, needs __u32 and __u64. */
#ifndef EBB_LIFE_BPF_H
#define EBB_LIFE_BPF_H

/**
 * enum ebb_life_kind - what happened to a task
 * @EBB_LIFE_EXEC: it runs another program now
 * @EBB_LIFE_EXIT: it is exiting; from Linux 6.16 on it can still fault a little while it does
 * @EBB_LIFE_GONE: it was released: its counts, and what its group keeps of it, are final
 */
enum ebb_life_kind {
	EBB_LIFE_EXEC,
	EBB_LIFE_EXIT,
	EBB_LIFE_GONE,
};

/**
 * struct ebb_life_event - one record in the ring of life.bpf.c
 * @time_ns: when, nanoseconds of CLOCK_MONOTONIC
 * @start_boottime_ns: when the task began, nanoseconds of CLOCK_BOOTTIME
 * @leader_start_boottime_ns: the same of its group's leader; 0 for %EBB_LIFE_GONE of a thread,
 *	whose leader may be gone as well
 * @major: major faults of the task
 * @minor: minor faults
 * @gone_major: major faults of the group's released threads, this one included when it is
 * @gone_minor: minor faults of those
 * @tid: thread id
 * @tgid: process id
 * @kind: &enum ebb_life_kind
 * @other: exec: thread id before it; exit: code as wait(2) has it
 * @nr_threads: threads of the group that were not released
 * @reserved: 0
 * @comm: name, ends in NUL
 */
struct ebb_life_event {
	__u64 time_ns;
	__u64 start_boottime_ns;
	__u64 leader_start_boottime_ns;
	__u64 major;
	__u64 minor;
	__u64 gone_major;
	__u64 gone_minor;
	__u32 tid;
	__u32 tgid;
	__u32 kind;
	__u32 other;
	__u32 nr_threads;
	__u32 reserved;
	char comm[16];
};

#endif /* EBB_LIFE_BPF_H */
