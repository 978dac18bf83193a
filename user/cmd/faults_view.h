/* SPDX-License-Identifier: GPL-2.0 */
/* The page faults of a watched process, as a part of a report. */
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

#endif
