/* SPDX-License-Identifier: GPL-2.0 */
/* Times and their medians. */
#ifndef EBB_BENCH_CLOCK_H
#define EBB_BENCH_CLOCK_H

#include <stddef.h>

/** now_us() - a clock that never goes back, microseconds */
double now_us(void);

/** median() - the middle one of @nr values, which get sorted; NaN of none */
double median(double *v, size_t nr);

#endif
