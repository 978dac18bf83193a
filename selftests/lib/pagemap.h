/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/PID/pagemap says of pages. */
#ifndef EBB_SELFTESTS_PAGEMAP_H
#define EBB_SELFTESTS_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * pagemap_present() - count the pages that are in memory
 * @pid: of a process
 * @addr: address of the first page
 * @nr: number of pages
 *
 * Return: how many of them are present. The program ends when pagemap cannot be read.
 */
size_t pagemap_present(pid_t pid, uint64_t addr, size_t nr);

/**
 * pagemap_swapped() - which pages are swap entries?
 * @pid: of a process
 * @addr: address of the first page
 * @nr: number of pages
 * @swapped: gets one answer for each
 *
 * The program ends when pagemap cannot be read.
 */
void pagemap_swapped(pid_t pid, uint64_t addr, size_t nr, bool *swapped);

#endif /* EBB_SELFTESTS_PAGEMAP_H */
