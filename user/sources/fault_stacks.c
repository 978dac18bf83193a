// SPDX-License-Identifier: GPL-2.0
#include "sources/fault_stacks.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "core/stacks.h"
#include "faults.bpf.h"
#include "symbols/names.h"
#include "symbols/user.h"

#define MAX_STACKS 16384

/* how the program's part of a chain was found: the low byte of struct ebb_stack's mark */
enum how {
	HOW_NONE,
	HOW_FRAME_POINTERS,
	HOW_TABLES,
	HOW_TOP_ONLY, /* as asked for */
	HOW_NOT_CAPTURED,
	HOW_NO_TABLES,
};

static const char *const how_texts[] = {
	[HOW_NONE] = "[user stack not readable]",
	[HOW_FRAME_POINTERS] = "frame pointers",
	[HOW_TABLES] = "frame tables",
	[HOW_TOP_ONLY] = "[only the function that touched the page, as asked for]",
	[HOW_NOT_CAPTURED] = "[no frame pointers, stack not captured]",
	[HOW_NO_TABLES] = "[no frame pointers, and frame tables lead no further]",
};

struct ebb_fault_stacks {
	struct ebb_usyms *syms;
	struct ebb_names *names;
	struct ebb_stacks *stacks;
	bool is_deep;
	uint32_t image; /* counts execve() */
};

struct ebb_fault_stacks *ebb_fault_stacks_open(pid_t pid, bool is_deep)
{
	struct ebb_fault_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->is_deep = is_deep;
	/* without symbols (a kernel thread, a process that is just ending) addresses are shown */
	stacks->syms = ebb_usyms_open(pid);
	stacks->names = ebb_names_open(stacks->syms);
	stacks->stacks = ebb_stacks_new(MAX_STACKS);
	if (stacks->names && stacks->stacks)
		return stacks;
	ebb_fault_stacks_close(stacks);
	errno = ENOMEM;
	return NULL;
}

void ebb_fault_stacks_close(struct ebb_fault_stacks *stacks)
{
	if (!stacks)
		return;
	ebb_stacks_free(stacks->stacks);
	ebb_names_close(stacks->names);
	ebb_usyms_close(stacks->syms);
	free(stacks);
}

static size_t unwind(struct ebb_fault_stacks *stacks, const struct ebb_fault_event *event,
		     size_t size, uint64_t *frames)
{
	const struct ebb_unwind_input input = {
		.tid = event->tid,
		.regs = (const uint64_t *)event->regs,
		.stack = event + 1,
		.stack_start = event->stack_start,
		.stack_bytes = event->stack_bytes,
	};

	if (!stacks->syms || !event->stack_bytes || size < sizeof(*event) + event->stack_bytes)
		return 0;
	return ebb_usyms_unwind(stacks->syms, &input, frames, EBB_USER_FRAMES);
}

/* the chain by frame pointers as far as it is one */
static size_t nr_credible(struct ebb_fault_stacks *stacks, const struct ebb_fault_event *event)
{
	size_t nr = event->nr_user ? 1 : 0;

	while (stacks->syms && nr < event->nr_user &&
	       ebb_usyms_is_return(stacks->syms, event->user[nr]))
		nr++;
	return nr;
}

static size_t find_user_frames(struct ebb_fault_stacks *stacks, const struct ebb_fault_event *event,
			       size_t size, uint64_t *frames, enum how *how)
{
	size_t nr = 0, nr_fp;

	if (!stacks->is_deep) {
		*how = event->nr_user ? HOW_TOP_ONLY : HOW_NONE;
		frames[0] = event->user[0];
		return event->nr_user ? 1 : 0;
	}
	nr = unwind(stacks, event, size, frames);
	*how = HOW_TABLES;
	if (nr > 1)
		return nr;
	nr_fp = nr_credible(stacks, event);
	memcpy(frames, event->user, nr_fp * sizeof(*frames));
	if (nr_fp > 1)
		*how = HOW_FRAME_POINTERS;
	else if (nr_fp)
		*how = event->stack_bytes ? HOW_NO_TABLES : HOW_NOT_CAPTURED;
	else
		*how = HOW_NONE;
	return nr_fp;
}

