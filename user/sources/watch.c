// SPDX-License-Identifier: GPL-2.0
/* core/watch.h on the BPF sources: counts by iterator and exit events, faults as events. */
#include "core/watch.h"

#include <errno.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/signals.h"
#include "core/threads.h"
#include "faults.bpf.h"
#include "life.bpf.h"
#include "sources/fault_stacks.h"
#include "sources/faults.h"
#include "sources/life.h"
#include "sources/samples.h"
#include "sources/tasks.h"
#include "tasks.bpf.h"

#define MAX_THREADS 65536
#define RING_BYTES (16UL << 20)
#define PIECE_BYTES 8192
/* the ring's reader is woken when a quarter is full, and looks by itself so often */
#define SLICE_MS 50
/* how long the last figures of a process that was reaped may take: an RCU grace period */
#define FINAL_NS 20000000000ULL

struct ebb_watch {
	pid_t pid;
	int pidfd;
	bool has_ended;
	struct ebb_threads *threads;
	struct ebb_tasks *tasks;
	struct ebb_life *life;
	struct ebb_faults_source *faults; /* NULL: counts only */
	struct ebb_fault_stacks *stacks;
	struct ebb_watch_opts opts;
	struct ebb_process_info process;
	struct ebb_faults delta;
	bool is_final;
	bool was_seen; /* by the read under way */
	uint64_t read_ns;
	uint64_t interval_ns;
};

_Static_assert(EBB_WATCH_SLOTS == EBB_LATENCY_SLOTS, "latency slots");
_Static_assert(EBB_WATCH_FRAMES == EBB_KERNEL_FRAMES + EBB_USER_FRAMES, "frames");
_Static_assert(EBB_WATCH_COMM_MAX == EBB_THREAD_COMM_MAX, "names");

static void on_life(const struct ebb_life_event *event, void *arg)
{
	struct ebb_watch *watch = arg;
	struct ebb_thread_sample sample;

	ebb_sample_of_event(event, &sample);
	if (event->kind == EBB_LIFE_EXIT)
		ebb_threads_exited(watch->threads, &sample);
	else if (event->kind == EBB_LIFE_GONE)
		ebb_threads_gone(watch->threads, &sample);
	else if (event->kind == EBB_LIFE_EXEC && watch->stacks)
		ebb_fault_stacks_exec(watch->stacks);
}

static void on_task(const struct ebb_task_record *record, void *arg)
{
	struct ebb_watch *watch = arg;
	struct ebb_thread_sample sample;

	ebb_sample_of_record(record, &sample);
	ebb_threads_sample(watch->threads, &sample);
	watch->was_seen = true;
}

static void tell_fault(struct ebb_watch *watch, const struct ebb_fault_event *event)
{
	const struct ebb_watch_fault fault = {
		.time_ns = event->time_ns,
		.address = event->address,
		.latency_ns = event->latency_ns == EBB_LATENCY_UNKNOWN ? 0 : event->latency_ns,
		.tid = event->tid,
		.is_major = event->is_major,
		.is_kernel = event->mode == EBB_FAULT_KERNEL,
		.function = ebb_fault_stacks_function(watch->stacks, event),
	};

	watch->opts.on_fault(&fault, watch->opts.arg);
}

static void on_fault(const struct ebb_fault_event *event, size_t size, void *arg)
{
	struct ebb_watch *watch = arg;

	if (size < sizeof(*event))
		return;
	ebb_fault_stacks_add(watch->stacks, event, size);
	if (watch->opts.on_fault)
		tell_fault(watch, event);
}

static size_t piece_bytes(const struct ebb_watch_opts *opts)
{
	if (opts->stack_bytes == EBB_WATCH_NO_PIECE || opts->no_stacks)
		return 0;
	if (!opts->stack_bytes)
		return PIECE_BYTES;
	return (opts->stack_bytes + EBB_STACK_CHUNK - 1) / EBB_STACK_CHUNK * EBB_STACK_CHUNK;
}

