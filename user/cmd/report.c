// SPDX-License-Identifier: GPL-2.0
/* ebb report: one page on a process: what is idle, and who takes the page faults. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "cmd/faults_view.h"
#include "cmd/survey.h"

#define DEFAULT_SCANS 6
#define SCANS_MAX 1000000
#define DEFAULT_STACKS 5
#define THREADS_SHOWN 10
#define POLL_MS 100

enum {
	OPT_JSON = 256,
	OPT_STACKS,
};

struct options {
	const char *target;
	uint64_t interval_ns;
	uint64_t nr_scans;
	uint64_t nr_stacks;
	bool is_json;
};

/* what was obtained; either half may be missing */
struct report {
	struct ebb_target *target;
	struct ebb_survey survey;
	struct ebb_heat_view view;
	struct ebb_proc_memory memory;
	struct ebb_watch *watch;
	bool has_idle;
	bool has_faults;
};

static const struct argp_option argp_options[] = {
	{ "interval", 'i', "TIME", 0, "Time between two scans (default 1s)", 0 },
	{ "count", 'n', "N", 0,
	  "Number of scans, the first of which only sets the baseline (default 6)", 0 },
	{ "stacks", OPT_STACKS, "N", 0, "Number of fault stacks shown (default 5)", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static const char doc[] =
	"Report on one page how much memory of a process is idle, for how long, where it lies, "
	"and which threads and functions take its page faults.\v"
	"In the strip of 80 columns ' ' is nothing resident, '.' memory idle for long, and "
	"':-=+*#%@' memory touched the more and the more lately; holes in the address space are "
	"left out.\n\n"
	"Examples:\n"
	"  ebb report redis-server\n"
	"  ebb report -i 10s -n 13 812        over two minutes\n\n"
	"Exit codes: 0 done, 1 wrong usage, 2 not possible here, 3 done in part: one half is "
	"missing, interrupted, the process exited, or events were lost.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'i':
		options->interval_ns = ebb_arg_duration(state, "--interval", arg);
		return 0;
	case 'n':
		options->nr_scans = ebb_arg_u64(state, "--count", arg, 2, SCANS_MAX);
		return 0;
	case OPT_STACKS:
		options->nr_stacks = ebb_arg_u64(state, "--stacks", arg, 0, 1000);
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	default:
		return ebb_arg_target(state, key, arg, &options->target);
	}
}

/* the time between two scans goes to the fault events */
static enum ebb_wake watch_for(uint64_t ns, void *arg)
{
	struct report *report = arg;
	uint64_t deadline = ebb_now_ns() + ns, now;
	int got = 0;

	while (!ebb_stopped() && got >= 0 && (now = ebb_now_ns()) < deadline) {
		uint64_t left_ms = (deadline - now) / EBB_NSEC_PER_MSEC + 1;

		got = ebb_watch_poll(report->watch, left_ms < POLL_MS ? (int)left_ms : POLL_MS);
		if (got == 1)
			return EBB_WAKE_EXIT;
		if (got == -EINTR)
			got = 0;
	}
	if (ebb_stopped())
		return EBB_WAKE_STOP;
	return got < 0 ? ebb_wait(report->target->pidfd, deadline - ebb_now_ns()) : EBB_WAKE_TIME;
}

static void open_watch(struct report *report)
{
	const char *why = "";

	report->watch = ebb_watch_open(report->target->pid, NULL, &why);
	if (report->watch)
		return;
	ebb_warn("page faults cannot be watched: %s", why && *why ? why : strerror(errno));
}

static int take_runs(const struct ebb_run *runs, size_t nr_runs, void *arg)
{
	struct report *report = arg;

	ebb_heat_view_add(report->survey.heat, &report->view, runs, nr_runs);
	return 0;
}

static int survey_memory(struct report *report, const struct options *options)
{
	int code = ebb_survey_open(&report->survey, report->target), look_code;

	if (code)
		return code;
	if (report->watch) {
		report->survey.wait = watch_for;
		report->survey.wait_arg = report;
	}
	code = ebb_survey_run(&report->survey, (unsigned int)options->nr_scans,
			      options->interval_ns);
	if (report->survey.nr_scans < 2 || !ebb_target_is_alive(report->target))
		return code;
	look_code = ebb_survey_look(&report->survey, take_runs, report);
	report->has_idle = !look_code;
	return code ? code : look_code;
}

/* without the module: the same time for the faults alone */
static int watch_alone(struct report *report, const struct options *options)
{
	uint64_t ns;

	if (__builtin_mul_overflow(options->interval_ns, options->nr_scans - 1, &ns))
		ns = UINT64_MAX / 2;
	if (watch_for(ns, report) == EBB_WAKE_EXIT)
		ebb_warn("%s (%d) has exited", report->target->comm, report->target->pid);
	return EBB_EXIT_PART;
}

