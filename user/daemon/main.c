// SPDX-License-Identifier: GPL-2.0
/* ebbd: collects page faults of all tasks and tells them to Prometheus. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/config.h"
#include "daemon/loop.h"

#define DEFAULT_PATH "/etc/ebb/ebbd.conf"

/* as those of the verbs of ebb */
enum {
	EXIT_DONE = 0,
	EXIT_USAGE = 1,
	EXIT_IMPOSSIBLE = 2
};

struct options {
	const char *path;
	bool is_check;
};

static const struct argp_option argp_options[] = {
	{ "config", 'c', "FILE", 0, "Read this file (default " DEFAULT_PATH ")", 0 },
	{ "check", 'n', NULL, 0, "Only check the file: say what is wrong in it", 0 },
	{ 0 }
};

static const char doc[] =
	"Collect the page faults of all processes and serve them to Prometheus.\v"
	"Runs in the foreground until SIGTERM or SIGINT; SIGHUP reads the file again. Once all is "
	"open it gives up every privilege.\n\n"
	"Examples:\n"
	"  ebbd --check                       is the configuration right?\n"
	"  ebbd                               run\n"
	"  curl http://127.0.0.1:9464/metrics see what it tells\n\n"
	"Exit codes: 0 done, 1 wrong usage or configuration, 2 not possible here.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'c':
		options->path = arg;
		return 0;
	case 'n':
		options->is_check = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	const struct argp argp = { argp_options, parse_option, NULL, doc, NULL, NULL, NULL };
	struct options options = { .path = DEFAULT_PATH };
	struct ebb_config config;

	argp_program_version = "ebbd " EBB_VERSION;
	argp_err_exit_status = EXIT_USAGE;
	ebb_log_name("ebbd");
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return EXIT_USAGE;
	ebb_config_defaults(&config);
	if (ebb_config_read(options.path, &config))
		return EXIT_USAGE;
	if (options.is_check)
		return EXIT_DONE;
	return ebb_loop_run(options.path, &config) ? EXIT_IMPOSSIBLE : EXIT_DONE;
}
