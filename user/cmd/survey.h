/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans of a process in a row: what scan, reclaim and report have in common. Functions say
 * themselves what is wrong and return an exit code.
 */
#ifndef EBB_CMD_SURVEY_H
#define EBB_CMD_SURVEY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/signals.h"
#include "cmd/verb.h"
#include "ebb/libebb.h"

/**
 * struct ebb_survey - scans of one process; zeroed before ebb_survey_open()
 * @target: the process
 * @client: the module
 * @heat: ages of its pages, in scans
 * @flags: of each scan, &enum ebb_scan_flag
 * @nr_scans: scans finished, with the baseline
 * @times: when each of the last scans began, monotonic nanoseconds, by number modulo 256
 * @last: the module's counters of the last scan
 * @wait: how to spend the time between two scans; NULL: sleep
 * @wait_arg: for @wait
 */
struct ebb_survey {
	struct ebb_target *target;
	struct ebb_client *client;
	struct ebb_heat *heat;
	uint32_t flags;
	unsigned int nr_scans;
	uint64_t times[256];
	struct ebb_scan_stats last;
	enum ebb_wake (*wait)(uint64_t ns, void *arg);
	void *wait_arg;
};

/**
 * ebb_module_open() - connect to the module, or say how to get it
 * @client: the connection
 *
 * Return: %EBB_EXIT_DONE or %EBB_EXIT_IMPOSSIBLE.
 */
int ebb_module_open(struct ebb_client **client);

/**
 * ebb_module_refused() - say why the module refused something
 * @client: the connection
 * @what: what was asked: "scan redis-server (812)"
 * @err: the negative errno
 */
void ebb_module_refused(const struct ebb_client *client, const char *what, int err);

/**
 * ebb_survey_open() - begin
 * @survey: zeroed
 * @target: the process; must outlive the survey
 *
 * Return: %EBB_EXIT_DONE or %EBB_EXIT_IMPOSSIBLE.
 */
int ebb_survey_open(struct ebb_survey *survey, struct ebb_target *target);

/**
 * ebb_survey_run() - scan several times
 * @survey: the survey
 * @nr_scans: how often, the baseline included
 * @interval_ns: time between the beginnings of two scans
 *
 * Return: %EBB_EXIT_DONE; %EBB_EXIT_PART the user or the process's exit cut it short;
 * %EBB_EXIT_IMPOSSIBLE the first scan was refused.
 */
int ebb_survey_run(struct ebb_survey *survey, unsigned int nr_scans, uint64_t interval_ns);

/**
 * ebb_survey_look() - tell all pages as they are now, without clearing what was touched
 * @survey: the survey
 * @fn: called for each batch of runs
 * @arg: for @fn
 *
 * Return: %EBB_EXIT_DONE or %EBB_EXIT_PART.
 */
int ebb_survey_look(struct ebb_survey *survey, ebb_runs_fn fn, void *arg);

/**
 * ebb_survey_idle_ns() - for how long a page of some age has been idle at least
 * @survey: the survey
 * @age: in scans
 *
 * Return: nanoseconds.
 */
uint64_t ebb_survey_idle_ns(const struct ebb_survey *survey, unsigned int age);

/** ebb_survey_close() - end it; the target stays open */
void ebb_survey_close(struct ebb_survey *survey);

/** ebb_survey_print_ages() - print resident memory by age: a table with bars */
void ebb_survey_print_ages(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			   FILE *out);

/** ebb_survey_json_ages() - write resident memory by age: array "ages" */
void ebb_survey_json_ages(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			  struct ebb_json *json);

/** ebb_survey_json_stats() - write the counters of the last scan: object "last_scan" */
void ebb_survey_json_stats(const struct ebb_survey *survey, struct ebb_json *json);

/** ebb_json_target() - write the process: object "process" */
void ebb_json_target(struct ebb_json *json, const struct ebb_target *target);

#endif
