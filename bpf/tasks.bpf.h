/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tasks.bpf.c and userspace; includes nothing, needs __u32 and __u64. */
#ifndef EBB_TASKS_BPF_H
#define EBB_TASKS_BPF_H

/**
 * struct ebb_task_record - one task, as the iterator of tasks.bpf.c writes it
 * @start_boottime_ns: when the task began, nanoseconds of CLOCK_BOOTTIME. Field 22 of
 *	/proc/PID/stat is this in clock ticks; with @tid it is the identity of the task.
 * @leader_start_boottime_ns: the same of its thread group's leader
 * @major: major faults of this task since it began
 * @minor: minor faults
 * @gone_major: major faults of the group's threads that were already released
 * @gone_minor: minor faults of those
 * @nvcsw: voluntary context switches
 * @nivcsw: involuntary context switches
 * @utime_ns: user CPU time as ticks counted it, nanoseconds
 * @stime_ns: system CPU time
 * @tid: thread id in the initial PID namespace
 * @tgid: process id in the initial PID namespace
 * @nr_threads: threads of the group that were not released
 * @is_kernel: a kernel thread
 * @is_gone_settled: no thread was just being released: those in the two sums are not met any
 *	more
 * @is_exiting: it has begun to exit: the event of that may have been before
 * @comm: name, ends in NUL
 */
struct ebb_task_record {
	__u64 start_boottime_ns;
	__u64 leader_start_boottime_ns;
	__u64 major;
	__u64 minor;
	__u64 gone_major;
	__u64 gone_minor;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 utime_ns;
	__u64 stime_ns;
	__u32 tid;
	__u32 tgid;
	__u32 nr_threads;
	__u32 is_kernel;
	__u32 is_gone_settled;
	__u32 is_exiting;
	char comm[16];
};

#endif /* EBB_TASKS_BPF_H */
