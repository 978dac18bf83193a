// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a process for KUnit suites.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "memory.h"

#define MAPPINGS_MAX 16

static struct mm_struct *mm;

/* what the case has mapped */
static struct {
	unsigned long addr;
	unsigned long size;
} mappings[MAPPINGS_MAX];
static unsigned int nr_mappings;

/**
 * memory_suite_init() - keep the memory of the process that loads the suite
 * @suite: the suite
 *
 * Context: the loading process.
 * Return: 0, or -EINVAL when a kernel thread loads it.
 */
int memory_suite_init(struct kunit_suite *suite)
{
	if (!current->mm)
		return -EINVAL;
	mm = current->mm;
	mmget(mm);
	return 0;
}

/**
 * memory_suite_exit() - let go of it
 * @suite: the suite
 *
 * Context: the loading process.
 */
void memory_suite_exit(struct kunit_suite *suite)
{
	if (mm)
		mmput(mm);
	mm = NULL;
}

/**
 * memory_init() - make the memory that of the case's thread
 * @test: the case
 *
 * Context: the case's thread.
 * Return: 0.
 */
int memory_init(struct kunit *test)
{
	nr_mappings = 0;
	kthread_use_mm(mm);
	return 0;
}

/**
 * memory_exit() - undo it, and unmap what the case has mapped
 * @test: the case
 *
 * Context: the case's thread; another one when an assertion has ended the case.
 */
void memory_exit(struct kunit *test)
{
	if (current->mm != mm)
		return;
	while (nr_mappings) {
		nr_mappings--;
		vm_munmap(mappings[nr_mappings].addr, mappings[nr_mappings].size);
	}
	kthread_unuse_mm(mm);
}

/**
 * memory_mm() - the memory
 *
 * Context: any, between init and exit.
 * Return: its mm.
 */
struct mm_struct *memory_mm(void)
{
	return mm;
}

/**
 * memory_map() - map anonymous memory, beginning at a multiple of 2 MiB, nothing else in these
 * @test: the case, which fails when it cannot be had
 * @size: bytes
 * @prot: %PROT_READ and the like
 * @flags: %MAP_LOCKED and the like; %MAP_PRIVATE unless %MAP_SHARED is among them
 *
 * Context: the case's thread.
 * Return: the address.
 */
unsigned long memory_map(struct kunit *test, unsigned long size, unsigned long prot,
			 unsigned long flags)
{
	unsigned long addr, room = round_up(size, PMD_SIZE) + 2 * PMD_SIZE;

	flags |= MAP_ANONYMOUS | (flags & MAP_SHARED ? 0 : MAP_PRIVATE);
	KUNIT_ASSERT_LT(test, nr_mappings, MAPPINGS_MAX);
	addr = vm_mmap(NULL, 0, room, PROT_NONE, MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	vm_munmap(addr, room);
	addr = round_up(addr, PMD_SIZE) + (addr & ~PMD_MASK ? 0 : PMD_SIZE);
	addr = vm_mmap(NULL, addr, size, prot, flags | MAP_FIXED, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	mappings[nr_mappings].addr = addr;
	mappings[nr_mappings++].size = size;
	return addr;
}

/**
 * memory_unmap() - unmap some of it again
 * @test: the case
 * @addr: where
 * @size: bytes
 *
 * Context: the case's thread.
 */
void memory_unmap(struct kunit *test, unsigned long addr, unsigned long size)
{
	KUNIT_ASSERT_EQ(test, vm_munmap(addr, size), 0);
}

/**
 * memory_write() - touch pages by writing
 * @test: the case
 * @addr: the first
 * @nr: how many
 *
 * Context: the case's thread.
 */
void memory_write(struct kunit *test, unsigned long addr, unsigned long nr)
{
	for (; nr; nr--, addr += PAGE_SIZE)
		KUNIT_ASSERT_EQ(test, put_user((u8)1, (u8 __user *)addr), 0);
}

/**
 * memory_read() - touch pages by reading
 * @test: the case
 * @addr: the first
 * @nr: how many
 *
 * Context: the case's thread.
 */
void memory_read(struct kunit *test, unsigned long addr, unsigned long nr)
{
	u8 byte;

	for (; nr; nr--, addr += PAGE_SIZE)
		KUNIT_ASSERT_EQ(test, get_user(byte, (u8 __user *)addr), 0);
}

MODULE_DESCRIPTION("KUnit suites of ebb");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(EBB_TESTS);
