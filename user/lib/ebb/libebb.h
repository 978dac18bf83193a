/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libebb: a client of ebb.ko, a decoder of idle_pages and a heat map.
 *
 * Functions return 0 or more, or a negative errno. A context belongs to one thread at a time.
 */
#ifndef EBB_LIBEBB_H
#define EBB_LIBEBB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ebb/heat.h>
#include <ebb/pip.h>
#include <linux/ebb.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ebb_client;

/**
 * ebb_client_open() - connect to the module
 * @client: the connection; untouched on error
 *
 * Return: 0, -ENOENT the module is not loaded, -ENOMEM, or another negative errno.
 */
int ebb_client_open(struct ebb_client **client);

/** ebb_client_close() - end a connection; @client may be NULL */
void ebb_client_close(struct ebb_client *client);

/**
 * ebb_client_error() - what the last failed call was refused for
 * @client: the connection
 *
 * Return: the kernel's own words, or the errno's; valid until the next call.
 */
const char *ebb_client_error(const struct ebb_client *client);

/**
 * struct ebb_cap - something that the module can do, or cannot
 * @name: "scan", "reclaim", ...
 * @is_available: whether it can
 * @reason: why it cannot, or ""
 */
struct ebb_cap {
	const char *name;
	bool is_available;
	const char *reason;
};

/**
 * typedef ebb_cap_fn - what is done with each capability
 * @cap: valid during the call
 * @arg: the caller's
 */
typedef void (*ebb_cap_fn)(const struct ebb_cap *cap, void *arg);

/**
 * ebb_client_caps() - ask for the module's capabilities
 * @client: the connection
 * @fn: called for each; may be NULL
 * @arg: for @fn
 * @version: the module's version, cut to fit; may be NULL
 * @size: of @version
 *
 * Return: 0, or a negative errno.
 */
int ebb_client_caps(struct ebb_client *client, ebb_cap_fn fn, void *arg, char *version,
		    size_t size);

/**
 * struct ebb_scan_request - what to scan
 * @pid: the process
 * @flags: &enum ebb_scan_flag
 * @start: first address, a multiple of the page size
 * @end: end of the range, exclusive; 0: all that is above @start
 */
struct ebb_scan_request {
	pid_t pid;
	uint32_t flags;
	uint64_t start;
	uint64_t end;
};

/**
 * struct ebb_scan_stats - counters of scans, by &enum ebb_stat
 * @counts: u64 each; units as the enum says
 */
struct ebb_scan_stats {
	uint64_t counts[EBB_STAT_MAX + 1];
};

/**
 * struct ebb_outcomes - what became of pages, by &enum ebb_outcome
 * @pages: of 4 KiB; [%EBB_OUTCOME_ASKED] is the sum of the others
 */
struct ebb_outcomes {
	uint64_t pages[EBB_OUTCOME_MAX + 1];
};

/**
 * typedef ebb_runs_fn - what is done with each batch of runs
 * @runs: in ascending order of address; valid during the call
 * @nr_runs: how many
 * @arg: the caller's
 *
 * Return: 0 to go on; a negative errno ends the scan and is returned to the caller. It must not
 * use the same context.
 */
typedef int (*ebb_runs_fn)(const struct ebb_run *runs, size_t nr_runs, void *arg);

/**
 * ebb_client_scan() - which pages were touched since the last scan
 * @client: the connection
 * @request: what to scan
 * @fn: called for each batch of runs
 * @arg: for @fn
 * @stats: of this scan; may be NULL
 *
 * Return: 0, what @fn returned, -ESRCH no such process or it has exited, -EPERM, -EBUSY another
 * scan of the same memory is under way, or another negative errno. Some runs may have been told
 * before an error.
 */
int ebb_client_scan(struct ebb_client *client, const struct ebb_scan_request *request,
		    ebb_runs_fn fn, void *arg, struct ebb_scan_stats *stats);

/**
 * ebb_client_reclaim() - push pages out
 * @client: the connection
 * @pid: the process
 * @ranges: what to push out
 * @nr_ranges: 1 to %EBB_RANGES_MAX
 * @flags: &enum ebb_reclaim_flag
 * @outcomes: what became of the pages is added to it
 *
 * Return: 0, -ESRCH, -EPERM, or another negative errno.
 */
int ebb_client_reclaim(struct ebb_client *client, pid_t pid, const struct ebb_range *ranges,
		       size_t nr_ranges, uint32_t flags, struct ebb_outcomes *outcomes);

/**
 * ebb_client_stats() - the module's counters since it was loaded
 * @client: the connection
 * @stats: of scans
 * @outcomes: of reclaim
 *
 * Return: 0, or a negative errno.
 */
int ebb_client_stats(struct ebb_client *client, struct ebb_scan_stats *stats,
		     struct ebb_outcomes *outcomes);

/**
 * ebb_client_lock_held() - for how long the module held the mmap_lock of targets
 * @client: the connection
 * @counts: gets the histogram since the module was loaded: @counts[i] times it was held for 2^i up to
 *	(not including) 2^(i+1) nanoseconds
 *
 * Return: 0, or a negative errno; -ENODATA when the module does not tell.
 */
int ebb_client_lock_held(struct ebb_client *client, uint64_t counts[EBB_LOCK_HELD_BUCKETS]);

#ifdef __cplusplus
}
#endif
#endif
