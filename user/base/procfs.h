/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /proc says of processes. They may vanish at any moment: -ESRCH then. Names may hold
 * spaces, parentheses and newlines.
 */
#ifndef EBB_BASE_PROCFS_H
#define EBB_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EBB_PROC_EXITING 0x4 /* PF_EXITING: its memory may be gone already */

#define EBB_COMM_MAX 65 /* kernel workers have more than 15 characters */

/**
 * struct ebb_proc_stat - of /proc/PID/stat or /proc/PID/task/TID/stat
 * @pid: process or thread id
 * @comm: its name
 * @state: 'R', 'S', 'D', 'T', 'Z', ...
 * @ppid: the parent's id
 * @flags: the kernel's PF_* flags
 * @minor_faults: minor page faults; of a process: of all its threads, also of exited ones
 * @major_faults: major page faults, likewise
 * @user_ticks: time in user mode, clock ticks
 * @system_ticks: time in the kernel, clock ticks
 * @nr_threads: threads
 * @start_ticks: start after boot, clock ticks (field 22)
 * @rss_pages: resident pages, as the kernel's fast and inexact counter says
 */
struct ebb_proc_stat {
	pid_t pid;
	char comm[EBB_COMM_MAX];
	char state;
	pid_t ppid;
	unsigned int flags;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t user_ticks;
	uint64_t system_ticks;
	uint64_t nr_threads;
	uint64_t start_ticks;
	uint64_t rss_pages;
};

/**
 * struct ebb_proc_memory - of /proc/PID/status, bytes; zeros for a kernel thread
 * @rss: resident
 * @rss_anon: resident anonymous memory
 * @rss_file: resident file mappings
 * @rss_shmem: resident shared memory
 * @swap: in swap
 * @locked: mlocked
 * @has_mm: false for kernel threads and zombies
 * @uid: the real user id
 */
struct ebb_proc_memory {
	uint64_t rss;
	uint64_t rss_anon;
	uint64_t rss_file;
	uint64_t rss_shmem;
	uint64_t swap;
	uint64_t locked;
	bool has_mm;
	uid_t uid;
};

/**
 * struct ebb_proc_map - one mapping
 * @start: first address
 * @end: first address behind it
 * @perms: "rw-p"
 * @offset: of the file
 * @inode: of the file; 0 for anonymous memory
 * @path: file, "[heap]", "[anon:NAME]" or ""; newlines are written as \012
 * @size: bytes; the members below are filled by ebb_proc_smaps() only
 * @rss: resident bytes
 * @swap: bytes in swap
 * @anonymous: resident bytes that are not of the file
 * @locked: mlocked bytes
 */
struct ebb_proc_map {
	uint64_t start;
	uint64_t end;
	char perms[5];
	uint64_t offset;
	uint64_t inode;
	const char *path;
	uint64_t size;
	uint64_t rss;
	uint64_t swap;
	uint64_t anonymous;
	uint64_t locked;
};

/**
 * ebb_proc_parse_stat() - read the text of a stat file
 * @text: NUL-terminated
 * @stat: filled; undefined on error
 *
 * Return: 0, or -EBADMSG when it is none.
 */
int ebb_proc_parse_stat(const char *text, struct ebb_proc_stat *stat);

/**
 * ebb_proc_parse_map() - read one line of maps
 * @line: NUL-terminated, without the newline; @map->path will point into it
 * @map: filled; sizes but @size are 0
 *
 * Return: 0, or -EBADMSG when it is none.
 */
int ebb_proc_parse_map(const char *line, struct ebb_proc_map *map);

/**
 * ebb_proc_stat() - read /proc/PID/stat or, with a thread, /proc/PID/task/TID/stat
 * @pid: the process
 * @tid: one of its threads, or 0 for the process as a whole
 * @stat: filled
 *
 * Return: 0, -ESRCH no such process, or a negative errno.
 */
int ebb_proc_stat(pid_t pid, pid_t tid, struct ebb_proc_stat *stat);

/**
 * ebb_proc_memory() - read /proc/PID/status
 * @pid: the process
 * @memory: filled
 *
 * Return: 0, -ESRCH no such process, or a negative errno.
 */
int ebb_proc_memory(pid_t pid, struct ebb_proc_memory *memory);

/**
 * typedef ebb_proc_map_fn - what is done with each mapping
 * @map: valid during the call
 * @arg: the caller's
 *
 * Return: 0 to go on; anything else ends and is returned to the caller.
 */
typedef int (*ebb_proc_map_fn)(const struct ebb_proc_map *map, void *arg);

/**
 * ebb_proc_maps() - go through a process's mappings in ascending order
 * @pid: the process
 * @fn: called for each
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, -ESRCH, -EACCES, or another negative errno.
 */
int ebb_proc_maps(pid_t pid, ebb_proc_map_fn fn, void *arg);

/**
 * ebb_proc_smaps() - the same with the sizes of what is resident and in swap
 * @pid: the process
 * @fn: called for each
 * @arg: for @fn
 *
 * Slow: the kernel looks at every page.
 *
 * Return: as ebb_proc_maps().
 */
int ebb_proc_smaps(pid_t pid, ebb_proc_map_fn fn, void *arg);

/**
 * ebb_proc_cmdline() - the command line, arguments joined by spaces
 * @pid: the process
 * @buf: NUL-terminated, cut to fit; empty for kernel threads
 * @size: of @buf, at least 1
 *
 * Return: its length, -ESRCH, or another negative errno.
 */
ssize_t ebb_proc_cmdline(pid_t pid, char *buf, size_t size);

/**
 * typedef ebb_proc_id_fn - what is done with each process or thread id
 * @id: the id
 * @arg: the caller's
 *
 * Return: 0 to go on; anything else ends and is returned to the caller.
 */
typedef int (*ebb_proc_id_fn)(pid_t id, void *arg);

/**
 * ebb_proc_each() - go through all processes
 * @fn: called for each
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, or a negative errno.
 */
int ebb_proc_each(ebb_proc_id_fn fn, void *arg);

/**
 * ebb_proc_each_thread() - go through the threads of a process
 * @pid: the process
 * @fn: called for each
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, -ESRCH, or another negative errno.
 */
int ebb_proc_each_thread(pid_t pid, ebb_proc_id_fn fn, void *arg);

/**
 * ebb_proc_find() - find processes by name
 * @name: the name in stat (the kernel keeps 15 characters), or the last component of argv[0]
 * @pids: array of the ids found, ascending; to be freed
 * @nr: how many
 *
 * The calling process itself is never found.
 *
 * Return: 0 (also with none found), or a negative errno.
 */
int ebb_proc_find(const char *name, pid_t **pids, size_t *nr);

/**
 * ebb_proc_read() - read a small file of /proc or /sys as a whole
 * @path: the file
 * @buf: NUL-terminated, cut to fit; trailing newlines taken off
 * @size: of @buf, at least 1
 *
 * Return: the length, -ESRCH when it belongs to a process that is gone, or a negative errno.
 */
ssize_t ebb_proc_read(const char *path, char *buf, size_t size);

#endif
