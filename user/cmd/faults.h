/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the verb `ebb faults`. */
#ifndef EBB_CMD_FAULTS_H
#define EBB_CMD_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ebb_collector;
struct ebb_json;
struct ebb_target;

/**
 * struct ebb_faults_options - what the user wants
 * @target: PID or name; NULL: all processes
 * @interval_ns: between two reads, nanoseconds
 * @count: number of intervals; 0: until it is stopped or the process ends
 * @top: rows of a table at most; 0: all
 * @stacks: chains of calls at most
 * @stack_bytes: see struct ebb_watch_opts
 * @ring_bytes: likewise
 * @source: likewise
 * @counts_only: likewise
 * @is_threads: without a target: a row for each thread
 * @is_events: a line for each fault
 * @is_json: JSON instead of text
 */
struct ebb_faults_options {
	const char *target;
	uint64_t interval_ns;
	uint64_t count;
	uint64_t top;
	uint64_t stacks;
	size_t stack_bytes;
	size_t ring_bytes;
	const char *source;
	bool counts_only;
	bool is_threads;
	bool is_events;
	bool is_json;
};

/** ebb_faults_one() - watch one process. Return: &enum ebb_exit */
int ebb_faults_one(const struct ebb_faults_options *options, const struct ebb_target *target);

/** ebb_faults_all() - rates of all processes. Return: &enum ebb_exit */
int ebb_faults_all(const struct ebb_faults_options *options);

/**
 * ebb_faults_tell_lost() - warn of what was lost, and end a JSON document with it
 * @collector: what lost it
 * @is_short: rows are missing for want of memory
 * @json: the document, or NULL
 *
 * Return: whether anything was lost.
 */
bool ebb_faults_tell_lost(const struct ebb_collector *collector, bool is_short,
			  struct ebb_json *json);

#endif /* EBB_CMD_FAULTS_H */
