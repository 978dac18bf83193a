/* SPDX-License-Identifier: GPL-2.0 */
/* The page faults of all tasks: the sources of counts joined in one table. */
#ifndef EBB_SOURCES_COLLECTOR_H
#define EBB_SOURCES_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

struct ebb_collector;
struct ebb_threads;

/**
 * struct ebb_collector_stats - what the collector did since it was opened
 * @reads: complete reads of all tasks
 * @read_ns: time that they took, nanoseconds
 * @last_read_ns: when the last one ended, nanoseconds of CLOCK_MONOTONIC
 * @interval_ns: time between the last two; 0 after the first
 * @events: ends of tasks that were told by events
 * @lost_events: those that found no room in the ring
 * @evicted: threads and processes that found no place in the table
 */
struct ebb_collector_stats {
	uint64_t reads;
	uint64_t read_ns;
	uint64_t last_read_ns;
	uint64_t interval_ns;
	uint64_t events;
	uint64_t lost_events;
	uint64_t evicted;
};

/**
 * ebb_collector_open() - load the sources and read all tasks once
 * @max_tasks: at most so many threads, and so many processes
 * @why: on failure: what is missing and what to do
 * @size: of @why
 *
 * Context: the thread that will be the writer of the table; it joins the table here.
 *
 * Return: the collector, or NULL.
 */
struct ebb_collector *ebb_collector_open(size_t max_tasks, char *why, size_t size);

/** ebb_collector_read() - read all tasks. Return: 0 or a negative errno */
int ebb_collector_read(struct ebb_collector *collector);

/** ebb_collector_fd() - a descriptor that is readable when ebb_collector_drain() has work */
int ebb_collector_fd(const struct ebb_collector *collector);

/** ebb_collector_drain() - take in events; often, or they are lost. Return: 0 or negative errno */
int ebb_collector_drain(struct ebb_collector *collector);

/** ebb_collector_threads() - the table, for readers */
struct ebb_threads *ebb_collector_threads(struct ebb_collector *collector);

/** ebb_collector_stats() - what it did so far */
void ebb_collector_stats(const struct ebb_collector *collector, struct ebb_collector_stats *stats);

/** ebb_collector_close() - end it; NULL is allowed */
void ebb_collector_close(struct ebb_collector *collector);

#endif /* EBB_SOURCES_COLLECTOR_H */
