// SPDX-License-Identifier: GPL-2.0
#include "sources/tasks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources/bpf.h"
#include "tasks.bpf.h"
#include "tasks.skel.h"

#define READ_RECORDS 4096

struct ebb_tasks {
	struct tasks_bpf *skel;
	struct ebb_task_record *buf;
};

struct ebb_tasks *ebb_tasks_open(char *why, size_t size)
{
	struct ebb_tasks *tasks = calloc(1, sizeof(*tasks));
	int err = -ENOMEM;

	if (!tasks)
		goto fail;
	tasks->buf = calloc(READ_RECORDS, sizeof(*tasks->buf));
	if (!tasks->buf)
		goto fail;
	ebb_bpf_quiet();
	tasks->skel = tasks_bpf__open();
	err = tasks->skel ? tasks_bpf__load(tasks->skel) : -errno;
	if (!err)
		err = tasks_bpf__attach(tasks->skel);
	if (!err)
		return tasks;
fail:
	ebb_bpf_explain("read the counters of tasks", err, why, size);
	ebb_tasks_close(tasks);
	errno = -err;
	return NULL;
}

/* hands over the whole records; returns the bytes of the rest, moved to the front */
static size_t hand_over(struct ebb_tasks *tasks, size_t bytes, ebb_task_fn fn, void *arg)
{
	size_t nr = bytes / sizeof(*tasks->buf), rest = bytes % sizeof(*tasks->buf);

	for (size_t i = 0; i < nr; i++)
		fn(&tasks->buf[i], arg);
	memmove(tasks->buf, &tasks->buf[nr], rest);
	return rest;
}

int ebb_tasks_read(struct ebb_tasks *tasks, pid_t tgid, ebb_task_fn fn, void *arg)
{
	size_t max = READ_RECORDS * sizeof(*tasks->buf), have = 0;
	int fd, err = 0;
	ssize_t n;

	tasks->skel->bss->only_tgid = tgid;
	fd = bpf_iter_create(bpf_link__fd(tasks->skel->links.tasks));
	if (fd < 0)
		return -errno;
	for (;;) {
		n = read(fd, (char *)tasks->buf + have, max - have);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		have = hand_over(tasks, have + n, fn, arg);
	}
	if (n < 0)
		err = -errno;
	else if (have)
		err = -EBADMSG;
	close(fd);
	return err;
}

void ebb_tasks_close(struct ebb_tasks *tasks)
{
	if (!tasks)
		return;
	tasks_bpf__destroy(tasks->skel);
	free(tasks->buf);
	free(tasks);
}
