// SPDX-License-Identifier: GPL-2.0
#include "sources/samples.h"

#include <linux/types.h>
#include <string.h>

#include "core/threads.h"
#include "life.bpf.h"
#include "tasks.bpf.h"

void ebb_sample_of_record(const struct ebb_task_record *record, struct ebb_thread_sample *sample)
{
	*sample = (struct ebb_thread_sample){
		.tid = record->tid,
		.tgid = record->tgid,
		.start_boottime_ns = record->start_boottime_ns,
		.leader_start_boottime_ns = record->leader_start_boottime_ns,
		.own = { .minor = record->minor, .major = record->major },
		.gone = { .minor = record->gone_minor, .major = record->gone_major },
		.is_exiting = record->is_exiting,
		.is_gone_settled = record->is_gone_settled,
	};
	memcpy(sample->comm, record->comm, sizeof(sample->comm));
}

void ebb_sample_of_event(const struct ebb_life_event *event, struct ebb_thread_sample *sample)
{
	*sample = (struct ebb_thread_sample){
		.tid = event->tid,
		.tgid = event->tgid,
		.start_boottime_ns = event->start_boottime_ns,
		.leader_start_boottime_ns = event->leader_start_boottime_ns,
		.own = { .minor = event->minor, .major = event->major },
		.gone = { .minor = event->gone_minor, .major = event->gone_major },
	};
	memcpy(sample->comm, event->comm, sizeof(sample->comm));
}
