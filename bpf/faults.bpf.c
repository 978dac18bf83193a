// SPDX-License-Identifier: GPL-2.0
/*
 * Every page fault of the watched processes: type, address, latency and stacks.
 *
 * Three sources, userspace loads the first that the kernel takes: fentry and fexit of
 * handle_mm_fault(), kprobe and kretprobe of it, the perf software events page-faults-min and
 * page-faults-maj (latency unknown). All count as mm_account_fault() does: a fault that ends in
 * an error does not count, one that is retried counts once, and it is major when a try was.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "faults.bpf.h"

#define PAGE_MASK (~4095UL)

char LICENSE[] SEC("license") = "GPL";

/* bytes of user stack that come with each event, at most EBB_STACK_MAX; 0: none */
const volatile __u32 stack_bytes = 0;
/* deliver events; else only the totals are kept */
const volatile bool want_events = true;
/* data in the ring that wakes the reader */
const volatile __u64 wake_bytes = 1 << 20;

__u64 lost[EBB_LOST_REASONS];
struct ebb_fault_totals totals[2]; /* minor, major */

/* thread groups to watch: tgid -> anything */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u32);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} events SEC(".maps");

/*
 * A fault under way. LRU, since a task killed between two tries never comes back for its entry.
 */
struct open_fault {
	__u64 start_ns;
	__u64 address;
	__u32 flags;
	__u32 is_retried;
	__u32 is_user;
	__u32 in_handler;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct open_fault);
} open_faults SEC(".maps");

/* An event is put together here: too large for the stack, and the ring wants to know its size. */
struct scratch {
	struct ebb_fault_event ev;
	__u8 stack[EBB_STACK_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline void count_lost(enum ebb_fault_lost why)
{
	__sync_fetch_and_add(&lost[why], 1);
}

static __always_inline bool is_watched(__u32 *tid)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32;

	*tid = id;
	return bpf_map_lookup_elem(&watched, &tgid) != NULL;
}

static __always_inline __u32 log2_slot(__u64 v)
{
	__u32 slot = 0;

	for (int shift = 32; shift > 0; shift >>= 1) {
		if (v >> shift) {
			v >>= shift;
			slot += shift;
		}
	}
	return slot < EBB_LATENCY_SLOTS ? slot : EBB_LATENCY_SLOTS - 1;
}

static __always_inline void count_fault(bool is_major, __u64 latency_ns)
{
	struct ebb_fault_totals *sum = is_major ? &totals[1] : &totals[0];

	__sync_fetch_and_add(&sum->count, 1);
	if (latency_ns == EBB_LATENCY_UNKNOWN)
		return;
	__sync_fetch_and_add(&sum->latency_ns, latency_ns);
	__sync_fetch_and_add(&sum->slots[log2_slot(latency_ns)], 1);
}

#ifdef __TARGET_ARCH_x86
static __always_inline void fill_regs(struct ebb_fault_event *ev, struct task_struct *task)
{
	struct pt_regs regs = {};

	bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task));
	ev->regs[0] = regs.ax;
	ev->regs[1] = regs.dx;
	ev->regs[2] = regs.cx;
	ev->regs[3] = regs.bx;
	ev->regs[4] = regs.si;
	ev->regs[5] = regs.di;
	ev->regs[6] = regs.bp;
	ev->regs[7] = regs.sp;
	ev->regs[8] = regs.r8;
	ev->regs[9] = regs.r9;
	ev->regs[10] = regs.r10;
	ev->regs[11] = regs.r11;
	ev->regs[12] = regs.r12;
	ev->regs[13] = regs.r13;
	ev->regs[14] = regs.r14;
	ev->regs[15] = regs.r15;
	ev->regs[16] = regs.ip;
}
#else
static __always_inline void fill_regs(struct ebb_fault_event *ev, struct task_struct *task)
{
	__builtin_memset(ev->regs, 0, sizeof(ev->regs));
}
#endif

/*
 * In chunks that cross no page boundary, since a read that meets a page that is not there fails
 * as a whole. The stack's end, or a page that is out, ends the piece.
 */
static __always_inline void copy_stack(struct scratch *s)
{
	__u64 from = s->ev.regs[7] & ~(__u64)(EBB_STACK_CHUNK - 1);
	__u32 want = stack_bytes, got = 0;

	s->ev.stack_start = from;
	for (__u32 i = 0; i < EBB_STACK_MAX / EBB_STACK_CHUNK; i++) {
		__u32 at = i * EBB_STACK_CHUNK;

		if (at >= want)
			break;
		if (bpf_probe_read_user(s->stack + at, EBB_STACK_CHUNK, (void *)(from + at)))
			break;
		got = at + EBB_STACK_CHUNK;
	}
	if (want && !got)
		count_lost(EBB_LOST_STACK_PIECE);
	s->ev.stack_bytes = got;
}

static __always_inline void copy_frames(void *ctx, struct ebb_fault_event *ev)
{
	long n;

	n = bpf_get_stack(ctx, ev->kernel, sizeof(ev->kernel), 0);
	/* a perf event that hit the program itself has no kernel frame: -EFAULT, nothing lost */
	if (n < 0 && n != -14)
		count_lost(EBB_LOST_KERNEL_STACK);
	ev->nr_kernel = n > 0 ? n / sizeof(__u64) : 0;
	n = bpf_get_stack(ctx, ev->user, sizeof(ev->user), BPF_F_USER_STACK);
	if (n <= 0)
		count_lost(EBB_LOST_USER_STACK);
	ev->nr_user = n > 0 ? n / sizeof(__u64) : 0;
}

