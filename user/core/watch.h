/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page faults of one process while they happen: counts per thread, latencies, and the code
 * that took them.
 *
 * Counts are the kernel's own (those of ps and /proc/PID/task/TID/stat), read by a BPF iterator.
 * Latencies and stacks come from an event per fault; where events were lost the counts are still
 * right, and struct ebb_watch_lost says how many.
 *
 * Not thread safe: one thread uses a watch.
 */
#ifndef EBB_CORE_WATCH_H
#define EBB_CORE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ebb_watch;

#define EBB_WATCH_COMM_MAX 16
#define EBB_WATCH_SLOTS 40
#define EBB_WATCH_FRAMES 96

/**
 * struct ebb_watch_fault - one fault
 * @time_ns: when it ended, nanoseconds of CLOCK_MONOTONIC
 * @address: what was touched
 * @latency_ns: how long it took; 0 when not known, see ebb_watch_knows_latency()
 * @tid: the thread
 * @is_major: it had to wait for a disk or for swap
 * @is_kernel: touched by the kernel for the program, in a system call for instance
 * @function: code of the program that touched it, "func+0x12 (file)"
 */
struct ebb_watch_fault {
	uint64_t time_ns;
	uint64_t address;
	uint64_t latency_ns;
	pid_t tid;
	bool is_major;
	bool is_kernel;
	const char *function;
};

/**
 * struct ebb_watch_opts - zeroed means the defaults
 * @counts_only: no events: no latencies and no stacks; costs the process nothing
 * @no_stacks: events without user stacks other than the function that touched the page
 * @stack_bytes: piece of the user stack copied at each fault so that programs without frame
 *	pointers can be unwound by their .eh_frame; rounded up to KiB, at most 16 KiB;
 *	0: 8 KiB; %EBB_WATCH_NO_PIECE: none
 * @ring_bytes: size of the ring of fault events, a power of two, at least a page; 0: 16 MiB
 * @source: "fentry", "kprobe" or "perf": only this one; NULL: the first that works
 * @on_fault: called by ebb_watch_poll() for each fault; NULL: not
 * @arg: for @on_fault
 */
struct ebb_watch_opts {
	bool counts_only;
	bool no_stacks;
	size_t stack_bytes;
	size_t ring_bytes;
	const char *source;
	void (*on_fault)(const struct ebb_watch_fault *fault, void *arg);
	void *arg;
};
#define EBB_WATCH_NO_PIECE ((size_t)-1)

/**
 * struct ebb_watch_thread - one thread, as of the last ebb_watch_read()
 * @tid: its id
 * @comm: its name
 * @start_boottime_ns: its begin, nanoseconds of CLOCK_BOOTTIME
 * @minor: minor faults since it began
 * @major: major faults since it began
 * @d_minor: minor faults since the read before the last one
 * @d_major: major faults since then
 * @alive: false: it has exited since the read before the last one
 */
struct ebb_watch_thread {
	pid_t tid;
	char comm[EBB_WATCH_COMM_MAX];
	uint64_t start_boottime_ns;
	uint64_t minor;
	uint64_t major;
	uint64_t d_minor;
	uint64_t d_major;
	bool alive;
};

/**
 * struct ebb_watch_sums - the process as a whole, as of the last ebb_watch_read()
 * @minor: minor faults of live and exited threads, what ps calls min_flt
 * @major: major faults of live and exited threads
 * @exited_minor: the part of exited threads
 * @exited_major: the part of exited threads
 * @d_minor: minor faults since the read before the last one
 * @d_major: major faults since then
 * @time_ns: when the last read ended, nanoseconds of CLOCK_MONOTONIC
 * @interval_ns: time between those two reads
 * @nr_threads: live threads
 * @is_final: the process has ended and these are its last figures
 */
struct ebb_watch_sums {
	uint64_t minor;
	uint64_t major;
	uint64_t exited_minor;
	uint64_t exited_major;
	uint64_t d_minor;
	uint64_t d_major;
	uint64_t time_ns;
	uint64_t interval_ns;
	size_t nr_threads;
	bool is_final;
};

/**
 * struct ebb_watch_latency - faults of one type since the watch was opened
 * @count: all of them
 * @total_ns: sum of the latencies
 * @slots: faults by latency: slot i counts 2^i to 2^(i+1)-1 nanoseconds
 */
struct ebb_watch_latency {
	uint64_t count;
	uint64_t total_ns;
	uint64_t slots[EBB_WATCH_SLOTS];
};

/**
 * struct ebb_watch_stack - faults that one chain of calls took
 * @count: all of them
 * @major: the major ones
 * @ns: sum of their latencies
 * @nr_frames: innermost first, the kernel's before the program's
 * @nr_kernel: how many of them are the kernel's
 * @how: how the program's part was found: "frame tables" (.eh_frame or .debug_frame), "frame
 *	pointers", or why it is only one frame: "[no frame pointers, stack not captured]"
 * @frames: "func+0x12 (file)"; an address where no symbol is known
 */
