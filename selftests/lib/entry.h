/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of /proc/PID/idle_pages and swap_pages share.
 */
#ifndef EBB_SELFTESTS_ENTRY_H
#define EBB_SELFTESTS_ENTRY_H

#include <stdbool.h>
#include <sys/types.h>

#define IDLE_PAGES "idle_pages"
#define SWAP_PAGES "swap_pages"

/* where map_mark() maps a page; no other mapping comes near */
#define MARK_ADDR 0x200000000000UL

/**
 * open_entry() - open(2) of PROC/PID/NAME
 * @proc: where proc is mounted
 * @pid: process id there
 * @name: name of the entry
 * @flags: flags of open(2)
 *
 * Return: as open(2).
 */
int open_entry(const char *proc, pid_t pid, const char *name, int flags);

/**
 * map_mark() - map one page at %MARK_ADDR and touch it
 * @arg: ignored
 *
 * Return: 0, or 1 when it cannot be mapped.
 */
int map_mark(void *arg);

/**
 * sees_mark() - does this file show the page at %MARK_ADDR, as a touched one?
 * @fd: an open idle_pages
 */
bool sees_mark(int fd);

/**
 * count_entry() - how often does readdir list a name?
 * @dir: folder
 * @name: the name
 * @size: size of the buffer for getdents64(2); small: many calls
 *
 * Return: how often; -1: the folder cannot be read.
 */
int count_entry(const char *dir, const char *name, size_t size);

/**
 * drop_capability() - give up one capability
 * @cap: CAP_SYS_ADMIN or such
 *
 * Return: 0, or -1 with errno.
 */
int drop_capability(int cap);

#endif /* EBB_SELFTESTS_ENTRY_H */
