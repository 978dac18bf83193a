// SPDX-License-Identifier: GPL-2.0
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

static volatile sig_atomic_t is_stopped;
static int stop_pipe[2] = { -1, -1 };

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	is_stopped = 1;
	if (write(stop_pipe[1], "", 1) < 0) {
		/* full: the reader is awake already */
	}
	errno = saved;
}

int ebb_signals_init(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	if (stop_pipe[0] >= 0)
		return 0;
	if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;

		/* nohup(1) asked to ignore it */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &action, NULL))
			return -errno;
	}
	return 0;
}

bool ebb_stopped(void)
{
	return is_stopped;
}

int ebb_stop_fd(void)
{
	return stop_pipe[0];
}

uint64_t ebb_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * EBB_NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static struct timespec time_left(uint64_t deadline)
{
	uint64_t now = ebb_now_ns();
	uint64_t left = now < deadline ? deadline - now : 0;

	return (struct timespec){ .tv_sec = (time_t)(left / EBB_NSEC_PER_SEC),
				  .tv_nsec = (long)(left % EBB_NSEC_PER_SEC) };
}

enum ebb_wake ebb_wait(int pidfd, uint64_t ns)
{
	struct pollfd fds[] = { { .fd = stop_pipe[0], .events = POLLIN },
				{ .fd = pidfd, .events = POLLIN } };
	uint64_t now = ebb_now_ns();
	uint64_t deadline = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;

	for (;;) {
		struct timespec left = time_left(deadline);
		int n = ppoll(fds, 2, &left, NULL);

		if (is_stopped)
			return EBB_WAKE_STOP;
		if (n > 0 && fds[1].revents)
			return EBB_WAKE_EXIT;
		if (n == 0 || (n < 0 && errno != EINTR))
			return EBB_WAKE_TIME;
	}
}