static const char *check_opts(const struct ebb_watch_opts *opts)
{
	if (opts->stack_bytes != EBB_WATCH_NO_PIECE && opts->stack_bytes > EBB_STACK_MAX)
		return "the piece of stack can be 16 KiB at most";
	if (opts->ring_bytes & (opts->ring_bytes - 1) ||
	    (opts->ring_bytes && opts->ring_bytes < (size_t)sysconf(_SC_PAGESIZE)) ||
	    opts->ring_bytes > 1UL << 30)
		return "the ring's size must be a power of two from a page to 1 GiB";
	if (opts->source && !ebb_faults_is_source(opts->source))
		return "the source must be fentry, kprobe or perf";
	return NULL;
}

static int open_faults(struct ebb_watch *watch, char *why, size_t size)
{
	const struct ebb_faults_opts opts = {
		.source = watch->opts.source,
		.stack_bytes = piece_bytes(&watch->opts),
		.ring_bytes = watch->opts.ring_bytes ? watch->opts.ring_bytes : RING_BYTES,
		.fn = on_fault,
		.arg = watch,
	};

	watch->stacks = ebb_fault_stacks_open(watch->pid, !watch->opts.no_stacks);
	if (!watch->stacks) {
		snprintf(why, size, "cannot watch faults: %s", strerror(errno));
		return -1;
	}
	watch->faults = ebb_faults_open(watch->pid, &opts, why, size);
	return watch->faults ? 0 : -1;
}

static int open_sources(struct ebb_watch *watch, char *why, size_t size)
{
	watch->threads = ebb_threads_new(MAX_THREADS);
	if (!watch->threads) {
		snprintf(why, size, "no memory for the table of threads");
		errno = ENOMEM;
		return -1;
	}
	/* first who tells of exits, then who reads what lives: none is missed in between */
	watch->life = ebb_life_open(watch->pid, on_life, watch, why, size);
	if (!watch->life)
		return -1;
	watch->tasks = ebb_tasks_open(why, size);
	if (!watch->tasks)
		return -1;
	return watch->opts.counts_only ? 0 : open_faults(watch, why, size);
}

static struct ebb_watch *new_watch(pid_t pid, const struct ebb_watch_opts *opts)
{
	struct ebb_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->pid = pid;
	if (opts)
		watch->opts = *opts;
	ebb_threads_join();
	watch->pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (watch->pidfd >= 0)
		return watch;
	/* a thread's id, which is no process, gives EINVAL */
	errno = errno == EINVAL ? ESRCH : errno;
	ebb_threads_leave();
	free(watch);
	return NULL;
}

struct ebb_watch *ebb_watch_open(pid_t pid, const struct ebb_watch_opts *opts, const char **why)
{
	static char text[512];
	const char *bad = opts ? check_opts(opts) : NULL;
	struct ebb_watch *watch;
	int err;

	*why = bad ? bad : text;
	if (bad) {
		errno = EINVAL;
		return NULL;
	}
	watch = new_watch(pid, opts);
	if (!watch) {
		snprintf(text, sizeof(text), "cannot watch process %d: %s", pid, strerror(errno));
		return NULL;
	}
	err = open_sources(watch, text, sizeof(text)) ? errno : 0;
	if (!err) {
		err = -ebb_watch_read(watch);
		snprintf(text, sizeof(text), "cannot read the counts: %s", strerror(err));
	}
	if (!err)
		return watch;
	ebb_watch_close(watch);
	errno = err;
	return NULL;
}

static bool has_ended(struct ebb_watch *watch)
{
	struct pollfd fd = { .fd = watch->pidfd, .events = POLLIN };

	if (!watch->has_ended)
		watch->has_ended = poll(&fd, 1, 0) == 1;
	return watch->has_ended;
}