void ebb_fault_stacks_add(struct ebb_fault_stacks *stacks, const struct ebb_fault_event *event,
			  size_t size)
{
	uint64_t frames[EBB_KERNEL_FRAMES + EBB_USER_FRAMES];
	struct ebb_stack stack = { .count = 1, .major = event->is_major, .frames = frames };
	enum how how;

	if (event->latency_ns != EBB_LATENCY_UNKNOWN)
		stack.ns = event->latency_ns;
	stack.nr_kernel = event->nr_kernel;
	memcpy(frames, event->kernel, event->nr_kernel * sizeof(*frames));
	stack.nr_frames = stack.nr_kernel +
			  find_user_frames(stacks, event, size, frames + stack.nr_kernel, &how);
	stack.how = how | stacks->image << 8;
	ebb_stacks_add(stacks->stacks, &stack);
}

const char *ebb_fault_stacks_function(struct ebb_fault_stacks *stacks,
				      const struct ebb_fault_event *event)
{
	if (!event->nr_user)
		return how_texts[HOW_NONE];
	return ebb_names_user(stacks->names, stacks->image, event->user[0], false);
}

/* our own probe stands on top of the kernel's frames */
static bool is_probe(const char *name)
{
	static const char *const probes[] = { "0x",
					      "bpf_",
					      "__bpf_",
					      "kprobe_",
					      "kretprobe_",
					      "__kretprobe_",
					      "arch_rethook_",
					      "rethook_",
					      "__traceiter_",
					      "trace_",
					      "perf_trace_run",
					      "ftrace_",
					      "__ftrace_",
					      "arch_ftrace_",
					      "perf_swevent_",
					      "__perf_event_",
					      "perf_event_",
					      "perf_tp_event",
					      "___perf_sw_event",
					      "__perf_sw_event",
					      "trampoline_handler",
					      "__trampoline_handler" };

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		if (!strncmp(name, probes[i], strlen(probes[i])))
			return true;
	}
	return false;
}

/* the fault handler itself stands below our probe */
static size_t first_real(const char *const *names, size_t nr)
{
	size_t first = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!strncmp(names[i], "handle_mm_fault+", strlen("handle_mm_fault+")))
			return i;
	}
	while (first < nr && is_probe(names[first]))
		first++;
	return first;
}

static void name_kernel(struct ebb_fault_stacks *stacks, const struct ebb_stack *from,
			struct ebb_watch_stack *to)
{
	const char *names[EBB_KERNEL_FRAMES];
	size_t first;

	for (size_t i = 0; i < from->nr_kernel; i++)
		names[i] = ebb_names_kernel(stacks->names, from->frames[i]);
	first = first_real(names, from->nr_kernel);
	to->nr_kernel = to->nr_frames = from->nr_kernel - first;
	memcpy(to->frames, names + first, to->nr_frames * sizeof(*names));
}

static void name_stack(struct ebb_fault_stacks *stacks, const struct ebb_stack *from,
		       struct ebb_watch_stack *to)
{
	to->count = from->count;
	to->major = from->major;
	to->ns = from->ns;
	to->how = how_texts[from->how & 0xff];
	to->nr_frames = 0;
	name_kernel(stacks, from, to);
	for (size_t i = from->nr_kernel; i < from->nr_frames; i++)
		to->frames[to->nr_frames++] = ebb_names_user(stacks->names, from->how >> 8,
							     from->frames[i], i > from->nr_kernel);
}

size_t ebb_fault_stacks_top(struct ebb_fault_stacks *stacks, size_t max, ebb_watch_stack_fn fn,
			    void *arg)
{
	const struct ebb_stack *const *sorted;
	struct ebb_watch_stack stack;
	size_t nr;

	sorted = ebb_stacks_sorted(stacks->stacks, &nr);
	for (size_t i = 0; i < nr && i < max; i++) {
		name_stack(stacks, sorted[i], &stack);
		fn(&stack, arg);
	}
	return nr;
}

static void forget(const struct ebb_watch_stack *stack, void *arg)
{
}

void ebb_fault_stacks_exec(struct ebb_fault_stacks *stacks)
{
	/* names of the old program's addresses are kept once they were looked up */
	ebb_fault_stacks_top(stacks, SIZE_MAX, forget, NULL);
	stacks->image++;
	if (stacks->syms)
		ebb_usyms_refresh_all(stacks->syms);
}

uint64_t ebb_fault_stacks_lost(const struct ebb_fault_stacks *stacks)
{
	return ebb_stacks_nr_lost(stacks->stacks);
}
