// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pagemap.h"
#include "tap.h"

#define PRESENT (1ULL << 63)

size_t pagemap_present(pid_t pid, uint64_t addr, size_t nr)
{
	uint64_t entry;
	size_t i, present = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		tap_bail("%s cannot be opened", path);
	for (i = 0; i < nr; i++) {
		if (pread(fd, &entry, sizeof(entry), (addr / 4096 + i) * 8) != sizeof(entry))
			tap_bail("%s cannot be read", path);
		present += !!(entry & PRESENT);
	}
	close(fd);
	return present;
}
