// SPDX-License-Identifier: GPL-2.0
#include "cmd/verb.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"

#define DURATION_MIN_NS EBB_NSEC_PER_MSEC
#define DURATION_MAX_NS (30 * 86400 * EBB_NSEC_PER_SEC)

uint64_t ebb_arg_u64(struct argp_state *state, const char *option, const char *text, uint64_t min,
		     uint64_t max)
{
	const char *why;
	uint64_t n = 0;

	if (ebb_parse_u64(text, &n, &why))
		argp_error(state, "%s '%s': %s", option, text, why);
	else if (n < min || n > max)
		argp_error(state, "%s '%s': it is not between %llu and %llu", option, text,
			   (unsigned long long)min, (unsigned long long)max);
	return n;
}

uint64_t ebb_arg_size(struct argp_state *state, const char *option, const char *text)
{
	const char *why;
	uint64_t bytes = 0;

	if (ebb_parse_size(text, &bytes, &why))
		argp_error(state, "%s '%s': %s", option, text, why);
	else if (!bytes)
		argp_error(state, "%s '%s': it is zero", option, text);
	return bytes;
}

uint64_t ebb_arg_duration(struct argp_state *state, const char *option, const char *text)
{
	const char *why;
	uint64_t ns = 0;

	if (ebb_parse_duration(text, &ns, &why))
		argp_error(state, "%s '%s': %s", option, text, why);
	else if (ns < DURATION_MIN_NS || ns > DURATION_MAX_NS)
		argp_error(state, "%s '%s': it is not between 1ms and 30d", option, text);
	return ns;
}

error_t ebb_arg_target(struct argp_state *state, int key, char *arg, const char **target)
{
	if (key == ARGP_KEY_NO_ARGS) {
		argp_error(state, "which process? A PID or a name is missing");
		return 0;
	}
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*target)
		argp_error(state, "more than one process: '%s'", arg);
	*target = arg;
	return 0;
}

void ebb_parse_args(const struct argp *argp, int argc, char **argv, void *input)
{
	error_t err = argp_parse(argp, argc, argv, 0, NULL, input);

	/* argp has said what was wrong with the usage and left; this is no memory */
	if (err)
		exit(EBB_EXIT_USAGE);
}
