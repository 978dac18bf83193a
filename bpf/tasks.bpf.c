// SPDX-License-Identifier: GPL-2.0
/* Counters of every task by an iterator: nothing is paid for them on the fault path. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "tasks.bpf.h"

#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000

char LICENSE[] SEC("license") = "GPL";

/* 0: every process. A variable, not rodata, since one iterator serves many reads. */
__u32 only_tgid;

/*
 * The sum of released threads. The kernel adds a thread to it and takes the thread from the lists
 * in one section of the seqlock: read inside of it, the sum may hold a thread that the iterator
 * will still meet. The holder can be a virtual processor that does not run: it is not waited for.
 */
static void fill_gone(struct ebb_task_record *rec, struct signal_struct *signal)
{
	__u32 before = BPF_CORE_READ(signal, stats_lock.seqcount.seqcount.sequence);

	rec->gone_major = BPF_CORE_READ(signal, maj_flt);
	rec->gone_minor = BPF_CORE_READ(signal, min_flt);
	rec->nr_threads = BPF_CORE_READ(signal, nr_threads);
	rec->is_gone_settled =
		!(before & 1) &&
		before == BPF_CORE_READ(signal, stats_lock.seqcount.seqcount.sequence);
}

static void fill(struct ebb_task_record *rec, struct task_struct *task)
{
	rec->start_boottime_ns = task->start_boottime;
	rec->leader_start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	/* before the own counts: a thread released in between is missed then, never told twice */
	fill_gone(rec, task->signal);
	rec->major = task->maj_flt;
	rec->minor = task->min_flt;
	rec->nvcsw = task->nvcsw;
	rec->nivcsw = task->nivcsw;
	rec->utime_ns = task->utime;
	rec->stime_ns = task->stime;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->is_exiting = !!(task->flags & PF_EXITING);
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
