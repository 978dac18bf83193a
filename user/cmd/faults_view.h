/* SPDX-License-Identifier: GPL-2.0 */
/* What report and faults print alike of a watched process. */
#ifndef EBB_CMD_FAULTS_VIEW_H
#define EBB_CMD_FAULTS_VIEW_H

#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "core/watch.h"

/**
 * ebb_faults_print() - print rates per thread, latencies, top stacks and losses
 * @watch: read lately
 * @max_threads: at most so many threads, most faults first
 * @max_stacks: at most so many stacks
 * @out: where to
 */
void ebb_faults_print(struct ebb_watch *watch, size_t max_threads, size_t max_stacks, FILE *out);

/**
 * ebb_faults_json() - write the same: object "faults"
 * @watch: read lately
 * @max_stacks: at most so many stacks; all threads are told
 * @json: the writer
 */
void ebb_faults_json(struct ebb_watch *watch, size_t max_stacks, struct ebb_json *json);

/**
 * ebb_faults_json_details() - write members "latency", "stacks" and "lost" of an object
 * @watch: the watch
 * @max_stacks: at most so many stacks
 * @json: the writer
 */
void ebb_faults_json_details(struct ebb_watch *watch, size_t max_stacks, struct ebb_json *json);

/**
 * ebb_faults_print_lost() - print what was lost, a line for each reason; nothing when nothing was
 * @watch: the watch
 * @out: where to
 */
void ebb_faults_print_lost(struct ebb_watch *watch, FILE *out);

#endif
