// SPDX-License-Identifier: GPL-2.0
#include "sources/faults.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.bpf.h"
#include "faults.skel.h"
#include "sources/bpf.h"

/* else a process that faults faster than we read would never let us go */
#define DRAIN_MAX 4096

struct ebb_faults_source {
	const struct kind *kind;
	struct faults_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_link **perf_links;
	size_t nr_perf_links;
	size_t nr_taken; /* by the drain under way */
	ebb_fault_fn fn;
	void *arg;
};

/* One way to learn of faults. */
struct kind {
	const char *name;
	bool knows_latency;
	const char *programs[4];
	int (*attach)(struct ebb_faults_source *source);
};

static int attach_skel(struct ebb_faults_source *source)
{
	return faults_bpf__attach(source->skel);
}

static int open_perf(__u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int attach_perf_on(struct ebb_faults_source *source, struct bpf_program *prog, __u64 config,
			  int cpu)
{
	struct bpf_link *link;
	int fd = open_perf(config, cpu);

	/* the CPU is offline */
	if (fd < 0 && errno == ENODEV)
		return 0;
	if (fd < 0)
		return -errno;
	link = bpf_program__attach_perf_event(prog, fd);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	source->perf_links[source->nr_perf_links++] = link;
	return 0;
}

static int attach_perf(struct ebb_faults_source *source)
{
	int nr_cpus = libbpf_num_possible_cpus(), err = 0;

	if (nr_cpus < 0)
		return nr_cpus;
	source->perf_links = calloc(2 * nr_cpus, sizeof(struct bpf_link *));
	if (!source->perf_links)
		return -ENOMEM;
	for (int cpu = 0; cpu < nr_cpus && !err; cpu++) {
		err = attach_perf_on(source, source->skel->progs.perf_minor,
				     PERF_COUNT_SW_PAGE_FAULTS_MIN, cpu);
		if (!err)
			err = attach_perf_on(source, source->skel->progs.perf_major,
					     PERF_COUNT_SW_PAGE_FAULTS_MAJ, cpu);
	}
	if (!err && !source->nr_perf_links)
		err = -ENODEV;
	return err;
}

static const struct kind kinds[] = {
	{ "fentry", true, { "fault_raised", "fentry_begin", "fexit_end" }, attach_skel },
	{ "kprobe", true, { "fault_raised", "kprobe_begin", "kretprobe_end" }, attach_skel },
	{ "perf", false, { "perf_minor", "perf_major" }, attach_perf },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_of_kind(const struct kind *kind, const char *program)
{
	for (size_t i = 0; i < 4 && kind->programs[i]; i++) {
		if (!strcmp(kind->programs[i], program))
			return true;
	}
	return false;
}

static int take_event(void *ctx, void *data, size_t size)
{
	struct ebb_faults_source *source = ctx;

	source->fn(data, size, source->arg);
	return ++source->nr_taken < DRAIN_MAX ? 0 : -ECANCELED;
}

static int load(struct ebb_faults_source *source, const struct ebb_faults_opts *opts)
{
	struct bpf_program *prog;
	int err;

	source->skel = faults_bpf__open();
	if (!source->skel)
		return -errno;
	bpf_object__for_each_program(prog, source->skel->obj)
		bpf_program__set_autoload(prog, is_of_kind(source->kind, bpf_program__name(prog)));
	source->skel->rodata->stack_bytes = opts->stack_bytes;
	source->skel->rodata->wake_bytes = opts->ring_bytes / 4;
	err = bpf_map__set_max_entries(source->skel->maps.events, opts->ring_bytes);
	return err ? err : faults_bpf__load(source->skel);
}

static int start(struct ebb_faults_source *source, pid_t tgid, const struct ebb_faults_opts *opts)
{
	__u32 key = tgid, one = 1;
	int err = load(source, opts);

	if (err)
		return err;
	source->ring =
		ring_buffer__new(bpf_map__fd(source->skel->maps.events), take_event, source, NULL);
	if (!source->ring)
		return -errno;
	err = source->kind->attach(source);
	if (err)
		return err;
	return bpf_map__update_elem(source->skel->maps.watched, &key, sizeof(key), &one,
				    sizeof(one), BPF_ANY);
}

static struct ebb_faults_source *open_kind(const struct kind *kind, pid_t tgid,
					   const struct ebb_faults_opts *opts)
{
	struct ebb_faults_source *source = calloc(1, sizeof(*source));
	int err;

	if (!source)
		return NULL;
	source->kind = kind;
	source->fn = opts->fn;
	source->arg = opts->arg;
	err = start(source, tgid, opts);
	if (!err)
		return source;
	ebb_faults_close(source);
	errno = -err;
	return NULL;
}

struct ebb_faults_source *ebb_faults_open(pid_t tgid, const struct ebb_faults_opts *opts, char *why,
					  size_t size)
{
	struct ebb_faults_source *source;
	char what[64];
	int err = EINVAL;

	for (size_t i = 0; i < NR_KINDS; i++) {
		if (opts->source && strcmp(opts->source, kinds[i].name))
			continue;
		ebb_bpf_quiet();
		source = open_kind(&kinds[i], tgid, opts);
		if (source)
			return source;
		err = errno;
		snprintf(what, sizeof(what), "watch faults by %s", kinds[i].name);
		ebb_bpf_explain(what, -err, why, size);
	}
	errno = err;
	return NULL;
}

bool ebb_faults_is_source(const char *name)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		if (!strcmp(kinds[i].name, name))
			return true;
	}
	return false;
}

const char *ebb_faults_name(const struct ebb_faults_source *source)
{
	return source->kind->name;
}

bool ebb_faults_knows_latency(const struct ebb_faults_source *source)
{
	return source->kind->knows_latency;
}

int ebb_faults_fd(const struct ebb_faults_source *source)
{
	return ring_buffer__epoll_fd(source->ring);
}

int ebb_faults_drain(struct ebb_faults_source *source)
{
	int n;

	source->nr_taken = 0;
	n = ring_buffer__consume(source->ring);
	if (n == -ECANCELED)
		return 1;
	return n < 0 ? n : 0;
}

void ebb_faults_totals(const struct ebb_faults_source *source, bool is_major,
		       struct ebb_fault_totals *totals)
{
	const struct ebb_fault_totals *from = &source->skel->bss->totals[is_major];

	totals->count = __atomic_load_n(&from->count, __ATOMIC_RELAXED);
	totals->latency_ns = __atomic_load_n(&from->latency_ns, __ATOMIC_RELAXED);
	for (size_t i = 0; i < EBB_LATENCY_SLOTS; i++)
		totals->slots[i] = __atomic_load_n(&from->slots[i], __ATOMIC_RELAXED);
}

uint64_t ebb_faults_lost(const struct ebb_faults_source *source, int why)
{
	return __atomic_load_n(&source->skel->bss->lost[why], __ATOMIC_RELAXED);
}

uint64_t ebb_faults_missed(const struct ebb_faults_source *source)
{
	struct bpf_program *prog;
	uint64_t missed = 0;

	bpf_object__for_each_program(prog, source->skel->obj) {
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);

		if (bpf_program__fd(prog) >= 0 &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
			missed += info.recursion_misses;
	}
	return missed;
}

void ebb_faults_close(struct ebb_faults_source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->nr_perf_links; i++)
		bpf_link__destroy(source->perf_links[i]);
	free(source->perf_links);
	ring_buffer__free(source->ring);
	faults_bpf__destroy(source->skel);
	free(source);
}
