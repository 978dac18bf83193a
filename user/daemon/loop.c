// SPDX-License-Identifier: GPL-2.0
#include "daemon/loop.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "daemon/notify.h"
#include "export/http.h"
#include "export/metrics.h"
#include "sources/collector.h"

#define EVENTS_MAX 16

struct loop {
	const char *path;
	struct ebb_config config;
	struct ebb_collector *collector;
	struct ebb_metrics metrics;
	struct ebb_http *http;
	int epoll;
	int signals;
	int timer;
	bool is_ending;
	bool has_failed; /* the last read: said once */
};

typedef void (*handler)(struct loop *loop);

/* one row of the loop: what is watched and who is told */
struct watch {
	int fd;
	handler fn;
};

static int set_timer(struct loop *loop)
{
	struct timespec at = { .tv_sec = (time_t)(loop->config.interval_ns / EBB_NSEC_PER_SEC),
			       .tv_nsec = (long)(loop->config.interval_ns % EBB_NSEC_PER_SEC) };
	struct itimerspec timer = { .it_value = at, .it_interval = at };

	return timerfd_settime(loop->timer, 0, &timer, NULL) ? -errno : 0;
}

static void on_timer(struct loop *loop)
{
	uint64_t nr;
	int err;

	if (read(loop->timer, &nr, sizeof(nr)) < 0)
		return;
	err = ebb_collector_read(loop->collector);
	if (err && !loop->has_failed)
		ebb_err("cannot read the counters of tasks: %s", strerror(-err));
	else if (!err && loop->has_failed)
		ebb_warn("the counters of tasks can be read again");
	loop->has_failed = err;
}

static void on_life(struct loop *loop)
{
	ebb_collector_drain(loop->collector);
}

static void on_http(struct loop *loop)
{
	ebb_http_run(loop->http);
}

static void reload(struct loop *loop)
{
	struct ebb_config fresh;

	ebb_notify("RELOADING=1");
	if (ebb_config_read(loop->path, &fresh)) {
		ebb_err("the configuration in use is kept");
	} else {
		if (fresh.max_tasks != loop->config.max_tasks ||
		    strcmp(fresh.listen, loop->config.listen))
			ebb_warn("max_tasks and listen take effect when ebbd starts again");
		loop->config.interval_ns = fresh.interval_ns;
		loop->metrics.max_series = fresh.max_series;
		set_timer(loop);
	}
	ebb_notify("READY=1");
}

static void on_signal(struct loop *loop)
{
	struct signalfd_siginfo info;

	if (read(loop->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP)
		reload(loop);
	else
		loop->is_ending = true;
}

static int watch_fd(struct loop *loop, struct watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .ptr = watch } };

	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event) ? -errno : 0;
}

static int serve(struct loop *loop)
{
	struct epoll_event events[EVENTS_MAX];
	int timeout = loop->http ? ebb_http_timeout_ms(loop->http) : -1;
	int nr = epoll_wait(loop->epoll, events, EVENTS_MAX, timeout);

	if (nr < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < nr; i++)
		((struct watch *)events[i].data.ptr)->fn(loop);
	if (loop->http)
		ebb_http_run(loop->http);
	return 0;
}

/* All is open that needs privileges: from here on nothing has to be more than any process. */
static int drop_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int open_sources(struct loop *loop)
{
	char why[512];

	loop->collector = ebb_collector_open(loop->config.max_tasks, why, sizeof(why));
	if (!loop->collector) {
		ebb_err("%s", why);
		return -EOPNOTSUPP;
	}
	loop->metrics = (struct ebb_metrics){ .collector = loop->collector,
					      .max_series = loop->config.max_series };
	if (!strcmp(loop->config.listen, "off"))
		return 0;
	loop->http = ebb_http_open(loop->config.listen, &loop->metrics, why, sizeof(why));
	if (!loop->http) {
		ebb_err("%s", why);
		return -EADDRNOTAVAIL;
	}
	return 0;
}

static int open_loop(struct loop *loop)
{
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->signals = open_signals();
	loop->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->epoll < 0 || loop->signals < 0 || loop->timer < 0 || set_timer(loop)) {
		ebb_err("cannot set up the event loop: %m");
		return -EMFILE;
	}
	return open_sources(loop);
}

static int run(struct loop *loop)
{
	struct watch watches[] = {
		{ loop->signals, on_signal },
		{ loop->timer, on_timer },
		{ ebb_collector_fd(loop->collector), on_life },
		{ loop->http ? ebb_http_fd(loop->http) : -1, on_http },
	};
	int err = drop_privileges();

	for (size_t i = 0; !err && i < sizeof(watches) / sizeof(watches[0]); i++)
		err = watches[i].fd < 0 ? 0 : watch_fd(loop, &watches[i]);
	if (!err)
		ebb_notify("READY=1");
	while (!err && !loop->is_ending)
		err = serve(loop);
	if (err)
		ebb_err("the event loop failed: %s", strerror(-err));
	ebb_notify("STOPPING=1");
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int ebb_loop_run(const char *path, const struct ebb_config *config)
{
	struct loop loop = { .path = path, .config = *config };
	int err = open_loop(&loop);

	if (!err)
		err = run(&loop);
	ebb_http_close(loop.http);
	ebb_collector_close(loop.collector);
	close_fd(loop.timer);
	close_fd(loop.signals);
	close_fd(loop.epoll);
	return err;
}
