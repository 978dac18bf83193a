// SPDX-License-Identifier: GPL-2.0
/* A function in a shared library that touches pages. */
#include "touch.h"

int __attribute__((noinline)) touch_in_library(volatile char *pages, size_t nr)
{
	int sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += pages[i * 4096];
	return sum;
}
