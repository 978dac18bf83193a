// SPDX-License-Identifier: GPL-2.0
/* Ends of tasks, with the final counters, and execve(). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "life.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* 0: every process */
const volatile __u32 only_tgid = 0;

/* events that the ring had no room for */
__u64 lost_events;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

static __always_inline struct ebb_life_event *event_begin(struct task_struct *task, __u32 kind)
{
	struct ebb_life_event *ev;
	__u64 gone_major, gone_minor;

	if (only_tgid && task->tgid != only_tgid)
		return NULL;
	/* before there is a place in the ring: who is in these sums has told its exit before */
	gone_major = BPF_CORE_READ(task, signal, maj_flt);
	gone_minor = BPF_CORE_READ(task, signal, min_flt);
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		__sync_fetch_and_add(&lost_events, 1);
		return NULL;
	}
	ev->time_ns = bpf_ktime_get_ns();
	ev->start_boottime_ns = task->start_boottime;
	ev->leader_start_boottime_ns = 0;
	ev->major = task->maj_flt;
	ev->minor = task->min_flt;
	ev->gone_major = gone_major;
	ev->gone_minor = gone_minor;
	ev->tid = task->pid;
	ev->tgid = task->tgid;
	ev->kind = kind;
	ev->other = 0;
	ev->nr_threads = BPF_CORE_READ(task, signal, nr_threads);
	ev->reserved = 0;
	bpf_probe_read_kernel_str(ev->comm, sizeof(ev->comm), task->comm);
	return ev;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(life_exec, struct task_struct *task, pid_t old_tid)
{
	struct ebb_life_event *ev = event_begin(task, EBB_LIFE_EXEC);

	if (!ev)
		return 0;
	ev->leader_start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	ev->other = old_tid;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(life_exit, struct task_struct *task)
{
	struct ebb_life_event *ev = event_begin(task, EBB_LIFE_EXIT);

	if (!ev)
		return 0;
	ev->leader_start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	ev->other = task->exit_code;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

/*
 * After an RCU grace period behind release_task(): task and signal are still there, the group
 * leader of a thread need not be. release_task() has added the counts to the group's.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(life_gone, struct task_struct *task)
{
	struct ebb_life_event *ev = event_begin(task, EBB_LIFE_GONE);

	if (!ev)
		return 0;
	if (task->pid == task->tgid)
		ev->leader_start_boottime_ns = task->start_boottime;
	bpf_ringbuf_submit(ev, 0);
	return 0;
}
