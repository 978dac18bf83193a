// SPDX-License-Identifier: GPL-2.0
#include "cmd/verb.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/units.h"

#define LISTED_MAX 20

static bool is_number(const char *text)
{
	for (; isdigit((unsigned char)*text); text++)
		;
	return !*text;
}

static int parse_pid(const char *text, pid_t *pid)
{
	const char *why;
	uint64_t n;

	if (ebb_parse_u64(text, &n, &why) || n < 1 || n > INT_MAX) {
		ebb_err("'%s' is not a process id", text);
		return EBB_EXIT_USAGE;
	}
	*pid = (pid_t)n;
	return EBB_EXIT_DONE;
}

static void list_matches(const char *name, const pid_t *pids, size_t nr)
{
	char line[256];

	ebb_err("%zu processes are called '%s'", nr, name);
	for (size_t i = 0; i < nr && i < LISTED_MAX; i++) {
		if (ebb_proc_cmdline(pids[i], line, sizeof(line)) < 0)
			continue;
		ebb_hint("%7d %s", pids[i], line);
	}
	if (nr > LISTED_MAX)
		ebb_hint("... and %zu more", nr - LISTED_MAX);
	ebb_hint("name one of them by its PID");
}

static int find_by_name(const char *name, pid_t *pid)
{
	pid_t *pids = NULL;
	size_t nr = 0;
	int err = ebb_proc_find(name, &pids, &nr);
	int code = EBB_EXIT_DONE;

	if (err) {
		ebb_err("cannot look for '%s' in /proc: %s", name, strerror(-err));
		code = EBB_EXIT_IMPOSSIBLE;
	} else if (!nr) {
		ebb_err("no process is called '%s'", name);
		code = EBB_EXIT_IMPOSSIBLE;
	} else if (nr > 1) {
		list_matches(name, pids, nr);
		code = EBB_EXIT_USAGE;
	} else {
		*pid = pids[0];
	}
	free(pids);
	return code;
}

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* EINVAL and ENOENT: the id of a thread that leads no process */
static int say_no_process(pid_t pid, int err)
{
	if (err == ESRCH)
		ebb_err("no process has the id %d", pid);
	else if (err == EINVAL || err == ENOENT)
		ebb_err("%d is the id of a thread, not of a process", pid);
	else
		ebb_err("cannot open process %d: %s", pid, strerror(err));
	return EBB_EXIT_IMPOSSIBLE;
}

static int fill(struct ebb_target *target)
{
	struct ebb_proc_stat stat;
	int err = ebb_proc_stat(target->pid, 0, &stat);

	if (err || !ebb_target_is_alive(target))
		return say_no_process(target->pid, err ? -err : ESRCH);
	strcpy(target->comm, stat.comm);
	ebb_text_printable(target->comm);
	target->start_ticks = stat.start_ticks;
	return EBB_EXIT_DONE;
}

int ebb_target_open(const char *text, struct ebb_target *target)
{
	int code;

	memset(target, 0, sizeof(*target));
	target->pidfd = -1;
	if (!*text) {
		ebb_err("the name of the process is empty");
		return EBB_EXIT_USAGE;
	}
	code = is_number(text) ? parse_pid(text, &target->pid) : find_by_name(text, &target->pid);
	if (code)
		return code;
	target->pidfd = open_pidfd(target->pid);
	if (target->pidfd < 0)
		return say_no_process(target->pid, errno);
	code = fill(target);
	if (code)
		ebb_target_close(target);
	return code;
}

void ebb_target_close(struct ebb_target *target)
{
	if (target->pidfd >= 0)
		close(target->pidfd);
	target->pidfd = -1;
}

bool ebb_target_is_alive(const struct ebb_target *target)
{
	struct pollfd fd = { .fd = target->pidfd, .events = POLLIN };
	struct ebb_proc_stat stat;

	/* the pidfd tells it only when all is over, the memory goes long before */
	return poll(&fd, 1, 0) == 0 && !ebb_proc_stat(target->pid, 0, &stat) &&
	       !(stat.flags & EBB_PROC_EXITING);
}
