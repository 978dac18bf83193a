/* SPDX-License-Identifier: GPL-2.0 */
/* Ends of tasks and execve() as events (bpf/life.bpf.c). */
#ifndef EBB_SOURCES_LIFE_H
#define EBB_SOURCES_LIFE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ebb_life;
struct ebb_life_event;

/** typedef ebb_life_fn - gets each event in order; it is valid during the call */
typedef void (*ebb_life_fn)(const struct ebb_life_event *event, void *arg);

/**
 * ebb_life_open() - begin to listen
 * @tgid: only this process; 0: all
 * @fn: called by ebb_life_drain() for each event
 * @arg: for @fn
 * @why: on failure: what is missing and what to do
 * @size: of @why
 *
 * Return: the source, or NULL with errno set.
 */
struct ebb_life *ebb_life_open(pid_t tgid, ebb_life_fn fn, void *arg, char *why, size_t size);

/** ebb_life_fd() - a descriptor that is readable when there are events */
int ebb_life_fd(const struct ebb_life *life);

/** ebb_life_drain() - take in all events that are there. Return: 0 or a negative errno */
int ebb_life_drain(struct ebb_life *life);

/** ebb_life_lost() - events that found no room in the ring */
uint64_t ebb_life_lost(const struct ebb_life *life);

/** ebb_life_close() - end it; NULL is allowed */
void ebb_life_close(struct ebb_life *life);

#endif /* EBB_SOURCES_LIFE_H */
