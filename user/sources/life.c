// SPDX-License-Identifier: GPL-2.0
#include "sources/life.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>

#include "life.bpf.h"
#include "life.skel.h"
#include "sources/bpf.h"

struct ebb_life {
	struct life_bpf *skel;
	struct ring_buffer *ring;
	ebb_life_fn fn;
	void *arg;
};

static int take_event(void *ctx, void *data, size_t size)
{
	struct ebb_life *life = ctx;

	life->fn(data, life->arg);
	return 0;
}

static int start(struct ebb_life *life, pid_t tgid)
{
	int err;

	ebb_bpf_quiet();
	life->skel = life_bpf__open();
	if (!life->skel)
		return -errno;
	life->skel->rodata->only_tgid = tgid;
	err = life_bpf__load(life->skel);
	if (!err)
		err = life_bpf__attach(life->skel);
	if (err)
		return err;
	life->ring = ring_buffer__new(bpf_map__fd(life->skel->maps.events), take_event, life, NULL);
	return life->ring ? 0 : -errno;
}

struct ebb_life *ebb_life_open(pid_t tgid, ebb_life_fn fn, void *arg, char *why, size_t size)
{
	struct ebb_life *life = calloc(1, sizeof(*life));
	int err = -ENOMEM;

	if (life) {
		life->fn = fn;
		life->arg = arg;
		err = start(life, tgid);
		if (!err)
			return life;
	}
	ebb_bpf_explain("listen to the ends of tasks", err, why, size);
	ebb_life_close(life);
	errno = -err;
	return NULL;
}

int ebb_life_fd(const struct ebb_life *life)
{
	return ring_buffer__epoll_fd(life->ring);
}

int ebb_life_drain(struct ebb_life *life)
{
	int n = ring_buffer__consume(life->ring);

	return n < 0 ? n : 0;
}

uint64_t ebb_life_lost(const struct ebb_life *life)
{
	return __atomic_load_n(&life->skel->bss->lost_events, __ATOMIC_RELAXED);
}

void ebb_life_close(struct ebb_life *life)
{
	if (!life)
		return;
	ring_buffer__free(life->ring);
	life_bpf__destroy(life->skel);
	free(life);
}