static __always_inline void deliver(struct scratch *s)
{
	__u64 size = sizeof(s->ev) + s->ev.stack_bytes;
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (size > sizeof(*s))
		size = sizeof(*s);
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) >= wake_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	if (bpf_ringbuf_output(&events, s, size, flags))
		count_lost(EBB_LOST_RING);
}

static __always_inline void emit(void *ctx, __u64 address, bool is_major, bool is_user,
				 __u64 latency_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 zero = 0;
	struct scratch *s;

	count_fault(is_major, latency_ns);
	if (!want_events)
		return;
	s = bpf_map_lookup_elem(&scratches, &zero);
	if (!s)
		return;
	s->ev.time_ns = bpf_ktime_get_ns();
	s->ev.start_boottime_ns = task->start_boottime;
	s->ev.address = address;
	s->ev.latency_ns = latency_ns;
	s->ev.tid = task->pid;
	s->ev.tgid = task->tgid;
	s->ev.is_major = is_major;
	s->ev.mode = is_user ? EBB_FAULT_USER : EBB_FAULT_KERNEL;
	fill_regs(&s->ev, task);
	copy_frames(ctx, &s->ev);
	copy_stack(s);
	deliver(s);
}

/*
 * The exception itself, before mmap_lock is waited for. Only faults of user mode: the kernel's own
 * include those that the probe reads of BPF programs cause, which are no faults of the program.
 */
SEC("tp_btf/page_fault_user")
int BPF_PROG(fault_raised, unsigned long address)
{
	struct open_fault open = {};
	__u32 tid;

	if (!is_watched(&tid))
		return 0;
	open.start_ns = bpf_ktime_get_ns();
	open.address = address;
	bpf_map_update_elem(&open_faults, &tid, &open, BPF_ANY);
	return 0;
}

static __always_inline void fault_begin(unsigned long address, unsigned int flags)
{
	struct open_fault open = {}, *old;
	__u32 tid;

	if (!is_watched(&tid))
		return;
	open.start_ns = bpf_ktime_get_ns();
	open.address = address;
	open.flags = flags;
	open.is_user = !!(flags & bpf_core_enum_value(enum fault_flag, FAULT_FLAG_USER));
	open.in_handler = 1;
	old = bpf_map_lookup_elem(&open_faults, &tid);
	if (old && old->in_handler)
		count_lost(EBB_LOST_PAIR);
	else if (old && (old->is_retried || open.is_user) &&
		 !((old->address ^ address) & PAGE_MASK))
		open.start_ns = old->start_ns;
	bpf_map_update_elem(&open_faults, &tid, &open, BPF_ANY);
}

static __always_inline bool is_failed(unsigned int ret)
{
	unsigned int bad = bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_OOM) |
			   bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_SIGBUS) |
			   bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_SIGSEGV) |
			   bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_HWPOISON) |
			   bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_HWPOISON_LARGE) |
			   bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_FALLBACK);

	return ret & bad;
}

static __always_inline void fault_end(void *ctx, unsigned int ret)
{
	struct open_fault *open, done;
	bool is_major;
	__u32 tid;

	if (!is_watched(&tid))
		return;
	open = bpf_map_lookup_elem(&open_faults, &tid);
	/* it had begun before we watched */
	if (!open || !open->in_handler)
		return;
	if (ret & bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_RETRY)) {
		open->is_retried = 1;
		open->in_handler = 0;
		return;
	}
	done = *open;
	bpf_map_delete_elem(&open_faults, &tid);
	if (is_failed(ret))
		return;
	is_major = (ret & bpf_core_enum_value(enum vm_fault_reason, VM_FAULT_MAJOR)) ||
		   (done.flags & bpf_core_enum_value(enum fault_flag, FAULT_FLAG_TRIED));
	emit(ctx, done.address, is_major, done.is_user, bpf_ktime_get_ns() - done.start_ns);
}

SEC("fentry/handle_mm_fault")
int BPF_PROG(fentry_begin, struct vm_area_struct *vma, unsigned long address, unsigned int flags)
{
	fault_begin(address, flags);
	return 0;
}

SEC("fexit/handle_mm_fault")
int BPF_PROG(fexit_end, struct vm_area_struct *vma, unsigned long address, unsigned int flags,
	     struct pt_regs *regs, vm_fault_t ret)
{
	fault_end(ctx, ret);
	return 0;
}

SEC("kprobe/handle_mm_fault")
int BPF_KPROBE(kprobe_begin, struct vm_area_struct *vma, unsigned long address, unsigned int flags)
{
	fault_begin(address, flags);
	return 0;
}

SEC("kretprobe/handle_mm_fault")
int BPF_KRETPROBE(kretprobe_end, unsigned int ret)
{
	fault_end(ctx, ret);
	return 0;
}

static __always_inline void perf_fault(struct bpf_perf_event_data *ctx, bool is_major)
{
	__u32 tid;

	if (!is_watched(&tid))
		return;
	/* user addresses have bit 63 clear, also those of instructions */
	emit(ctx, ctx->addr, is_major, !(PT_REGS_IP(&ctx->regs) >> 63), EBB_LATENCY_UNKNOWN);
}

SEC("perf_event")
int perf_minor(struct bpf_perf_event_data *ctx)
{
	perf_fault(ctx, false);
	return 0;
}

SEC("perf_event")
int perf_major(struct bpf_perf_event_data *ctx)
{
	perf_fault(ctx, true);
	return 0;
}
