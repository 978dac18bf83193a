/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of threads and processes: what the sources know of them, joined.
 *
 * The key of a thread is (tid, start time), since ids are used again; of a process it is that of its leader.
 * One writer (the collector) fills the table, any number of readers go through it and never wait:
 * liburcu's lock-free hash table. Memory is bounded; what found no place is counted.
 *
 * A process's sums never go down and never run ahead of the kernel's: an exited thread folds into
 * its process exactly once, whether its exit was told by an event, by its absence from an
 * interval read, or by the sum of released threads that the kernel keeps (its "gone" counts).
 * When nothing of the process runs any more, they are exact after one read.
 */
#ifndef EBB_CORE_THREADS_H
#define EBB_CORE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EBB_THREAD_COMM_MAX 16

struct ebb_threads;

/**
 * struct ebb_faults - a pair of counters
 * @minor: minor faults
 * @major: major faults
 */
struct ebb_faults {
	uint64_t minor;
	uint64_t major;
};

/**
 * struct ebb_thread_sample - what a source tells of one thread
 * @tid: thread id
 * @tgid: process id
 * @start_boottime_ns: begin of the thread, nanoseconds of CLOCK_BOOTTIME
 * @leader_start_boottime_ns: begin of its group's leader
 * @own: the thread's faults since it began
 * @gone: faults of the group's threads that were already released, read before @own
 * @is_exiting: of an interval read: it has begun to exit
 * @is_gone_settled: of an interval read: no thread of @gone can be met by it any more
 * @comm: name, ends in NUL
 */
struct ebb_thread_sample {
	pid_t tid;
	pid_t tgid;
	uint64_t start_boottime_ns;
	uint64_t leader_start_boottime_ns;
	struct ebb_faults own;
	struct ebb_faults gone;
	bool is_exiting;
	bool is_gone_settled;
	char comm[EBB_THREAD_COMM_MAX];
};

/**
 * struct ebb_thread_info - one thread as a reader sees it
 * @tid: thread id
 * @tgid: process id
 * @start_boottime_ns: begin
 * @total: faults since it began
 * @delta: faults between the last two interval reads
 * @is_alive: not exited as of the last read or event
 * @comm: name
 */
struct ebb_thread_info {
	pid_t tid;
	pid_t tgid;
	uint64_t start_boottime_ns;
	struct ebb_faults total;
	struct ebb_faults delta;
	bool is_alive;
	char comm[EBB_THREAD_COMM_MAX];
};

/**
 * struct ebb_process_info - one process as a reader sees it
 * @tgid: process id
 * @start_boottime_ns: begin of its leader
 * @total: faults of live and exited threads; each member never goes down
 * @exited: the part of exited threads
 * @delta: faults between the last two interval reads
 * @nr_threads: threads seen alive by the last read
 * @is_alive: seen by the last read
 * @is_final: its leader was released: nothing can change any more
 * @comm: name of the leader
 */
struct ebb_process_info {
	pid_t tgid;
	uint64_t start_boottime_ns;
	struct ebb_faults total;
	struct ebb_faults exited;
	struct ebb_faults delta;
	size_t nr_threads;
	bool is_alive;
	bool is_final;
	char comm[EBB_THREAD_COMM_MAX];
};

/**
 * ebb_threads_new() - an empty table
 * @max: at most so many threads, and so many processes
 *
 * Return: the table, or NULL without memory.
 */
struct ebb_threads *ebb_threads_new(size_t max);

/** ebb_threads_free() - end it; no reader may be left. NULL is allowed */
void ebb_threads_free(struct ebb_threads *table);

/** ebb_threads_begin() - an interval read of all tasks begins. Context: the writer */
void ebb_threads_begin(struct ebb_threads *table);

/** ebb_threads_sample() - a task of the interval read. Context: the writer, after begin */
void ebb_threads_sample(struct ebb_threads *table, const struct ebb_thread_sample *sample);

/**
 * ebb_threads_end() - the interval read is complete: threads that it did not see have exited
 * @table: the table
 *
 * Those stay to be read, as not alive, until the end of the next one. Context: the writer.
 */
void ebb_threads_end(struct ebb_threads *table);

/**
 * ebb_threads_exited() - a thread is exiting, with its counts. Context: the writer, not between
 * begin and end
 */
void ebb_threads_exited(struct ebb_threads *table, const struct ebb_thread_sample *sample);

/**
 * ebb_threads_gone() - a thread was released
 * @table: the table
 * @sample: its @gone counts include the thread's own; @leader_start_boottime_ns is not used
 *
 * Events of one process have to come in their order, exits before what was released later.
 * Context: the writer, not between begin and end.
 */
void ebb_threads_gone(struct ebb_threads *table, const struct ebb_thread_sample *sample);

/** ebb_threads_nr_evicted() - threads and processes that found no place. Any thread */
uint64_t ebb_threads_nr_evicted(const struct ebb_threads *table);

/** ebb_threads_join() - every thread that uses a table calls it first (liburcu) */
void ebb_threads_join(void);

/** ebb_threads_leave() - and this last */
void ebb_threads_leave(void);

/** typedef ebb_thread_fn - gets each thread; must not block for long */
typedef void (*ebb_thread_fn)(const struct ebb_thread_info *info, void *arg);

/** typedef ebb_process_fn - gets each process; must not block for long */
typedef void (*ebb_process_fn)(const struct ebb_process_info *info, void *arg);

/** ebb_threads_each() - go through all threads, in no order. Any thread, also the writer */
void ebb_threads_each(struct ebb_threads *table, ebb_thread_fn fn, void *arg);

/** ebb_threads_each_process() - go through all processes, in no order. Any thread */
void ebb_threads_each_process(struct ebb_threads *table, ebb_process_fn fn, void *arg);

/**
 * ebb_threads_process() - one process: the latest of that id
 * @table: the table
 * @tgid: process id
 * @info: filled when found
 *
 * Return: whether there is one. Any thread.
 */
bool ebb_threads_process(struct ebb_threads *table, pid_t tgid, struct ebb_process_info *info);

#endif /* EBB_CORE_THREADS_H */
