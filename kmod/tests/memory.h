/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a process for KUnit suites: that of the modprobe that loads them, and which sleeps
 * meanwhile. A suite names memory_suite_init() and memory_suite_exit(), and memory_init() and
 * memory_exit() for each case; a case then has mappings of its own.
 */
#ifndef EBB_TESTS_MEMORY_H
#define EBB_TESTS_MEMORY_H

#include <linux/mm.h>

struct kunit;
struct kunit_suite;

int memory_suite_init(struct kunit_suite *suite);
void memory_suite_exit(struct kunit_suite *suite);
int memory_init(struct kunit *test);
void memory_exit(struct kunit *test);
struct mm_struct *memory_mm(void);
unsigned long memory_map(struct kunit *test, unsigned long size, unsigned long prot,
			 unsigned long flags);
void memory_unmap(struct kunit *test, unsigned long addr, unsigned long size);
void memory_write(struct kunit *test, unsigned long addr, unsigned long nr);
void memory_read(struct kunit *test, unsigned long addr, unsigned long nr);

#endif /* EBB_TESTS_MEMORY_H */