static int drain(struct ebb_watch *watch)
{
	int err = ebb_life_drain(watch->life);
	int more = watch->faults ? ebb_faults_drain(watch->faults) : 0;

	return err ? err : more;
}

static int wait_slice(struct ebb_watch *watch, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = watch->pidfd, .events = POLLIN },
		{ .fd = ebb_life_fd(watch->life), .events = POLLIN },
		{ .fd = watch->faults ? ebb_faults_fd(watch->faults) : -1, .events = POLLIN },
	};

	if (poll(fds, 3, timeout_ms < SLICE_MS ? timeout_ms : SLICE_MS) < 0)
		return -errno;
	return 0;
}

/* the last events, as many as there are: nobody makes new ones */
static int drain_all(struct ebb_watch *watch)
{
	int more;

	do {
		more = drain(watch);
	} while (more > 0);
	return more;
}

int ebb_watch_poll(struct ebb_watch *watch, int timeout_ms)
{
	uint64_t end_ns = ebb_now_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
	uint64_t now_ns;
	int err;

	for (;;) {
		/* asked first: the events of before its end are all there then */
		bool is_over = has_ended(watch);

		err = is_over ? drain_all(watch) : drain(watch);
		if (err < 0 || is_over)
			return err < 0 ? err : 1;
		now_ns = ebb_now_ns();
		if (now_ns >= end_ns)
			return 0;
		err = err ? 0 : wait_slice(watch, (end_ns - now_ns + 999999) / 1000000);
		if (err)
			return err;
	}
}

static int read_once(struct ebb_watch *watch)
{
	int err = ebb_life_drain(watch->life);

	if (err)
		return err;
	watch->was_seen = false;
	ebb_threads_begin(watch->threads);
	err = ebb_tasks_read(watch->tasks, watch->pid, on_task, watch);
	/* what was not read is not gone */
	if (!err)
		ebb_threads_end(watch->threads);
	return err;
}

/* reaped before we could look: the kernel tells once more when it lets the process go */
static int wait_final(struct ebb_watch *watch)
{
	uint64_t end_ns = ebb_now_ns() + FINAL_NS;
	int err;

	do {
		err = ebb_life_drain(watch->life);
		if (!err && !ebb_threads_process(watch->threads, watch->pid, &watch->process))
			return -ESRCH;
		if (!err && !watch->process.is_final)
			err = wait_slice(watch, SLICE_MS);
	} while ((!err || err == -EINTR) && !watch->process.is_final && ebb_now_ns() < end_ns);
	watch->is_final = watch->process.is_final;
	return err == -EINTR ? 0 : err;
}

static void note_interval(struct ebb_watch *watch, const struct ebb_faults *before)
{
	uint64_t now_ns = ebb_now_ns();

	watch->interval_ns = watch->read_ns ? now_ns - watch->read_ns : 0;
	if (watch->read_ns) {
		watch->delta.minor = watch->process.total.minor - before->minor;
		watch->delta.major = watch->process.total.major - before->major;
	}
	watch->read_ns = now_ns;
}

int ebb_watch_read(struct ebb_watch *watch)
{
	struct ebb_faults before = watch->process.total;
	bool is_over = has_ended(watch);
	int err;

	/* there is nothing after the last figures */
	if (watch->is_final) {
		note_interval(watch, &before);
		return 0;
	}
	err = read_once(watch);
	if (err)
		return err;
	if (!ebb_threads_process(watch->threads, watch->pid, &watch->process))
		return -ESRCH;
	/* only its zombie is left, whose figures do not change any more */
	if (is_over && watch->was_seen)
		watch->is_final = true;
	else if (is_over)
		err = wait_final(watch);
	note_interval(watch, &before);
	return err;
}

struct each {
	ebb_watch_thread_fn fn;
	void *arg;
};

