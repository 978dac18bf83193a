/* SPDX-License-Identifier: GPL-2.0 */
/* The outcome as text or as JSON. */
#ifndef EBB_BENCH_REPORT_H
#define EBB_BENCH_REPORT_H

#include "measure.h"
#include "push.h"

/** report_begin() - before all else; @is_json: one JSON document, in place of tables */
void report_begin(bool is_json);

/** report_absent() - say which contenders cannot be had here, and why */
void report_absent(void);

/** report_load() - the results of all contenders with one load */
void report_load(const struct load *load, struct result *results, size_t nr);

/** report_pushes() - the results of pushing out */
void report_pushes(struct push pushes[NR_PUSHES]);

/** report_end() - after all else */
void report_end(void);

#endif
