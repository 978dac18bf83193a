// SPDX-License-Identifier: GPL-2.0
#include "base/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 64

/* a process that vanished: ENOENT at open, ESRCH at read */
static int gone(int err)
{
	return err == ENOENT ? -ESRCH : -err;
}

static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size - 1) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}

static ssize_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_all(fd, buf, size);
	close(fd);
	return n;
}

ssize_t ebb_proc_read(const char *path, char *buf, size_t size)
{
	ssize_t n = read_file(path, buf, size);

	if (n == -ENOENT && !strncmp(path, "/proc/", 6) && isdigit((unsigned char)path[6]))
		return -ESRCH;
	while (n > 0 && buf[n - 1] == '\n')
		buf[--n] = '\0';
	return n;
}

static const char *skip_fields(const char *p, int nr)
{
	for (; nr; nr--) {
		p += strspn(p, " ");
		p += strcspn(p, " ");
	}
	return p;
}

/* the fields behind the name; numbers as in proc(5), 3 is the state */
static int parse_fields(const char *p, struct ebb_proc_stat *stat)
{
	unsigned long long minor, major, user, system, start, threads;
	long rss;
	int ppid, n;

	n = sscanf(p, " %c %d %*d %*d %*d %*d %u %llu %*u %llu %*u %llu %llu", &stat->state, &ppid,
		   &stat->flags, &minor, &major, &user, &system);
	if (n != 7)
		return -EBADMSG;
	p = skip_fields(p, 13); /* up to field 15 */
	n = sscanf(p, " %*d %*d %*d %*d %llu %*d %llu %*u %ld", &threads, &start, &rss);
	if (n != 3)
		return -EBADMSG;
	stat->ppid = ppid;
	stat->minor_faults = minor;
	stat->major_faults = major;
	stat->user_ticks = user;
	stat->system_ticks = system;
	stat->nr_threads = threads;
	stat->start_ticks = start;
	stat->rss_pages = rss > 0 ? (uint64_t)rss : 0;
	return 0;
}

int ebb_proc_parse_stat(const char *text, struct ebb_proc_stat *stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t len;

	if (!open || !close || close < open || sscanf(text, "%d", &stat->pid) != 1)
		return -EBADMSG;
	len = (size_t)(close - open) - 1;
	if (len >= sizeof(stat->comm))
		len = sizeof(stat->comm) - 1;
	memcpy(stat->comm, open + 1, len);
	stat->comm[len] = '\0';
	return parse_fields(close + 1, stat);
}

int ebb_proc_stat(pid_t pid, pid_t tid, struct ebb_proc_stat *stat)
{
	char path[PATH_ROOM], text[1024];
	ssize_t n;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	else
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = ebb_proc_read(path, text, sizeof(text));
	return n < 0 ? (int)n : ebb_proc_parse_stat(text, stat);
}

/* "VmRSS:	  123 kB" of a status or smaps text */
static bool take_kb(const char *line, const char *name, uint64_t *bytes)
{
	size_t len = strlen(name);
	uint64_t kb;

	if (strncmp(line, name, len) || line[len] != ':')
		return false;
	if (sscanf(line + len + 1, "%" SCNu64, &kb) == 1)
		*bytes = kb << 10;
	return true;
}

static void take_status_line(const char *line, struct ebb_proc_memory *memory)
{
	unsigned int uid;

	if (take_kb(line, "VmRSS", &memory->rss))
		memory->has_mm = true;
	else if (sscanf(line, "Uid: %u", &uid) == 1)
		memory->uid = uid;
	else if (take_kb(line, "RssAnon", &memory->rss_anon) ||
		 take_kb(line, "RssFile", &memory->rss_file) ||
		 take_kb(line, "RssShmem", &memory->rss_shmem) ||
		 take_kb(line, "VmLck", &memory->locked) || take_kb(line, "VmSwap", &memory->swap))
		return;
}

int ebb_proc_memory(pid_t pid, struct ebb_proc_memory *memory)
{
	char path[PATH_ROOM], text[16384], *save = NULL;
	ssize_t n;

	memset(memory, 0, sizeof(*memory));
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	n = ebb_proc_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		take_status_line(line, memory);
	return 0;
}

int ebb_proc_parse_map(const char *line, struct ebb_proc_map *map)
{
	int used = 0;

	memset(map, 0, sizeof(*map));
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 "%n",
		   &map->start, &map->end, map->perms, &map->offset, &map->inode, &used) != 5 ||
	    !used || map->end <= map->start || strlen(map->perms) != 4)
		return -EBADMSG;
	map->path = line + used + strspn(line + used, " ");
	map->size = map->end - map->start;
	return 0;
}

static int open_stream(pid_t pid, const char *file, FILE **stream)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	*stream = fopen(path, "re");
	return *stream ? 0 : gone(errno);
}

/* 1: a line without its newline, 0: end, negative errno */
static int next_line(FILE *stream, char **line, size_t *room)
{
	ssize_t n;

	errno = 0;
	n = getline(line, room, stream);
	if (n < 0)
		return errno ? -errno : 0;
	if (n && (*line)[n - 1] == '\n')
		(*line)[n - 1] = '\0';
	return 1;
}

