/* SPDX-License-Identifier: GPL-2.0 */
/* What the BPF programs tell of a task as the table of threads takes it. */
#ifndef EBB_SOURCES_SAMPLES_H
#define EBB_SOURCES_SAMPLES_H

struct ebb_task_record;
struct ebb_life_event;
struct ebb_thread_sample;

/** ebb_sample_of_record() - from the iterator */
void ebb_sample_of_record(const struct ebb_task_record *record, struct ebb_thread_sample *sample);

/** ebb_sample_of_event() - from an event of a task's end */
void ebb_sample_of_event(const struct ebb_life_event *event, struct ebb_thread_sample *sample);

#endif /* EBB_SOURCES_SAMPLES_H */
