/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verbs of ebb share. A verb is one file of user/cmd with one EBB_VERB() in it; nothing
 * else has to be told of it.
 */
#ifndef EBB_CMD_VERB_H
#define EBB_CMD_VERB_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/procfs.h"

/**
 * enum ebb_exit - exit codes of every verb
 * @EBB_EXIT_DONE: all was done
 * @EBB_EXIT_USAGE: wrong usage
 * @EBB_EXIT_IMPOSSIBLE: not possible here: no such process, no permission, no module, ...
 * @EBB_EXIT_PART: done in part, or data was lost
 */
enum ebb_exit {
	EBB_EXIT_DONE = 0,
	EBB_EXIT_USAGE = 1,
	EBB_EXIT_IMPOSSIBLE = 2,
	EBB_EXIT_PART = 3,
};

/**
 * struct ebb_verb - one verb
 * @name: "scan"
 * @group: "see" or "act"
 * @summary: what it does, for the list of verbs: less than 60 characters, no dot
 * @run: does it; argv[0] is "ebb scan". Return: &enum ebb_exit
 */
struct ebb_verb {
	const char *name;
	const char *group;
	const char *summary;
	int (*run)(int argc, char **argv);
};

/** EBB_VERB() - put a verb into the table: EBB_VERB(scan, "see", "show idle pages", run) */
#define EBB_VERB(id, group_, summary_, run_)                                   \
	static const struct ebb_verb verb_##id = {                             \
		.name = #id, .group = group_, .summary = summary_, .run = run_ \
	};                                                                     \
	static const struct ebb_verb *const verb_entry_##id                    \
		__attribute__((used, section("ebb_verbs"))) = &verb_##id

/**
 * struct ebb_target - the process that a verb works on
 * @pid: its id
 * @pidfd: readable when it exits; the process cannot be mistaken for a later one
 * @comm: its name, printable
 * @start_ticks: its start, clock ticks after boot
 */
struct ebb_target {
	pid_t pid;
	int pidfd;
	char comm[EBB_COMM_MAX];
	uint64_t start_ticks;
};

/**
 * ebb_target_open() - find the process that the user means
 * @text: a PID, or a name as ebb_proc_find() knows it
 * @target: filled
 *
 * Says itself what is wrong. Several processes of that name are listed and refused.
 *
 * Return: %EBB_EXIT_DONE, %EBB_EXIT_USAGE or %EBB_EXIT_IMPOSSIBLE.
 */
int ebb_target_open(const char *text, struct ebb_target *target);

/** ebb_target_close() - let go of the process */
void ebb_target_close(struct ebb_target *target);

/** ebb_target_is_alive() - whether the process has not exited, and is not about to */
bool ebb_target_is_alive(const struct ebb_target *target);

/*
 * For argp parsers: each reads the value of an option, or says what is wrong with it ("--limit
 * '1Q': the unit is ...") and exits with EBB_EXIT_USAGE.
 */

/** ebb_arg_u64() - read a number between @min and @max */
uint64_t ebb_arg_u64(struct argp_state *state, const char *option, const char *text, uint64_t min,
		     uint64_t max);

/** ebb_arg_size() - read a size in bytes, at least 1 */
uint64_t ebb_arg_size(struct argp_state *state, const char *option, const char *text);

/** ebb_arg_duration() - read a length of time, nanoseconds, at least 1 ms, at most 30 days */
uint64_t ebb_arg_duration(struct argp_state *state, const char *option, const char *text);

/**
 * ebb_arg_target() - the argument PID|NAME, just one
 * @state: of the parser
 * @key: of the parser: %ARGP_KEY_ARG or %ARGP_KEY_NO_ARGS are taken
 * @arg: of the parser
 * @target: where to put it
 *
 * Return: 0, or %ARGP_ERR_UNKNOWN when the key is another one.
 */
error_t ebb_arg_target(struct argp_state *state, int key, char *arg, const char **target);

/**
 * ebb_parse_args() - parse a verb's arguments
 * @argp: its options
 * @argc: of the verb
 * @argv: of the verb
 * @input: for the parser
 *
 * --help prints and exits 0, wrong usage exits %EBB_EXIT_USAGE.
 */
void ebb_parse_args(const struct argp *argp, int argc, char **argv, void *input);

#endif
