// SPDX-License-Identifier: GPL-2.0
/* ebb faults: page faults of processes and threads, and the code that takes them. */
#include "cmd/faults.h"

#include <string.h>

#include "base/log.h"
#include "base/signals.h"
#include "cmd/verb.h"
#include "core/watch.h"

#define DEFAULT_TOP 20
#define DEFAULT_STACKS 5

enum {
	OPT_JSON = 256,
	OPT_STACKS,
	OPT_STACK_BYTES,
	OPT_RING,
	OPT_SOURCE,
};

static const struct argp_option argp_options[] = {
	{ "pid", 'p', "PID|NAME", 0, "Watch this process: threads, latencies, code", 0 },
	{ "top", 't', "N", 0, "Show N rows at most, 0 for all (default 20)", 0 },
	{ "threads", 'T', NULL, 0, "Without --pid: a row for each thread", 0 },
	{ "events", 'e', NULL, 0, "With --pid: a line for each fault", 0 },
	{ "counts", 'c', NULL, 0, "With --pid: only counts, which cost the process nothing", 0 },
	{ "stacks", OPT_STACKS, "N", 0, "With --pid: show N chains of calls at most (default 5)",
	  0 },
	{ "stack-bytes", OPT_STACK_BYTES, "SIZE", 0,
	  "Bytes of user stack to copy at each fault, so that programs without frame pointers can "
	  "be unwound; at most 16K, 0 for none (default 8K)",
	  0 },
	{ "ring", OPT_RING, "SIZE", 0, "Size of the ring for faults, a power of two (default 16M)",
	  0 },
	{ "source", OPT_SOURCE, "NAME", 0,
	  "Where faults are learned from: fentry, kprobe or perf (default: the first that works)",
	  0 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static const char args_doc[] = "[INTERVAL [COUNT]]";

static const char doc[] =
	"Show page faults: of all processes by rate, or of one process by thread, latency and "
	"code.\v"
	"INTERVAL is the time between two tables (default 1s), COUNT the number of tables (default: "
	"until Ctrl-C, or the process ends). A fault is major when it had to wait for a disk or for "
	"swap. Counts are the kernel's own, as ps shows them, and exact. Events that were lost are "
	"counted and shown.\n\n"
	"Examples:\n"
	"  ebb faults                         all processes, each second\n"
	"  ebb faults -p redis-server 10s 1   one process for ten seconds\n"
	"  ebb faults -p 812 -e               each fault: time, address, latency, function\n\n"
	"Exit codes: 0 done, 1 wrong usage, 2 not possible here, 3 done in part or data lost.";

static size_t read_stack_bytes(struct argp_state *state, const char *arg)
{
	uint64_t size = strcmp(arg, "0") ? ebb_arg_size(state, "--stack-bytes", arg) : 0;

	if (size > 16384)
		argp_error(state, "--stack-bytes '%s': 16K at most", arg);
	return size ? size : EBB_WATCH_NO_PIECE;
}

static error_t parse_position(struct argp_state *state, char *arg)
{
	struct ebb_faults_options *options = state->input;

	if (state->arg_num == 0)
		options->interval_ns = ebb_arg_duration(state, "INTERVAL", arg);
	else if (state->arg_num == 1)
		options->count = ebb_arg_u64(state, "COUNT", arg, 1, UINT32_MAX);
	else
		argp_error(state, "'%s' is one argument too many", arg);
	return 0;
}

static void check(struct argp_state *state)
{
	const struct ebb_faults_options *options = state->input;

	if (options->target && options->is_threads)
		argp_error(state, "--threads is for all processes; --pid shows threads anyway");
	if (!options->target && (options->is_events || options->counts_only))
		argp_error(state, "--events and --counts are for one process: add --pid");
	if (options->is_events && options->counts_only)
		argp_error(state, "--counts looks at no single fault: leave out --events");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct ebb_faults_options *options = state->input;

	switch (key) {
	case 'p':
		options->target = arg;
		return 0;
	case 't':
		options->top = ebb_arg_u64(state, "--top", arg, 0, UINT32_MAX);
		return 0;
	case 'T':
		options->is_threads = true;
		return 0;
	case 'e':
		options->is_events = true;
		return 0;
	case 'c':
		options->counts_only = true;
		return 0;
	case OPT_STACKS:
		options->stacks = ebb_arg_u64(state, "--stacks", arg, 0, UINT32_MAX);
		return 0;
	case OPT_STACK_BYTES:
		options->stack_bytes = read_stack_bytes(state, arg);
		return 0;
	case OPT_RING:
		options->ring_bytes = ebb_arg_size(state, "--ring", arg);
		return 0;
	case OPT_SOURCE:
		options->source = arg;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		return parse_position(state, arg);
	case ARGP_KEY_END:
		check(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run_faults(int argc, char **argv)
{
	const struct argp argp = { argp_options, parse_option, args_doc, doc, NULL, NULL, NULL };
	struct ebb_faults_options options = {
		.interval_ns = 1000000000ULL,
		.top = DEFAULT_TOP,
		.stacks = DEFAULT_STACKS,
	};
	struct ebb_target target;
	int code;

	ebb_parse_args(&argp, argc, argv, &options);
	code = options.target ? ebb_target_open(options.target, &target) : EBB_EXIT_DONE;
	if (code)
		return code;
	if (ebb_signals_init()) {
		ebb_err("cannot set up signal handling");
		code = EBB_EXIT_IMPOSSIBLE;
	} else if (options.target) {
		code = ebb_faults_one(&options, &target);
	} else {
		code = ebb_faults_all(&options);
	}
	if (options.target)
		ebb_target_close(&target);
	return code;
}

EBB_VERB(faults, "see", "page faults by process, thread and code", run_faults);