struct ebb_watch_stack {
	uint64_t count;
	uint64_t major;
	uint64_t ns;
	size_t nr_frames;
	size_t nr_kernel;
	const char *how;
	const char *frames[EBB_WATCH_FRAMES];
};

/**
 * struct ebb_watch_lost - what could not be told, by reason, since the watch was opened
 * @ring_full: faults counted but without stack and address: the reader was too slow
 * @unpaired: faults whose end was not seen
 * @no_user_stack: faults whose user stack could not be read at all
 * @no_kernel_stack: likewise the kernel's
 * @no_piece: faults whose piece of stack could not be copied
 * @missed: BPF programs that did not run because one ran already on that CPU
 * @life_events: begins and ends of threads
 * @stack_table_full: faults whose stack had no place in the table
 * @threads: threads that had no place in the table; they are in the sums
 */
struct ebb_watch_lost {
	uint64_t ring_full;
	uint64_t unpaired;
	uint64_t no_user_stack;
	uint64_t no_kernel_stack;
	uint64_t no_piece;
	uint64_t missed;
	uint64_t life_events;
	uint64_t stack_table_full;
	uint64_t threads;
};

/**
 * ebb_watch_open() - begin to watch a process, and read its counts once
 * @pid: the process
 * @opts: or NULL for the defaults
 * @why: on failure: what is missing and what to do, valid until the next call
 *
 * Return: the watch, or NULL with errno set: ESRCH no such process, EPERM, EINVAL bad option,
 * EOPNOTSUPP not on this kernel, ENOMEM.
 */
struct ebb_watch *ebb_watch_open(pid_t pid, const struct ebb_watch_opts *opts, const char **why);

/**
 * ebb_watch_poll() - take in events until a time is over
 * @watch: the watch
 * @timeout_ms: at most so long, milliseconds; 0: only what is there
 *
 * Comes back early when the process has ended or a signal arrived. Has to be called often
 * (several times a second) or events are lost.
 *
 * Return: 0 the time is over, 1 the process has ended, or a negative errno (-EINTR).
 */
int ebb_watch_poll(struct ebb_watch *watch, int timeout_ms);

/**
 * ebb_watch_read() - read all counts now
 * @watch: the watch
 *
 * After the end of the process the figures are final: waits for them, at most some seconds.
 *
 * Return: 0, or a negative errno.
 */
int ebb_watch_read(struct ebb_watch *watch);

/**
 * typedef ebb_watch_thread_fn - what is done with each thread
 * @thread: valid during the call
 * @arg: the caller's
 */
typedef void (*ebb_watch_thread_fn)(const struct ebb_watch_thread *thread, void *arg);

/** ebb_watch_each_thread() - go through the threads of the last read, in no order */
void ebb_watch_each_thread(struct ebb_watch *watch, ebb_watch_thread_fn fn, void *arg);

/** ebb_watch_sums() - the process as of the last read */
void ebb_watch_sums(struct ebb_watch *watch, struct ebb_watch_sums *sums);

/**
 * ebb_watch_latency() - the faults since the watch was opened, counted in the kernel: exact also
 * when events were lost
 * @watch: the watch
 * @is_major: of which type
 * @latency: filled; all 0 with %counts_only
 */
void ebb_watch_latency(struct ebb_watch *watch, bool is_major, struct ebb_watch_latency *latency);

/**
 * typedef ebb_watch_stack_fn - what is done with each stack
 * @stack: valid during the call
 * @arg: the caller's
 */
typedef void (*ebb_watch_stack_fn)(const struct ebb_watch_stack *stack, void *arg);

/**
 * ebb_watch_top_stacks() - the chains of calls that took most faults
 * @watch: the watch
 * @max: at most so many
 * @fn: called for each, most major faults first, then most faults
 * @arg: for @fn
 *
 * Names are looked up now; those found while the process lived are kept for after its end.
 *
 * Return: number of all different stacks.
 */
size_t ebb_watch_top_stacks(struct ebb_watch *watch, size_t max, ebb_watch_stack_fn fn, void *arg);

/** ebb_watch_lost() - what was lost until now */
void ebb_watch_lost(struct ebb_watch *watch, struct ebb_watch_lost *lost);

/** ebb_watch_has_lost() - whether anything of it is not 0 that makes a figure wrong or missing */
bool ebb_watch_has_lost(const struct ebb_watch_lost *lost);

/** ebb_watch_source() - "fentry", "kprobe", "perf", or "counts only" */
const char *ebb_watch_source(const struct ebb_watch *watch);

/** ebb_watch_knows_latency() - whether the source can tell how long a fault took */
bool ebb_watch_knows_latency(const struct ebb_watch *watch);

/** ebb_watch_close() - end it; the process is not touched. NULL is allowed */
void ebb_watch_close(struct ebb_watch *watch);

#endif /* EBB_CORE_WATCH_H */