static void tell_thread(const struct ebb_thread_info *info, void *arg)
{
	struct ebb_watch_thread thread = {
		.tid = info->tid,
		.start_boottime_ns = info->start_boottime_ns,
		.minor = info->total.minor,
		.major = info->total.major,
		.d_minor = info->delta.minor,
		.d_major = info->delta.major,
		.alive = info->is_alive,
	};
	const struct each *each = arg;

	memcpy(thread.comm, info->comm, sizeof(thread.comm));
	each->fn(&thread, each->arg);
}

void ebb_watch_each_thread(struct ebb_watch *watch, ebb_watch_thread_fn fn, void *arg)
{
	struct each each = { .fn = fn, .arg = arg };

	ebb_threads_each(watch->threads, tell_thread, &each);
}

void ebb_watch_sums(struct ebb_watch *watch, struct ebb_watch_sums *sums)
{
	*sums = (struct ebb_watch_sums){
		.minor = watch->process.total.minor,
		.major = watch->process.total.major,
		.exited_minor = watch->process.exited.minor,
		.exited_major = watch->process.exited.major,
		.d_minor = watch->delta.minor,
		.d_major = watch->delta.major,
		.time_ns = watch->read_ns,
		.interval_ns = watch->interval_ns,
		.nr_threads = watch->process.nr_threads,
		.is_final = watch->is_final,
	};
}

void ebb_watch_latency(struct ebb_watch *watch, bool is_major, struct ebb_watch_latency *latency)
{
	struct ebb_fault_totals totals;

	memset(latency, 0, sizeof(*latency));
	if (!watch->faults)
		return;
	ebb_faults_totals(watch->faults, is_major, &totals);
	latency->count = totals.count;
	latency->total_ns = totals.latency_ns;
	for (size_t i = 0; i < EBB_WATCH_SLOTS; i++)
		latency->slots[i] = totals.slots[i];
}

size_t ebb_watch_top_stacks(struct ebb_watch *watch, size_t max, ebb_watch_stack_fn fn, void *arg)
{
	return watch->stacks ? ebb_fault_stacks_top(watch->stacks, max, fn, arg) : 0;
}

void ebb_watch_lost(struct ebb_watch *watch, struct ebb_watch_lost *lost)
{
	memset(lost, 0, sizeof(*lost));
	lost->life_events = ebb_life_lost(watch->life);
	lost->threads = ebb_threads_nr_evicted(watch->threads);
	if (!watch->faults)
		return;
	lost->ring_full = ebb_faults_lost(watch->faults, EBB_LOST_RING);
	lost->unpaired = ebb_faults_lost(watch->faults, EBB_LOST_PAIR);
	lost->no_user_stack = ebb_faults_lost(watch->faults, EBB_LOST_USER_STACK);
	lost->no_kernel_stack = ebb_faults_lost(watch->faults, EBB_LOST_KERNEL_STACK);
	lost->no_piece = ebb_faults_lost(watch->faults, EBB_LOST_STACK_PIECE);
	lost->missed = ebb_faults_missed(watch->faults);
	lost->stack_table_full = ebb_fault_stacks_lost(watch->stacks);
}

bool ebb_watch_has_lost(const struct ebb_watch_lost *lost)
{
	/* stacks that could not be read say so themselves, where they are shown */
	return lost->ring_full || lost->unpaired || lost->missed || lost->life_events ||
	       lost->stack_table_full || lost->threads;
}

const char *ebb_watch_source(const struct ebb_watch *watch)
{
	return watch->faults ? ebb_faults_name(watch->faults) : "counts only";
}

bool ebb_watch_knows_latency(const struct ebb_watch *watch)
{
	return watch->faults && ebb_faults_knows_latency(watch->faults);
}

void ebb_watch_close(struct ebb_watch *watch)
{
	if (!watch)
		return;
	ebb_faults_close(watch->faults);
	ebb_fault_stacks_close(watch->stacks);
	ebb_tasks_close(watch->tasks);
	ebb_life_close(watch->life);
	ebb_threads_free(watch->threads);
	ebb_threads_leave();
	close(watch->pidfd);
	free(watch);
}