static int finish_watch(struct report *report)
{
	struct ebb_watch_lost lost;
	int err;

	ebb_watch_poll(report->watch, 0);
	err = ebb_watch_read(report->watch);
	if (err) {
		ebb_warn("page faults cannot be read: %s", strerror(-err));
		return EBB_EXIT_PART;
	}
	report->has_faults = true;
	ebb_watch_lost(report->watch, &lost);
	return ebb_watch_has_lost(&lost) ? EBB_EXIT_PART : EBB_EXIT_DONE;
}

static int gather(struct report *report, const struct options *options)
{
	int code, faults_code;

	open_watch(report);
	code = survey_memory(report, options);
	if (!report->watch)
		return code == EBB_EXIT_IMPOSSIBLE ? code : EBB_EXIT_PART;
	if (code == EBB_EXIT_IMPOSSIBLE && ebb_target_is_alive(report->target))
		code = watch_alone(report, options);
	faults_code = finish_watch(report);
	return code ? code : faults_code;
}

static uint64_t share_idle(const struct ebb_heat_view *view, uint64_t *resident)
{
	uint64_t idle = 0;

	for (unsigned int age = 1; age <= EBB_HEAT_AGE_MAX; age++)
		idle += view->bytes[age];
	*resident = idle + view->bytes[0];
	return idle;
}

static void print_idle(const struct report *report)
{
	char strip[EBB_HEAT_STRIP_COLUMNS + 1], size[EBB_UNITS_MAX], all[EBB_UNITS_MAX],
		percent[EBB_UNITS_MAX];
	uint64_t resident, idle = share_idle(&report->view, &resident);

	printf("Idle: %s of %s (%s), in %u scans\n", ebb_format_size(size, idle),
	       ebb_format_size(all, resident), ebb_format_percent(percent, idle, resident),
	       report->survey.nr_scans);
	ebb_survey_print_ages(&report->survey, &report->view, stdout);
	ebb_heat_strip(&report->view, strip);
	printf("\nHeat by address (. cold, @ hot):\n%s\n\n", strip);
}

static void print_text(const struct report *report, const struct options *options)
{
	char rss[EBB_UNITS_MAX], swap[EBB_UNITS_MAX];

	printf("%s (%d): RSS %s, swap %s\n\n", report->target->comm, report->target->pid,
	       ebb_format_size(rss, report->memory.rss),
	       ebb_format_size(swap, report->memory.swap));
	if (report->has_idle)
		print_idle(report);
	if (report->has_faults)
		ebb_faults_print(report->watch, THREADS_SHOWN, options->nr_stacks, stdout);
}

static void json_idle(const struct report *report, struct ebb_json *json)
{
	char strip[EBB_HEAT_STRIP_COLUMNS + 1];
	uint64_t resident, idle;

	if (!report->has_idle) {
		ebb_json_null(json, "memory");
		return;
	}
	idle = share_idle(&report->view, &resident);
	ebb_heat_strip(&report->view, strip);
	ebb_json_object(json, "memory");
	ebb_json_u64(json, "scans", report->survey.nr_scans);
	ebb_json_u64(json, "resident", resident);
	ebb_json_u64(json, "idle", idle);
	ebb_json_u64(json, "swap", report->view.swap_bytes);
	ebb_survey_json_ages(&report->survey, &report->view, json);
	ebb_json_str(json, "strip", strip);
	ebb_survey_json_stats(&report->survey, json);
	ebb_json_end(json);
}

static void print_json(const struct report *report, const struct options *options, int code)
{
	struct ebb_json json;

	ebb_json_init(&json, stdout);
	ebb_json_document(&json, "report");
	ebb_json_target(&json, report->target);
	ebb_json_bool(&json, "complete", code == EBB_EXIT_DONE);
	ebb_json_u64(&json, "rss", report->memory.rss);
	json_idle(report, &json);
	if (report->has_faults)
		ebb_faults_json(report->watch, options->nr_stacks, &json);
	else
		ebb_json_null(&json, "faults");
	ebb_json_end_all(&json);
}

static int report_on(const struct options *options, struct ebb_target *target)
{
	struct report report = { .target = target };
	int code;

	ebb_proc_memory(target->pid, &report.memory);
	code = gather(&report, options);
	if (ebb_target_is_alive(target))
		ebb_proc_memory(target->pid, &report.memory);
	if (code != EBB_EXIT_IMPOSSIBLE && options->is_json)
		print_json(&report, options, code);
	else if (code != EBB_EXIT_IMPOSSIBLE)
		print_text(&report, options);
	ebb_watch_close(report.watch);
	ebb_survey_close(&report.survey);
	return code;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = { argp_options, parse_option, "PID|NAME", doc,
					  NULL,		NULL,	      NULL };
	struct options options = { .interval_ns = EBB_NSEC_PER_SEC,
				   .nr_scans = DEFAULT_SCANS,
				   .nr_stacks = DEFAULT_STACKS };
	struct ebb_target target;
	int code;

	ebb_parse_args(&argp, argc, argv, &options);
	code = ebb_target_open(options.target, &target);
	if (code)
		return code;
	code = ebb_signals_init() ? EBB_EXIT_IMPOSSIBLE : report_on(&options, &target);
	ebb_target_close(&target);
	return code;
}

EBB_VERB(report, "see", "report on one page what is idle and who takes page faults", run);
