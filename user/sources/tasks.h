/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of all tasks, read by a BPF iterator (bpf/tasks.bpf.c). */
#ifndef EBB_SOURCES_TASKS_H
#define EBB_SOURCES_TASKS_H

#include <stddef.h>
#include <sys/types.h>

struct ebb_tasks;
struct ebb_task_record;

/** typedef ebb_task_fn - gets each task; the record is valid during the call */
typedef void (*ebb_task_fn)(const struct ebb_task_record *record, void *arg);

/**
 * ebb_tasks_open() - load the iterator
 * @why: on failure: what is missing and what to do
 * @size: of @why
 *
 * Return: the source, or NULL with errno set.
 */
struct ebb_tasks *ebb_tasks_open(char *why, size_t size);

/**
 * ebb_tasks_read() - go through all tasks once, in ascending order of id
 * @tasks: the source
 * @tgid: only the threads of this process; 0: all
 * @fn: called for each
 * @arg: for @fn
 *
 * Not a snapshot: tasks come and go while it reads.
 *
 * Return: 0 or a negative errno.
 */
int ebb_tasks_read(struct ebb_tasks *tasks, pid_t tgid, ebb_task_fn fn, void *arg);

/** ebb_tasks_close() - unload it; NULL is allowed */
void ebb_tasks_close(struct ebb_tasks *tasks);

#endif /* EBB_SOURCES_TASKS_H */
