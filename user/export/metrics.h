/* SPDX-License-Identifier: GPL-2.0 */
/* What the collector knows as text for Prometheus. */
#ifndef EBB_EXPORT_METRICS_H
#define EBB_EXPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ebb_collector;

/**
 * struct ebb_metrics - state of the exporter
 * @collector: where the figures come from
 * @max_series: processes in a scrape at most; those with most faults are told
 * @scrapes: scrapes answered
 * @dropped: processes left out of scrapes, for @max_series or for want of memory
 */
struct ebb_metrics {
	struct ebb_collector *collector;
	uint64_t max_series;
	uint64_t scrapes;
	uint64_t dropped;
};

/**
 * ebb_metrics_text() - one scrape
 * @metrics: state
 * @is_openmetrics: OpenMetrics 1.0.0; else the older Prometheus text format 0.0.4
 * @size: of the text
 *
 * Context: a thread that joined the table of threads.
 *
 * Return: the text, to be freed; NULL without memory.
 */
char *ebb_metrics_text(struct ebb_metrics *metrics, bool is_openmetrics, size_t *size);

#endif /* EBB_EXPORT_METRICS_H */
