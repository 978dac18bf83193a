// SPDX-License-Identifier: GPL-2.0
/* Counters of every task by an iterator: nothing is paid for them on the fault path. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "tasks.bpf.h"

#define PF_KTHREAD 0x00200000

char LICENSE[] SEC("license") = "GPL";

/* 0: every process. A variable, not rodata, since one iterator serves many reads. */
__u32 only_tgid;

static void fill(struct ebb_task_record *rec, struct task_struct *task)
{
	rec->start_boottime_ns = task->start_boottime;
	rec->leader_start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	/* the group's sum first: a thread released in between is then missed, never told twice */
	rec->gone_major = BPF_CORE_READ(task, signal, maj_flt);
	rec->gone_minor = BPF_CORE_READ(task, signal, min_flt);
	rec->nr_threads = BPF_CORE_READ(task, signal, nr_threads);
	rec->major = task->maj_flt;
	rec->minor = task->min_flt;
	rec->nvcsw = task->nvcsw;
	rec->nivcsw = task->nivcsw;
	rec->utime_ns = task->utime;
	rec->stime_ns = task->stime;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->is_kernel = !!(task->flags & PF_KTHREAD);
	bpf_probe_read_kernel_str(rec->comm, sizeof(rec->comm), task->comm);
}

SEC("iter/task")
int tasks(struct bpf_iter__task *ctx)
{
	/* a copy, else the verifier of 6.1 does not see the check */
	struct task_struct *task = ctx->task;
	struct ebb_task_record rec = {};

	if (!task)
		return 0;
	if (only_tgid && task->tgid != only_tgid)
		return 0;
	fill(&rec, task);
	bpf_seq_write(ctx->meta->seq, &rec, sizeof(rec));
	return 0;
}
