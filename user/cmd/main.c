// SPDX-License-Identifier: GPL-2.0
/* The frame of ebb: finds the verb and hands over. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/verb.h"

/* made by the linker around the section that EBB_VERB() fills */
extern const struct ebb_verb *const __start_ebb_verbs[];
extern const struct ebb_verb *const __stop_ebb_verbs[];

static const struct {
	const char *name;
	const char *title;
} groups[] = {
	{ "see", "See" },
	{ "act", "Act" },
};

static const struct ebb_verb *find_verb(const char *name)
{
	for (const struct ebb_verb *const *v = __start_ebb_verbs; v < __stop_ebb_verbs; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

static void print_group(FILE *out, const char *group)
{
	for (const struct ebb_verb *const *v = __start_ebb_verbs; v < __stop_ebb_verbs; v++) {
		if (!strcmp((*v)->group, group))
			fprintf(out, "  %-10s %s\n", (*v)->name, (*v)->summary);
	}
}

static void print_help(FILE *out)
{
	fputs("Usage: ebb VERB [OPTION...] [PID|NAME]\n\n"
	      "Find a process's idle memory, push it out, and watch it come back.\n",
	      out);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(out, "\n%s:\n", groups[i].title);
		print_group(out, groups[i].name);
	}
	fputs("\n'ebb VERB --help' or 'ebb help VERB' tells more; begin with 'ebb doctor'.\n"
	      "Every verb takes --json. Exit codes: 0 done, 1 wrong usage, 2 not possible here,\n"
	      "3 done in part or data lost.\n",
	      out);
}

static int no_verb(const char *name)
{
	ebb_err("there is no verb '%s'", name);
	ebb_hint("'ebb --help' lists the verbs");
	return EBB_EXIT_USAGE;
}

/* the exit code, but 3 when what was printed did not arrive */
static int flush_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	ebb_err("cannot write the output: %s", strerror(errno));
	return code ? code : EBB_EXIT_PART;
}

static int run_verb(const struct ebb_verb *verb, int argc, char **argv)
{
	static char name[64];

	snprintf(name, sizeof(name), "ebb %s", verb->name);
	ebb_log_name(name);
	argv[0] = name;
	argp_err_exit_status = EBB_EXIT_USAGE;
	return flush_output(verb->run(argc, argv));
}

static int run_help(int argc, char **argv)
{
	static char option[] = "--help";
	char *verb_argv[] = { NULL, option, NULL };
	const struct ebb_verb *verb;

	if (argc < 2) {
		print_help(stdout);
		return flush_output(EBB_EXIT_DONE);
	}
	verb = find_verb(argv[1]);
	return verb ? run_verb(verb, 2, verb_argv) : no_verb(argv[1]);
}

int main(int argc, char **argv)
{
	const struct ebb_verb *verb;

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help(stderr);
		return EBB_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("ebb " EBB_VERSION);
		return flush_output(EBB_EXIT_DONE);
	}
	verb = find_verb(argv[1]);
	return verb ? run_verb(verb, argc - 1, argv + 1) : no_verb(argv[1]);
}
