// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "entry.h"

#define PAGE 4096

int open_entry(const char *proc, pid_t pid, const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	return open(path, flags | O_CLOEXEC);
}

int map_mark(void *arg)
{
	void *page = mmap((void *)MARK_ADDR, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)arg;
	if (page == MAP_FAILED)
		return 1;
	memset(page, 1, PAGE);
	return 0;
}

/* 0xa0, the address, then one page of a touched kind: 0x01 accessed or 0x31 dirty. */
bool sees_mark(int fd)
{
	const unsigned char expected[] = { 0xa0, 0, 0, 0x20, 0, 0, 0, 0, 0 };
	unsigned char found[64];
	ssize_t len = pread(fd, found, sizeof(found), MARK_ADDR);

	return len == sizeof(expected) + 1 && !memcmp(found, expected, sizeof(expected)) &&
	       (found[sizeof(expected)] == 0x01 || found[sizeof(expected)] == 0x31);
}

struct linux_dirent64 {
	unsigned long long d_ino;
	long long d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

static int count_in(const char *buf, long len, const char *name)
{
	const struct linux_dirent64 *entry;
	int count = 0;
	long at;

	for (at = 0; at < len; at += entry->d_reclen) {
		entry = (const void *)(buf + at);
		count += !strcmp(entry->d_name, name);
	}
	return count;
}

int count_entry(const char *dir, const char *name, size_t size)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
	char *buf = malloc(size);
	long len = -1;

	while (fd >= 0 && buf && (len = syscall(SYS_getdents64, fd, buf, size)) > 0)
		count += count_in(buf, len, name);
	free(buf);
	if (fd >= 0)
		close(fd);
	return len < 0 ? -1 : count;
}

int drop_capability(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -1;
	data[CAP_TO_INDEX(cap)].effective &= ~CAP_TO_MASK(cap);
	data[CAP_TO_INDEX(cap)].permitted &= ~CAP_TO_MASK(cap);
	return syscall(SYS_capset, &header, data);
}
