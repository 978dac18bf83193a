// SPDX-License-Identifier: GPL-2.0
/* ebb doctor: what this kernel offers, what is missing and why. */
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "cmd/doctor.h"
#include "cmd/verb.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_SYS_PTRACE_BIT 19

enum {
	OPT_JSON = 256,
};

static const struct argp_option argp_options[] = { { "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
						   { 0 } };

static const char doc[] =
	"Tell what this kernel offers to ebb, what is missing, why, and what to do.\v"
	"Examples:\n"
	"  ebb doctor                         as root, or much is told as missing\n"
	"  ebb doctor --json\n\n"
	"Exit codes: 0 idle memory can be found and pushed out here, 1 wrong usage, 2 it cannot.";

static const char *const state_names[] = {
	[EBB_FINDING_OK] = "ok",
	[EBB_FINDING_INFO] = "info",
	[EBB_FINDING_LACKING] = "missing",
	[EBB_FINDING_FATAL] = "MISSING",
};

void ebb_finding_add(struct ebb_findings *findings, const char *area, const char *name,
		     enum ebb_finding_state state, const char *todo, const char *fmt, ...)
{
	struct ebb_finding *finding;
	va_list ap;

	assert(findings->nr < sizeof(findings->at) / sizeof(findings->at[0]));
	finding = &findings->at[findings->nr++];
	finding->area = area;
	finding->state = state;
	finding->todo = todo;
	snprintf(finding->name, sizeof(finding->name), "%s", name);
	va_start(ap, fmt);
	vsnprintf(finding->detail, sizeof(finding->detail), fmt, ap);
	va_end(ap);
	ebb_text_printable(finding->detail);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	bool *is_json = state->input;

	switch (key) {
	case OPT_JSON:
		*is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': it takes no process", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void look_at_kernel(struct ebb_findings *findings)
{
	struct utsname name;

	uname(&name);
	ebb_finding_add(findings, "kernel", "kernel", EBB_FINDING_OK, "", "Linux %s, %s",
			name.release, name.machine);
}

static uint64_t effective_caps(void)
{
	char text[16384];
	const char *line;

	if (ebb_proc_read("/proc/self/status", text, sizeof(text)) < 0)
		return 0;
	line = strstr(text, "\nCapEff:");
	return line ? strtoull(line + 8, NULL, 16) : 0;
}

static bool is_initial_userns(void)
{
	char text[256];
	unsigned long inside, outside, count;

	return ebb_proc_read("/proc/self/uid_map", text, sizeof(text)) > 0 &&
	       sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
	       count == UINT32_MAX;
}

static void look_at_privilege(struct ebb_findings *findings)
{
	uint64_t caps = effective_caps();

	if (!is_initial_userns())
		ebb_finding_add(findings, "kernel", "privilege", EBB_FINDING_FATAL,
				"run it outside of the container",
				"this is a user namespace of its own");
	else if (!(caps & 1ULL << CAP_SYS_ADMIN_BIT))
		ebb_finding_add(findings, "kernel", "privilege", EBB_FINDING_FATAL,
				"run it as root", "CAP_SYS_ADMIN is missing");
	else if (!(caps & 1ULL << CAP_SYS_PTRACE_BIT))
		ebb_finding_add(findings, "kernel", "privilege", EBB_FINDING_LACKING,
				"give it CAP_SYS_PTRACE",
				"without CAP_SYS_PTRACE only processes of the same user can be "
				"looked at");
	else
		ebb_finding_add(findings, "kernel", "privilege", EBB_FINDING_OK, "",
				"CAP_SYS_ADMIN, CAP_SYS_PTRACE");
}

static bool is_possible(const struct ebb_findings *findings)
{
	for (size_t i = 0; i < findings->nr; i++) {
		if (findings->at[i].state == EBB_FINDING_FATAL)
			return false;
	}
	return true;
}

static void print_text(const struct ebb_findings *findings)
{
	static const struct ebb_column columns[] = {
		{ "AREA", 0 }, { "WHAT", 0 }, { "STATE", 0 }, { "DETAIL", 0 }
	};
	struct ebb_table *table = ebb_table_new(columns, 4);

	if (!table)
		return;
	for (size_t i = 0; i < findings->nr; i++) {
		const struct ebb_finding *finding = &findings->at[i];

		ebb_table_cell(table, "%s", finding->area);
		ebb_table_cell(table, "%s", finding->name);
		ebb_table_cell(table, "%s", state_names[finding->state]);
		ebb_table_cell(table, "%s%s%s", finding->detail, *finding->todo ? ": " : "",
			       finding->todo);
	}
	/* what to do stands at the end of a line: nothing may be cut */
	ebb_table_print(table, stdout, 0);
	ebb_table_free(table);
	printf("\n%s\n", is_possible(findings)
				 ? "Idle memory can be found and pushed out here."
				 : "Idle memory cannot be found and pushed out here: see MISSING.");
}

static void json_lock_held(struct ebb_json *json, const struct ebb_findings *findings)
{
	if (!findings->knows_lock) {
		ebb_json_null(json, "lock_held_log2_ns");
		return;
	}
	ebb_json_array(json, "lock_held_log2_ns");
	for (size_t i = 0; i < EBB_LOCK_HELD_BUCKETS; i++)
		ebb_json_u64(json, NULL, findings->lock_held[i]);
	ebb_json_end(json);
}

static void print_json(const struct ebb_findings *findings)
{
	struct ebb_json json;

	ebb_json_init(&json, stdout);
	ebb_json_document(&json, "doctor");
	ebb_json_bool(&json, "possible", is_possible(findings));
	json_lock_held(&json, findings);
	ebb_json_array(&json, "findings");
	for (size_t i = 0; i < findings->nr; i++) {
		const struct ebb_finding *finding = &findings->at[i];

		ebb_json_object(&json, NULL);
		ebb_json_str(&json, "area", finding->area);
		ebb_json_str(&json, "name", finding->name);
		ebb_json_str(&json, "state",
			     finding->state == EBB_FINDING_FATAL ? "fatal"
								 : state_names[finding->state]);
		ebb_json_str(&json, "detail", finding->detail);
		ebb_json_str(&json, "todo", *finding->todo ? finding->todo : NULL);
		ebb_json_end(&json);
	}
	ebb_json_end_all(&json);
}

static int run(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, NULL, doc, NULL, NULL, NULL };
	static struct ebb_findings findings;
	bool is_json = false;

	ebb_parse_args(&argp, argc, argv, &is_json);
	look_at_kernel(&findings);
	look_at_privilege(&findings);
	ebb_doctor_module(&findings);
	ebb_doctor_memory(&findings);
	ebb_doctor_events(&findings);
	if (is_json)
		print_json(&findings);
	else
		print_text(&findings);
	return is_possible(&findings) ? EBB_EXIT_DONE : EBB_EXIT_IMPOSSIBLE;
}

EBB_VERB(doctor, "see", "tell what this kernel offers, what is missing, what to do", run);
