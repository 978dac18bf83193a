// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "tap.h"

static pid_t fork_or_bail(void)
{
	pid_t pid = fork();

	if (pid < 0)
		tap_bail("fork: %s", strerror(errno));
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void __attribute__((noreturn)) be_child(int (*prepare)(void *arg), void *arg, int ready)
{
	if (prepare && prepare(arg))
		_exit(1);
	/* changed credentials have cleared it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

pid_t child_start(int (*prepare)(void *arg), void *arg)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		tap_bail("pipe: %s", strerror(errno));
	pid = fork_or_bail();
	if (pid == 0)
		be_child(prepare, arg, ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		tap_bail("a child could not prepare itself");
	close(ready[0]);
	return pid;
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int child_run(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork_or_bail();
	int status;

	if (pid == 0)
		_exit(fn(arg));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
