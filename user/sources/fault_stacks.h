/* SPDX-License-Identifier: GPL-2.0 */
/* From the events of faults to chains of calls with names. */
#ifndef EBB_SOURCES_FAULT_STACKS_H
#define EBB_SOURCES_FAULT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/watch.h"

struct ebb_fault_stacks;
struct ebb_fault_event;

/**
 * ebb_fault_stacks_open() - a table for a process's faults
 * @pid: the process
 * @is_deep: unwind; else the function that touched the page is all
 *
 * Return: the table, or NULL with errno set.
 */
struct ebb_fault_stacks *ebb_fault_stacks_open(pid_t pid, bool is_deep);

/** ebb_fault_stacks_close() - let go; NULL is allowed */
void ebb_fault_stacks_close(struct ebb_fault_stacks *stacks);

/** ebb_fault_stacks_add() - one more event, @size bytes with its piece of stack */
void ebb_fault_stacks_add(struct ebb_fault_stacks *stacks, const struct ebb_fault_event *event,
			  size_t size);

/** ebb_fault_stacks_exec() - the process runs another program from now on */
void ebb_fault_stacks_exec(struct ebb_fault_stacks *stacks);

/** ebb_fault_stacks_function() - name of the function that touched the page; valid until close */
const char *ebb_fault_stacks_function(struct ebb_fault_stacks *stacks,
				      const struct ebb_fault_event *event);

/** ebb_fault_stacks_top() - see ebb_watch_top_stacks() */
size_t ebb_fault_stacks_top(struct ebb_fault_stacks *stacks, size_t max, ebb_watch_stack_fn fn,
			    void *arg);

/** ebb_fault_stacks_lost() - faults whose chain had no place in the table */
uint64_t ebb_fault_stacks_lost(const struct ebb_fault_stacks *stacks);

#endif /* EBB_SOURCES_FAULT_STACKS_H */
