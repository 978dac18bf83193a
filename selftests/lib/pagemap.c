// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pagemap.h"
#include "tap.h"

#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)

static int open_pagemap(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		tap_bail("%s cannot be opened", path);
	return fd;
}

static uint64_t entry_of(int fd, uint64_t addr)
{
	uint64_t entry;

	if (pread(fd, &entry, sizeof(entry), addr / 4096 * 8) != sizeof(entry))
		tap_bail("pagemap cannot be read");
	return entry;
}

size_t pagemap_present(pid_t pid, uint64_t addr, size_t nr)
{
	size_t i, present = 0;
	int fd = open_pagemap(pid);

	for (i = 0; i < nr; i++)
		present += !!(entry_of(fd, addr + i * 4096) & PRESENT);
	close(fd);
	return present;
}

void pagemap_swapped(pid_t pid, uint64_t addr, size_t nr, bool *swapped)
{
	int fd = open_pagemap(pid);
	size_t i;

	for (i = 0; i < nr; i++)
		swapped[i] = entry_of(fd, addr + i * 4096) & SWAPPED;
	close(fd);
}
