/* SPDX-License-Identifier: GPL-2.0 */
/* What ebb doctor finds: a list of findings. */
#ifndef EBB_CMD_DOCTOR_H
#define EBB_CMD_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ebb.h>

#include "base/log.h"

/**
 * enum ebb_finding_state - how things stand
 * @EBB_FINDING_OK: there
 * @EBB_FINDING_INFO: worth to know
 * @EBB_FINDING_LACKING: missing; something works less well
 * @EBB_FINDING_FATAL: missing; ebb's main job, finding idle memory and pushing it out, is not
 *	possible
 */
enum ebb_finding_state {
	EBB_FINDING_OK,
	EBB_FINDING_INFO,
	EBB_FINDING_LACKING,
	EBB_FINDING_FATAL,
};

/**
 * struct ebb_finding - one line of the report
 * @area: "kernel", "module", "memory", "events"
 * @name: what was looked at
 * @state: how it stands
 * @detail: what was found, or why it is missing
 * @todo: what to do about it, or ""
 */
struct ebb_finding {
	const char *area;
	char name[40];
	enum ebb_finding_state state;
	char detail[256];
	const char *todo;
};

/**
 * struct ebb_findings - all of them; zeroed to begin with
 * @at: in the order they were found
 * @nr: how many
 * @knows_lock: @lock_held is known
 * @lock_held: how often a target's mmap_lock was held for 2^i to 2^(i+1) - 1 nanoseconds
 */
struct ebb_findings {
	struct ebb_finding at[64];
	size_t nr;
	bool knows_lock;
	uint64_t lock_held[EBB_LOCK_HELD_BUCKETS];
};

/**
 * ebb_finding_add() - add a line
 * @findings: the list; what does not fit is dropped by an assertion
 * @area: static
 * @name: copied
 * @state: how it stands
 * @todo: static; "" when there is nothing to do
 * @fmt: printf format of the detail
 */
void ebb_finding_add(struct ebb_findings *findings, const char *area, const char *name,
		     enum ebb_finding_state state, const char *todo, const char *fmt, ...)
	EBB_PRINTF(6, 7);

/** ebb_doctor_module() - the module and its capabilities */
void ebb_doctor_module(struct ebb_findings *findings);

/** ebb_doctor_memory() - swap, zram, multi-generational LRU, huge pages */
void ebb_doctor_memory(struct ebb_findings *findings);

/** ebb_doctor_events() - BTF and the kinds of BPF programs that load */
void ebb_doctor_events(struct ebb_findings *findings);

#endif
