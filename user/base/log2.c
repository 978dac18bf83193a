// SPDX-License-Identifier: GPL-2.0
/* Histograms by powers of two. */
#include "base/log2.h"

uint64_t ebb_log2_sum(const uint64_t *slots, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += slots[i];
	return sum;
}

uint64_t ebb_log2_below(const uint64_t *slots, size_t nr, unsigned int percent)
{
	uint64_t all = ebb_log2_sum(slots, nr), seen = 0;

	for (size_t i = 0; i < nr; i++) {
		seen += slots[i];
		if (seen && seen * 100 >= all * percent)
			return 2ULL << i;
	}
	return 0;
}
