// SPDX-License-Identifier: GPL-2.0
/* Values of options: argp ends the process, so each case is a child. */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "cmd/verb.h"

struct options {
	uint64_t number;
	uint64_t size;
	uint64_t duration;
	const char *target;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'n':
		options->number = ebb_arg_u64(state, "--number", arg, 2, 10);
		return 0;
	case 's':
		options->size = ebb_arg_size(state, "--size", arg);
		return 0;
	case 't':
		options->duration = ebb_arg_duration(state, "--time", arg);
		return 0;
	default:
		return ebb_arg_target(state, key, arg, &options->target);
	}
}

static const struct argp_option argp_options[] = { { "number", 'n', "N", 0, "A number", 0 },
						   { "size", 's', "SIZE", 0, "A size", 0 },
						   { "time", 't', "TIME", 0, "A time", 0 },
						   { 0 } };
static const struct argp argp = { argp_options, parse_option, "PID", "doc", NULL, NULL, NULL };

static int parse(struct options *options, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	argp_err_exit_status = EBB_EXIT_USAGE;
	memset(options, 0, sizeof(*options));
	ebb_parse_args(&argp, argc, argv, options);
	return 0;
}

/* exit status, with what was printed on stderr */
static int parse_in_child(char **argv, char *message, size_t size)
{
	int fds[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		struct options options;

		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		parse(&options, argv);
		_exit(77);
	}
	close(fds[1]);
	while (len + 1 < size && (n = read(fds[0], message + len, size - 1 - len)) > 0)
		len += (size_t)n;
	message[len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_good(void **state)
{
	char *argv[] = { "ebb test", "--number=7", "-s", "1.5M", "--time", "250ms", "redis", NULL };
	struct options options;

	parse(&options, argv);
	assert_int_equal(options.number, 7);
	assert_int_equal(options.size, 3 << 19);
	assert_int_equal(options.duration, 250000000);
	assert_string_equal(options.target, "redis");
}

static void test_bad(void **state)
{
	static const struct {
		char *args[4];
		const char *message;
	} cases[] = {
		{ { "x", "--number=1" }, "--number '1': it is not between 2 and 10" },
		{ { "x", "--number=11" }, "--number '11': it is not between 2 and 10" },
		{ { "x", "--number=" }, "--number '': it does not begin with a digit" },
		{ { "x", "-n", "3x" }, "--number '3x': something follows the number" },
		{ { "x", "--size=1Q" }, "--size '1Q': the unit is not one of" },
		{ { "x", "--size=0" }, "--size '0': it is zero" },
		{ { "x", "--size=99999999999E" },
		  "--size '99999999999E': the number is too large" },
		{ { "x", "--time=1us" }, "--time '1us': it is not between 1ms and 30d" },
		{ { "x", "--time=31d" }, "--time '31d': it is not between 1ms and 30d" },
		{ { "x", "y" }, "more than one process: 'y'" },
		{ { NULL }, "which process?" },
		{ { "x", "--nothing" }, "unrecognized option" },
		{ { "x", "-s" }, "option requires an argument" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[6] = { "ebb test" }, message[1024];

		memcpy(argv + 1, cases[i].args, sizeof(cases[i].args));
		assert_int_equal(parse_in_child(argv, message, sizeof(message)), EBB_EXIT_USAGE);
		if (!strstr(message, cases[i].message))
			fail_msg("'%s' is not in '%s'", cases[i].message, message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
