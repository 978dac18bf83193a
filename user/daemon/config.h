/* SPDX-License-Identifier: GPL-2.0 */
/* ebbd's configuration file. */
#ifndef EBB_DAEMON_CONFIG_H
#define EBB_DAEMON_CONFIG_H

#include <stdint.h>

#define EBB_CONFIG_TEXT_MAX 108

/**
 * struct ebb_config - all settings
 * @interval_ns: [collector] interval: between two reads of all tasks
 * @max_tasks: [collector] max_tasks: size of the table
 * @listen: [metrics] listen: "ADDRESS:PORT"; "off": no metrics
 * @max_series: [metrics] max_series: of processes in a scrape, the rest is counted
 */
struct ebb_config {
	uint64_t interval_ns;
	uint64_t max_tasks;
	char listen[EBB_CONFIG_TEXT_MAX];
	uint64_t max_series;
};

/** ebb_config_defaults() - what holds without a file */
void ebb_config_defaults(struct ebb_config *config);

/**
 * ebb_config_read() - read a file
 * @path: the file
 * @config: filled; untouched when something is wrong
 *
 * Says itself what is wrong, each with its line: all that is unknown or given twice is refused.
 *
 * Return: 0 or a negative errno.
 */
int ebb_config_read(const char *path, struct ebb_config *config);

#endif /* EBB_DAEMON_CONFIG_H */
