// SPDX-License-Identifier: GPL-2.0
/* ebb top: processes and threads by page faults and memory, live or for scripts. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/procfs.h"
#include "base/signals.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/faults.h"
#include "cmd/top_screen.h"
#include "cmd/verb.h"
#include "core/top.h"
#include "core/top_text.h"
#include "sources/collector.h"

#define MAX_TASKS 262144
#define SLICE_NS (100 * EBB_NSEC_PER_MSEC)

enum {
	OPT_JSON = 256,
	OPT_ONCE,
};

static const struct argp_option argp_options[] = {
	{ "interval", 'i', "TIME", 0, "Time between two reads (default 1s)", 0 },
	{ "count", 'n', "N", 0, "End after N reads (default: go on)", 0 },
	{ "batch", 'b', NULL, 0, "No screen: print a table for each read", 0 },
	{ "once", OPT_ONCE, NULL, 0, "Print one table: --batch --count 1", 0 },
	{ "threads", 'T', NULL, 0, "A row for each thread", 0 },
	{ "tree", 'x', NULL, 0, "Below each process its threads", 0 },
	{ "sort", 's', "COLUMN", 0,
	  "major, minor, total, rss, threads, pid or name (default major: most faults first)", 0 },
	{ "reverse", 'r', NULL, 0, "The other way round", 0 },
	{ "filter", 'f', "TEXT", 0, "Only those with TEXT in the name, or with that id", 0 },
	{ "top", 't', "N", 0, "Show N rows at most, 0 for all (default 0)", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON, as --batch does text", 0 },
	{ 0 }
};

static const char doc[] =
	"Show processes and threads by page faults and resident memory, live on the screen.\v"
	"Keys: q ends, h tells all others. A fault is major when it had to wait for a disk or for "
	"swap. Counts are the kernel's own and exact; resident memory is what ps shows.\n\n"
	"Examples:\n"
	"  ebb top                            the screen\n"
	"  ebb top --sort rss --tree          largest first, each with its threads\n"
	"  ebb top --once --json -i 10s       rates over ten seconds, for scripts\n\n"
	"Exit codes: 0 done, 1 wrong usage, 2 not possible here, 3 done in part or data lost.";

struct session {
	uint64_t interval_ns;
	uint64_t count;
	bool is_batch;
	bool is_once;
	bool is_json;
	bool is_short; /* of memory: what was shown is not all */
	struct ebb_collector *collector;
	struct ebb_collector_stats stats; /* as of the last read */
	struct ebb_top top;
	struct ebb_top_view view;
	struct ebb_top_screen *screen;
	struct ebb_json json;
};

static void set_filter(struct argp_state *state, const char *arg)
{
	struct session *session = state->input;

	if (strlen(arg) >= sizeof(session->view.filter))
		argp_error(state, "--filter '%s': %zu characters at most", arg,
			   sizeof(session->view.filter) - 1);
	else
		strcpy(session->view.filter, arg);
}

