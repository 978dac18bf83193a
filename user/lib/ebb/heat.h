/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Heat map: for how many scans each page of a process has been idle. Pure: no I/O.
 *
 * Ages are kept per block of 2 MiB while all its pages have the same one, and for each of its 512
 * pages from when some of them were young: a cold terabyte costs some megabytes, hot memory
 * 1/4096 of its size. Which pages are resident is not kept: a page table that the scan skipped
 * does not tell it. A pass with %EBB_SCAN_KEEP at the end tells it, and its runs are given to
 * ebb_heat_split() or ebb_heat_view_add().
 */
#ifndef EBB_HEAT_H
#define EBB_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ebb.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EBB_HEAT_AGE_MAX 254 /* "so many scans or more" */
#define EBB_HEAT_STRIP_COLUMNS 80

struct ebb_heat;

/**
 * ebb_heat_new() - begin a map
 *
 * Return: the map, or NULL without memory.
 */
struct ebb_heat *ebb_heat_new(void);

/** ebb_heat_free() - end a map; @heat may be NULL */
void ebb_heat_free(struct ebb_heat *heat);

/**
 * ebb_heat_begin() - begin to take in a scan
 * @heat: the map
 *
 * The first scan is the baseline: it says nothing of when a page was touched, all ages are 0
 * after it.
 */
void ebb_heat_begin(struct ebb_heat *heat);

/**
 * ebb_heat_add() - take in runs of a scan
 * @heat: the map, between ebb_heat_begin() and ebb_heat_end()
 * @runs: in ascending order, also from call to call
 * @nr_runs: how many
 *
 * Young pages get age 0, others grow one scan older. A page that was not there at the last scan
 * and is idle has age 1.
 *
 * Return: 0, -EINVAL runs overlap or are not in order, -ENOMEM; the map keeps what it had.
 */
int ebb_heat_add(struct ebb_heat *heat, const struct ebb_run *runs, size_t nr_runs);

/**
 * ebb_heat_end() - the scan has ended
 * @heat: the map
 * @is_complete: true: what the scan did not tell of is no longer there and is forgotten; false:
 *	it was cut short, and what it did not reach keeps its age
 *
 * Return: 0, or -ENOMEM.
 */
int ebb_heat_end(struct ebb_heat *heat, bool is_complete);

/**
 * ebb_heat_nr_scans() - scans taken in, with the baseline
 * @heat: the map
 *
 * Return: their number.
 */
unsigned int ebb_heat_nr_scans(const struct ebb_heat *heat);

/**
 * ebb_heat_bytes() - memory that the map takes
 * @heat: the map
 *
 * Return: bytes.
 */
size_t ebb_heat_bytes(const struct ebb_heat *heat);

/**
 * typedef ebb_heat_fn - what is done with neighbouring pages of one age
 * @start: address of the first
 * @nr_pages: how many of 4 KiB
 * @age: scans since they were young, at most %EBB_HEAT_AGE_MAX; 0 when nothing is known of them
 * @arg: the caller's
 *
 * Return: 0 to go on; anything else ends and is returned to the caller.
 */
typedef int (*ebb_heat_fn)(uint64_t start, uint64_t nr_pages, unsigned int age, void *arg);

/**
 * ebb_heat_split() - cut a run where the age changes
 * @heat: the map
 * @run: any run
 * @fn: called for each piece, ascending
 * @arg: for @fn
 *
 * Return: 0, or what @fn returned.
 */
int ebb_heat_split(const struct ebb_heat *heat, const struct ebb_run *run, ebb_heat_fn fn,
		   void *arg);

/**
 * struct ebb_heat_view - resident memory by age; begin with all zeros
 * @bytes: resident bytes of each age
 * @swap_bytes: bytes in swap
 * @warmth: of each column of the strip: over its resident pages the sum of 1000 for one just
 *	touched, down to 0 for one not touched since the first scan
 * @pages: of each column, the resident pages
 */
struct ebb_heat_view {
	uint64_t bytes[EBB_HEAT_AGE_MAX + 1];
	uint64_t swap_bytes;
	uint64_t warmth[EBB_HEAT_STRIP_COLUMNS];
	uint64_t pages[EBB_HEAT_STRIP_COLUMNS];
};

/**
 * ebb_heat_view_add() - sum up resident pages
 * @heat: the map
 * @view: the sums
 * @runs: of a scan with %EBB_SCAN_KEEP; runs of skipped tables are left out
 * @nr_runs: how many
 *
 * The strip shows all blocks of the map side by side in the order of their addresses, without the
 * holes between them.
 */
void ebb_heat_view_add(const struct ebb_heat *heat, struct ebb_heat_view *view,
		       const struct ebb_run *runs, size_t nr_runs);

/**
 * ebb_heat_strip() - draw the strip
 * @view: the sums
 * @strip: 80 characters and a NUL: ' ' nothing resident, '.' not touched since the first
 *	scan, then ":-=+*#%" to '@' for memory all touched between the last two scans
 */
void ebb_heat_strip(const struct ebb_heat_view *view, char strip[EBB_HEAT_STRIP_COLUMNS + 1]);

#ifdef __cplusplus
}
#endif
#endif
