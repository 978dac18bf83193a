/* SPDX-License-Identifier: GPL-2.0 */
/* Every fault of one process as an event (bpf/faults.bpf.c). */
#ifndef EBB_SOURCES_FAULTS_H
#define EBB_SOURCES_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ebb_faults_source;
struct ebb_fault_event;
struct ebb_fault_totals;

/** typedef ebb_fault_fn - gets each event, @size bytes with its stack; valid during the call */
typedef void (*ebb_fault_fn)(const struct ebb_fault_event *event, size_t size, void *arg);

/**
 * struct ebb_faults_opts - how to watch
 * @source: "fentry", "kprobe" or "perf"; NULL: the first that works, in this order
 * @stack_bytes: piece of user stack with each event, bytes; 0: none
 * @ring_bytes: size of the ring, a power of two, at least a page
 * @fn: called by ebb_faults_drain()
 * @arg: for @fn
 */
struct ebb_faults_opts {
	const char *source;
	size_t stack_bytes;
	size_t ring_bytes;
	ebb_fault_fn fn;
	void *arg;
};

/**
 * ebb_faults_open() - begin to watch a process
 * @tgid: the process
 * @opts: how
 * @why: on failure: what is missing and what to do, for each source that was tried
 * @size: of @why
 *
 * Return: the source, or NULL with errno set.
 */
struct ebb_faults_source *ebb_faults_open(pid_t tgid, const struct ebb_faults_opts *opts, char *why,
					  size_t size);

/** ebb_faults_is_source() - whether there is a source of that name */
bool ebb_faults_is_source(const char *name);

/** ebb_faults_name() - which source it is */
const char *ebb_faults_name(const struct ebb_faults_source *source);

/** ebb_faults_knows_latency() - whether it tells how long a fault took */
bool ebb_faults_knows_latency(const struct ebb_faults_source *source);

/** ebb_faults_fd() - a descriptor that is readable when many events wait */
int ebb_faults_fd(const struct ebb_faults_source *source);

/**
 * ebb_faults_drain() - take in events that are there, some thousands at most
 *
 * Return: 0 no event is left, 1 there may be more, or a negative errno.
 */
int ebb_faults_drain(struct ebb_faults_source *source);

/** ebb_faults_totals() - what the kernel side counted of major or minor faults */
void ebb_faults_totals(const struct ebb_faults_source *source, bool is_major,
		       struct ebb_fault_totals *totals);

/** ebb_faults_lost() - what was lost for reason @why, an &enum ebb_fault_lost */
uint64_t ebb_faults_lost(const struct ebb_faults_source *source, int why);

/** ebb_faults_missed() - programs that did not run since one ran already on that CPU */
uint64_t ebb_faults_missed(const struct ebb_faults_source *source);

/** ebb_faults_close() - end it; NULL is allowed */
void ebb_faults_close(struct ebb_faults_source *source);

#endif /* EBB_SOURCES_FAULTS_H */
