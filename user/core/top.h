/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of processes and threads in the order that somebody wants to see them: the model of `ebb top`
 * and of the tables of `ebb faults`. Pure: no terminal, no kernel.
 */
#ifndef EBB_CORE_TOP_H
#define EBB_CORE_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/threads.h"

#define EBB_TOP_FILTER_MAX 32

/**
 * enum ebb_top_sort - what comes first; the most, but for the last two
 * @EBB_TOP_MAJOR: major faults of the interval; then minor ones, then those since the begin
 * @EBB_TOP_MINOR: minor faults of the interval
 * @EBB_TOP_TOTAL: all faults since the begin
 * @EBB_TOP_RSS: resident memory
 * @EBB_TOP_THREADS: live threads
 * @EBB_TOP_PID: ids, ascending
 * @EBB_TOP_NAME: names, ascending
 * @EBB_TOP_NR_SORTS: how many there are
 *
 * Whatever is equal is in the order of %EBB_TOP_MAJOR, and then of ids.
 */
enum ebb_top_sort {
	EBB_TOP_MAJOR,
	EBB_TOP_MINOR,
	EBB_TOP_TOTAL,
	EBB_TOP_RSS,
	EBB_TOP_THREADS,
	EBB_TOP_PID,
	EBB_TOP_NAME,
	EBB_TOP_NR_SORTS,
};

/**
 * struct ebb_top_row - a process or a thread
 * @pid: process id
 * @tid: thread id; 0: this is a process
 * @comm: name, ends in NUL
 * @start_boottime_ns: begin
 * @total: faults since the begin
 * @delta: faults between the last two reads
 * @rss_bytes: resident memory of the process, when @has_rss
 * @nr_threads: live threads of a process
 * @has_rss: whether @rss_bytes is known
 * @is_alive: not exited as of the last read
 */
struct ebb_top_row {
	pid_t pid;
	pid_t tid;
	char comm[EBB_THREAD_COMM_MAX];
	uint64_t start_boottime_ns;
	struct ebb_faults total;
	struct ebb_faults delta;
	uint64_t rss_bytes;
	size_t nr_threads;
	bool has_rss;
	bool is_alive;
};

/**
 * struct ebb_top_view - what somebody wants to see; zeroed: all processes, most faults first
 * @sort: the order
 * @is_reversed: the other way round
 * @is_threads: a row for each thread instead of each process
 * @is_tree: below each process its threads
 * @filter: part of a name in any case, or an id; "": all
 * @limit: at most so many processes, or threads with @is_threads; 0: all
 * @is_typing: keys go into @filter
 * @is_help: the help is shown
 * @is_selected: a row is selected, below
 * @pid: of the selected row
 * @tid: of the selected row
 * @cursor: its index as of the last ebb_top_arrange()
 * @first: index of the first row on the screen
 * @expanded: processes that show their threads, see ebb_top_toggle()
 * @nr_expanded: how many
 */
struct ebb_top_view {
	enum ebb_top_sort sort;
	bool is_reversed;
	bool is_threads;
	bool is_tree;
	char filter[EBB_TOP_FILTER_MAX];
	size_t limit;
	bool is_typing;
	bool is_help;
	bool is_selected;
	pid_t pid;
	pid_t tid;
	size_t cursor;
	size_t first;
	pid_t *expanded;
	size_t nr_expanded;
};

/**
 * struct ebb_top_rows - rows as they were read
 * @at: the rows
 * @nr: how many
 * @max: room for so many
 */
struct ebb_top_rows {
	struct ebb_top_row *at;
	size_t nr;
	size_t max;
};

/**
 * struct ebb_top_list - rows in an order
 * @at: the rows
 * @nr: how many
 * @max: room for so many
 */
struct ebb_top_list {
	const struct ebb_top_row **at;
	size_t nr;
	size_t max;
};

/**
 * struct ebb_top_sums - of all rows, whether shown or not
 * @nr_processes: live processes
 * @nr_threads: their live threads
 * @rss_bytes: sum of resident memory; what is shared counts more than once
 * @total: faults since the begin, also of processes that have just exited
 * @delta: faults between the last two reads
 */
struct ebb_top_sums {
	size_t nr_processes;
	size_t nr_threads;
	uint64_t rss_bytes;
	struct ebb_faults total;
	struct ebb_faults delta;
};

/**
 * struct ebb_top - the model; zeroed before its first use
 * @processes: all of them
 * @threads: all of them
 * @base: of ebb_top_arrange(): without the threads of expanded processes
 * @shown: the rows to show
 * @interval_ns: time between the last two reads; 0: there was one only
 * @is_short: of memory: rows are missing
 */
struct ebb_top {
	struct ebb_top_rows processes;
	struct ebb_top_rows threads;
	struct ebb_top_list base;
	struct ebb_top_list shown;
	uint64_t interval_ns;
	bool is_short;
};

/** ebb_top_fill() - take all processes and threads from the table; resident memory is not known */
void ebb_top_fill(struct ebb_top *top, struct ebb_threads *threads);

/**
 * ebb_top_arrange() - make @shown: filter, sort, expand; finds the selected row again
 * @top: the model
 * @view: what is wanted; its cursor and its list of expanded processes are brought up to date
 */
void ebb_top_arrange(struct ebb_top *top, struct ebb_top_view *view);

/** ebb_top_sum() - sums over all processes */
void ebb_top_sum(const struct ebb_top *top, struct ebb_top_sums *sums);

/** ebb_top_toggle() - show the threads of a process, or stop to. Return: 0 or -ENOMEM */
int ebb_top_toggle(struct ebb_top_view *view, pid_t pid);

/** ebb_top_is_expanded() - whether a process shows its threads */
bool ebb_top_is_expanded(const struct ebb_top_view *view, pid_t pid);

/** ebb_top_sort_name() - the name of an order, as --sort takes it */
const char *ebb_top_sort_name(enum ebb_top_sort sort);

/** ebb_top_sort_find() - the order of that name. Return: 0, or -EINVAL */
int ebb_top_sort_find(const char *name, enum ebb_top_sort *sort);

/** ebb_faults_rate() - @nr in @ns nanoseconds as a number per second; 0 when @ns is 0 */
double ebb_faults_rate(uint64_t nr, uint64_t ns);

/** ebb_top_free() - give back the model's memory and that of the view */
void ebb_top_free(struct ebb_top *top, struct ebb_top_view *view);

#endif /* EBB_CORE_TOP_H */
