// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double median(double *v, size_t nr)
{
	if (!nr)
		return NAN;
	qsort(v, nr, sizeof(*v), compare);
	return v[nr / 2];
}