int ebb_proc_maps(pid_t pid, ebb_proc_map_fn fn, void *arg)
{
	struct ebb_proc_map map;
	char *line = NULL;
	size_t room = 0;
	FILE *stream;
	int err = open_stream(pid, "maps", &stream);

	if (err)
		return err;
	while ((err = next_line(stream, &line, &room)) == 1) {
		err = ebb_proc_parse_map(line, &map);
		if (!err)
			err = fn(&map, arg);
		if (err)
			break;
	}
	free(line);
	fclose(stream);
	return err;
}

/* the mapping that is being read from smaps, its path in a copy of its own */
struct smaps_entry {
	struct ebb_proc_map map;
	char *path;
	bool is_open;
};

static int finish_entry(struct smaps_entry *entry, ebb_proc_map_fn fn, void *arg)
{
	int err;

	if (!entry->is_open)
		return 0;
	err = fn(&entry->map, arg);
	free(entry->path);
	entry->path = NULL;
	entry->is_open = false;
	return err;
}

static int begin_entry(struct smaps_entry *entry, const struct ebb_proc_map *map)
{
	entry->map = *map;
	entry->path = strdup(map->path);
	if (!entry->path)
		return -ENOMEM;
	entry->map.path = entry->path;
	entry->is_open = true;
	return 0;
}

static int take_smaps_line(struct smaps_entry *entry, const char *line, ebb_proc_map_fn fn,
			   void *arg)
{
	struct ebb_proc_map map;
	int err;

	if (!isupper((unsigned char)*line) && !ebb_proc_parse_map(line, &map)) {
		err = finish_entry(entry, fn, arg);
		return err ? err : begin_entry(entry, &map);
	}
	if (take_kb(line, "Rss", &entry->map.rss) || take_kb(line, "Swap", &entry->map.swap) ||
	    take_kb(line, "Anonymous", &entry->map.anonymous) ||
	    take_kb(line, "Locked", &entry->map.locked))
		return 0;
	return 0;
}

int ebb_proc_smaps(pid_t pid, ebb_proc_map_fn fn, void *arg)
{
	struct smaps_entry entry = { .is_open = false };
	char *line = NULL;
	size_t room = 0;
	FILE *stream;
	int err = open_stream(pid, "smaps", &stream);

	if (err)
		return err;
	while ((err = next_line(stream, &line, &room)) == 1) {
		err = take_smaps_line(&entry, line, fn, arg);
		if (err)
			break;
	}
	if (!err)
		err = finish_entry(&entry, fn, arg);
	free(entry.path);
	free(line);
	fclose(stream);
	return err;
}

static ssize_t read_cmdline(pid_t pid, char *buf, size_t size)
{
	char path[PATH_ROOM];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	n = read_file(path, buf, size);
	return n == -ENOENT ? -ESRCH : n;
}

ssize_t ebb_proc_cmdline(pid_t pid, char *buf, size_t size)
{
	ssize_t n = read_cmdline(pid, buf, size);

	while (n > 0 && !buf[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++) {
		if (!buf[i])
			buf[i] = ' ';
	}
	return n;
}

static int each_id(const char *dir_path, ebb_proc_id_fn fn, void *arg)
{
	DIR *dir = opendir(dir_path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return gone(errno);
	while (!err && (errno = 0, entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = fn((pid_t)atoi(entry->d_name), arg);
	}
	if (!err && errno)
		err = gone(errno);
	closedir(dir);
	return err;
}

int ebb_proc_each(ebb_proc_id_fn fn, void *arg)
{
	return each_id("/proc", fn, arg);
}

int ebb_proc_each_thread(pid_t pid, ebb_proc_id_fn fn, void *arg)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return each_id(path, fn, arg);
}

struct finder {
	const char *name;
	pid_t *pids;
	size_t nr;
};

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_name(pid_t pid, const char *name)
{
	char argv0[PATH_MAX];
	struct ebb_proc_stat stat;

	if (ebb_proc_stat(pid, 0, &stat))
		return false;
	if (!strcmp(stat.comm, name))
		return true;
	/* the arguments, one NUL behind each: the first ends as a string does */
	return read_cmdline(pid, argv0, sizeof(argv0)) > 0 && !strcmp(last_component(argv0), name);
}

static int find_one(pid_t pid, void *arg)
{
	struct finder *finder = arg;
	pid_t *pids;

	if (pid == getpid() || !has_name(pid, finder->name))
		return 0;
	pids = reallocarray(finder->pids, finder->nr + 1, sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	finder->pids = pids;
	pids[finder->nr++] = pid;
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int ebb_proc_find(const char *name, pid_t **pids, size_t *nr)
{
	struct finder finder = { .name = name };
	int err = ebb_proc_each(find_one, &finder);

	if (err) {
		free(finder.pids);
		return err;
	}
	if (finder.nr)
		qsort(finder.pids, finder.nr, sizeof(*finder.pids), compare_pids);
	*pids = finder.pids;
	*nr = finder.nr;
	return 0;
}