static void check(struct argp_state *state)
{
	struct session *session = state->input;

	if (session->view.is_threads && session->view.is_tree)
		argp_error(state, "--threads has a row for each thread: leave out --tree");
	if (session->is_once && session->count > 1)
		argp_error(state, "--once is one read: leave out --count");
	if (session->is_once)
		session->count = 1;
	session->is_batch |= session->is_once || session->is_json;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct session *session = state->input;

	switch (key) {
	case 'i':
		session->interval_ns = ebb_arg_duration(state, "--interval", arg);
		return 0;
	case 'n':
		session->count = ebb_arg_u64(state, "--count", arg, 1, UINT32_MAX);
		return 0;
	case 'b':
		session->is_batch = true;
		return 0;
	case OPT_ONCE:
		session->is_once = true;
		return 0;
	case 'T':
		session->view.is_threads = true;
		return 0;
	case 'x':
		session->view.is_tree = true;
		return 0;
	case 's':
		if (ebb_top_sort_find(arg, &session->view.sort))
			argp_error(state, "--sort '%s': there is no such column", arg);
		return 0;
	case 'r':
		session->view.is_reversed = true;
		return 0;
	case 'f':
		set_filter(state, arg);
		return 0;
	case 't':
		session->view.limit = ebb_arg_u64(state, "--top", arg, 0, UINT32_MAX);
		return 0;
	case OPT_JSON:
		session->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': no argument is known; --filter names a process", arg);
		return 0;
	case ARGP_KEY_END:
		check(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* the process may be gone, or be another one by now: then it is not in the next read either */
static void read_rss(struct ebb_top *top)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct ebb_proc_stat stat;

	for (size_t i = 0; i < top->processes.nr; i++) {
		struct ebb_top_row *row = &top->processes.at[i];

		if (!row->is_alive || ebb_proc_stat(row->pid, 0, &stat))
			continue;
		row->rss_bytes = stat.rss_pages * page_bytes;
		row->has_rss = true;
	}
}

static int read_all(struct session *session)
{
	int err = ebb_collector_read(session->collector);

	if (err) {
		ebb_err("cannot read the counters of tasks: %s", strerror(-err));
		return EBB_EXIT_PART;
	}
	return EBB_EXIT_DONE;
}

static void arrange(struct session *session)
{
	ebb_collector_stats(session->collector, &session->stats);
	ebb_top_fill(&session->top, ebb_collector_threads(session->collector));
	session->top.interval_ns = session->stats.interval_ns;
	read_rss(&session->top);
	ebb_top_arrange(&session->top, &session->view);
}

static int show_screen(struct session *session)
{
	const struct ebb_collector_stats *stats = &session->stats;
	char note[128];

	snprintf(note, sizeof(note), "lost: %lu ends of threads, %lu threads without a place",
		 stats->lost_events, stats->evicted);
	return ebb_top_screen_draw(session->screen, &session->top, &session->view,
				   stats->lost_events || stats->evicted ? note : NULL);
}

static int show_text(struct session *session)
{
	int err;

	ebb_top_head(&session->top, &session->view, stdout);
	err = ebb_top_text(&session->top, &session->view, 0, SIZE_MAX, ebb_terminal_width(stdout),
			   stdout);
	putchar('\n');
	return err;
}

static void show(struct session *session)
{
	int err = 0;

	if (session->screen)
		err = show_screen(session);
	else if (session->is_json)
		ebb_top_json(&session->top, &session->view, session->stats.last_read_ns,
			     &session->json);
	else
		err = show_text(session);
	if (!session->screen)
		fflush(stdout);
	if (err)
		session->is_short = true;
}

/* Return: false when the terminal is gone, or a key ends the program */
static bool take_keys(struct session *session, short events)
{
	if (!ebb_top_screen_keys(session->screen, &session->top, &session->view))
		return false;
	show(session);
	return !(events & (POLLHUP | POLLERR | POLLNVAL));
}

/* Return: false when the user wants an end */
static bool wait_slice(struct session *session, uint64_t ns)
{
	struct pollfd fds[] = { { .fd = ebb_stop_fd(), .events = POLLIN },
				{ .fd = session->screen ? STDIN_FILENO : -1, .events = POLLIN } };
	struct timespec left = { .tv_sec = (time_t)(ns / EBB_NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % EBB_NSEC_PER_SEC) };
	int nr = ppoll(fds, 2, &left, NULL);

	if (ebb_stopped())
		return false;
	/* a signal without an end is a new size of the screen, which comes as a key */
	if (!session->screen || nr == 0 || (nr < 0 && errno != EINTR))
		return true;
	return take_keys(session, nr < 0 ? 0 : fds[1].revents);
}

static bool wait_interval(struct session *session)
{
	uint64_t end_ns = session->stats.last_read_ns + session->interval_ns, now_ns;

	while ((now_ns = ebb_now_ns()) < end_ns) {
		uint64_t left_ns = end_ns - now_ns;

		if (!wait_slice(session, left_ns < SLICE_NS ? left_ns : SLICE_NS))
			return false;
		ebb_collector_drain(session->collector);
	}
	/* also when reading takes longer than the interval */
	return wait_slice(session, 0);
}

static int show_intervals(struct session *session)
{
	for (uint64_t nr = 0; !session->count || nr < session->count; nr++) {
		int code;

		if (!wait_interval(session))
			return session->count && session->is_batch ? EBB_EXIT_PART : EBB_EXIT_DONE;
		code = read_all(session);
		if (code)
			return code;
		arrange(session);
		show(session);
	}
	return EBB_EXIT_DONE;
}

static int run_batch(struct session *session)
{
	int code;

	ebb_json_init(&session->json, stdout);
	if (session->is_json) {
		ebb_json_document(&session->json, "top");
		ebb_json_array(&session->json, "intervals");
	}
	ebb_collector_stats(session->collector, &session->stats);
	code = show_intervals(session);
	if (session->is_json)
		ebb_json_end(&session->json);
	return code;
}

static int run_screen(struct session *session)
{
	char why[256];
	int code;

	session->screen = ebb_top_screen_open(why, sizeof(why));
	if (!session->screen) {
		ebb_err("%s", why);
		ebb_hint("--batch, --once and --json need no terminal");
		return EBB_EXIT_IMPOSSIBLE;
	}
	arrange(session);
	show(session);
	code = show_intervals(session);
	ebb_top_screen_close(session->screen);
	session->screen = NULL;
	return code;
}

static int run_session(struct session *session)
{
	bool is_short;
	char why[512];
	int code;

	session->collector = ebb_collector_open(MAX_TASKS, why, sizeof(why));
	if (!session->collector) {
		ebb_err("%s", why);
		return EBB_EXIT_IMPOSSIBLE;
	}
	code = session->is_batch ? run_batch(session) : run_screen(session);
	is_short = session->is_short || session->top.is_short;
	if (code != EBB_EXIT_IMPOSSIBLE &&
	    ebb_faults_tell_lost(session->collector, is_short,
				 session->is_json ? &session->json : NULL))
		code = EBB_EXIT_PART;
	ebb_collector_close(session->collector);
	return code;
}

static int run_top(int argc, char **argv)
{
	const struct argp argp = { argp_options, parse_option, NULL, doc, NULL, NULL, NULL };
	struct session session = { .interval_ns = EBB_NSEC_PER_SEC };
	int code = EBB_EXIT_IMPOSSIBLE;

	ebb_parse_args(&argp, argc, argv, &session);
	if (ebb_signals_init())
		ebb_err("cannot set up signal handling");
	else
		code = run_session(&session);
	ebb_top_free(&session.top, &session.view);
	return code;
}

EBB_VERB(top, "see", "processes and threads by page faults, live", run_top);
