/* SPDX-License-Identifier: GPL-2.0 */
/* Pages summed up by the mapping that they belong to. */
#ifndef EBB_CMD_MAPPINGS_H
#define EBB_CMD_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct ebb_mapping - one mapping and what was found in it
 * @start: first address
 * @end: first address behind it
 * @perms: "rw-p"
 * @path: file, "[heap]", or ""
 * @young: resident bytes touched between the last two scans
 * @idle: resident bytes not touched
 * @swap: bytes in swap
 */
struct ebb_mapping {
	uint64_t start;
	uint64_t end;
	char perms[5];
	char *path;
	uint64_t young;
	uint64_t idle;
	uint64_t swap;
};

/**
 * struct ebb_mappings - all mappings of a process
 * @at: sorted by address
 * @nr: how many
 * @other: pages of no mapping in the list: mapped after the list was made
 */
struct ebb_mappings {
	struct ebb_mapping *at;
	size_t nr;
	struct ebb_mapping other;
};

/** enum ebb_page_sum - where ebb_mappings_add() adds to */
enum ebb_page_sum {
	EBB_PAGE_YOUNG,
	EBB_PAGE_IDLE,
	EBB_PAGE_SWAP,
};

/**
 * ebb_mappings_read() - list a process's mappings, with sums of 0
 * @mappings: filled; to be freed also on error
 * @pid: the process
 *
 * Return: 0, -ESRCH, -EACCES, -ENOMEM or another negative errno.
 */
int ebb_mappings_read(struct ebb_mappings *mappings, pid_t pid);

/**
 * ebb_mappings_add() - add pages to the sums of the mappings that they lie in
 * @mappings: the list
 * @start: first address
 * @bytes: how many
 * @sum: which one
 */
void ebb_mappings_add(struct ebb_mappings *mappings, uint64_t start, uint64_t bytes,
		      enum ebb_page_sum sum);

/** ebb_mappings_free() - end a list */
void ebb_mappings_free(struct ebb_mappings *mappings);

#endif
