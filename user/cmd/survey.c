// SPDX-License-Identifier: GPL-2.0
#include "cmd/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define TIMES (sizeof(((struct ebb_survey *)0)->times) / sizeof(uint64_t))

static void say_no_module(void)
{
	ebb_err("the kernel module ebb is not loaded");
	if (access("/proc/modules", F_OK))
		ebb_hint("this kernel takes no modules: idle pages cannot be found here");
	else
		ebb_hint("load it with 'modprobe ebb'; 'ebb doctor' tells what is missing");
}

int ebb_module_open(struct ebb_client **client)
{
	int err = ebb_client_open(client);

	if (!err)
		return EBB_EXIT_DONE;
	if (err == -ENOENT)
		say_no_module();
	else
		ebb_err("cannot talk to the kernel module ebb: %s", strerror(-err));
	return EBB_EXIT_IMPOSSIBLE;
}

void ebb_module_refused(const struct ebb_client *client, const char *what, int err)
{
	ebb_err("cannot %s: %s", what, ebb_client_error(client));
	if (err == -EPERM)
		ebb_hint("it needs root: CAP_SYS_ADMIN and ptrace access to the process");
	else if (err == -EBUSY)
		ebb_hint("try again when the other scan of this process has ended");
	else if (err == -EOPNOTSUPP)
		ebb_hint("'ebb doctor' tells what this kernel lacks");
}

int ebb_survey_open(struct ebb_survey *survey, struct ebb_target *target)
{
	int code = ebb_module_open(&survey->client);

	survey->target = target;
	if (code)
		return code;
	survey->heat = ebb_heat_new();
	if (survey->heat)
		return EBB_EXIT_DONE;
	ebb_err("out of memory");
	ebb_survey_close(survey);
	return EBB_EXIT_IMPOSSIBLE;
}

void ebb_survey_close(struct ebb_survey *survey)
{
	ebb_heat_free(survey->heat);
	ebb_client_close(survey->client);
	survey->heat = NULL;
	survey->client = NULL;
}

static int say_exited(const struct ebb_survey *survey)
{
	ebb_warn("%s (%d) has exited", survey->target->comm, survey->target->pid);
	return EBB_EXIT_PART;
}

static int say_stopped(void)
{
	ebb_warn("interrupted: what follows is what was obtained until now");
	return EBB_EXIT_PART;
}

static int say_failed(const struct ebb_survey *survey, int err)
{
	char what[EBB_COMM_MAX + 32];

	if (err == -EINTR && ebb_stopped())
		return say_stopped();
	if (err == -ESRCH && !ebb_target_is_alive(survey->target))
		return say_exited(survey);
	snprintf(what, sizeof(what), "scan %s (%d)", survey->target->comm, survey->target->pid);
	ebb_module_refused(survey->client, what, err);
	return survey->nr_scans ? EBB_EXIT_PART : EBB_EXIT_IMPOSSIBLE;
}

static int take_runs(const struct ebb_run *runs, size_t nr_runs, void *arg)
{
	struct ebb_survey *survey = arg;

	return ebb_stopped() ? -EINTR : ebb_heat_add(survey->heat, runs, nr_runs);
}

static int scan_once(struct ebb_survey *survey)
{
	struct ebb_scan_request request = { .pid = survey->target->pid, .flags = survey->flags };
	int err, heat_err;

	survey->times[survey->nr_scans % TIMES] = ebb_now_ns();
	ebb_heat_begin(survey->heat);
	err = ebb_client_scan(survey->client, &request, take_runs, survey, &survey->last);
	heat_err = ebb_heat_end(survey->heat, !err);
	if (err)
		return say_failed(survey, err);
	survey->nr_scans++;
	if (!heat_err)
		return EBB_EXIT_DONE;
	ebb_err("out of memory for the heat map");
	return EBB_EXIT_PART;
}

static int wait_until(struct ebb_survey *survey, uint64_t deadline)
{
	uint64_t now = ebb_now_ns(), ns = now < deadline ? deadline - now : 0;
	enum ebb_wake wake;

	if (survey->wait)
		wake = survey->wait(ns, survey->wait_arg);
	else
		wake = ebb_wait(survey->target->pidfd, ns);
	if (wake == EBB_WAKE_STOP)
		return say_stopped();
	return wake == EBB_WAKE_EXIT ? say_exited(survey) : EBB_EXIT_DONE;
}

int ebb_survey_run(struct ebb_survey *survey, unsigned int nr_scans, uint64_t interval_ns)
{
	uint64_t next = ebb_now_ns();
	int code = EBB_EXIT_DONE;

	for (unsigned int i = 0; !code && i < nr_scans; i++) {
		ebb_progress("%s (%d): scan %u of %u%s", survey->target->comm, survey->target->pid,
			     i + 1, nr_scans, i ? "" : " (baseline)");
		if (i)
			code = wait_until(survey, next);
		if (!code)
			code = scan_once(survey);
		next += interval_ns;
	}
	ebb_progress(NULL);
	return code;
}

int ebb_survey_look(struct ebb_survey *survey, ebb_runs_fn fn, void *arg)
{
	struct ebb_scan_request request = { .pid = survey->target->pid,
					    .flags = survey->flags | EBB_SCAN_KEEP };
	int err = ebb_client_scan(survey->client, &request, fn, arg, NULL);

	return err ? say_failed(survey, err) : EBB_EXIT_DONE;
}

uint64_t ebb_survey_idle_ns(const struct ebb_survey *survey, unsigned int age)
{
	unsigned int last = survey->nr_scans - 1;

	if (!survey->nr_scans || age > last || age >= TIMES)
		return 0;
	return survey->times[last % TIMES] - survey->times[(last - age) % TIMES];
}
