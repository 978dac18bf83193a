// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "tap.h"

#define PAGE 4096UL

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

void fuzz_begin(struct fuzz *fuzz, int argc, char **argv)
{
	int fd = open(FUZZ_BOARD, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (argc < 3)
		tap_bail("usage: %s SEED CALLS [SECONDS]", argv[0]);
	memset(fuzz, 0, sizeof(*fuzz));
	fuzz->state = strtoull(argv[1], NULL, 0);
	fuzz->limit = strtoul(argv[2], NULL, 0);
	fuzz->end = argc > 3 && atol(argv[3]) ? now() + atol(argv[3]) : 0;
	if (fd < 0 || ftruncate(fd, sizeof(*fuzz->board)))
		tap_bail("%s: %s", FUZZ_BOARD, strerror(errno));
	fuzz->board = mmap(NULL, sizeof(*fuzz->board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fuzz->board == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));
	close(fd);
}

bool fuzz_is_over(const struct fuzz *fuzz)
{
	return fuzz->calls >= fuzz->limit || (fuzz->end && now() >= fuzz->end);
}

void fuzz_count(struct fuzz *fuzz, int err)
{
	fuzz->calls++;
	fuzz->answers[err >= 0 && err < FUZZ_ERRNO_MAX ? err : FUZZ_ERRNO_MAX - 1]++;
}

int fuzz_end(const struct fuzz *fuzz)
{
	int err;

	printf("calls=%lu ok=%lu", fuzz->calls, fuzz->answers[0]);
	for (err = 1; err < FUZZ_ERRNO_MAX; err++)
		if (fuzz->answers[err])
			printf(" %s=%lu", strerrorname_np(err) ?: "unknown", fuzz->answers[err]);
	putchar('\n');
	return 0;
}

/* splitmix64 */
static uint64_t next(struct fuzz *fuzz)
{
	uint64_t z = (fuzz->state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint64_t fuzz_below(struct fuzz *fuzz, uint64_t limit)
{
	return next(fuzz) % limit;
}

bool fuzz_chance(struct fuzz *fuzz, unsigned int percent)
{
	return fuzz_below(fuzz, 100) < percent;
}

uint64_t fuzz_number(struct fuzz *fuzz)
{
	uint64_t near = 1ULL << fuzz_below(fuzz, 64);

	switch (fuzz_below(fuzz, 4)) {
	case 0:
		return fuzz_below(fuzz, 16);
	case 1:
		return near + fuzz_below(fuzz, 3) - 1;
	case 2:
		return -fuzz_below(fuzz, 3 * PAGE);
	default:
		return next(fuzz);
	}
}

void fuzz_bytes(struct fuzz *fuzz, void *to, size_t len)
{
	unsigned char *byte = to;

	while (len--)
		*byte++ = next(fuzz);
}

pid_t fuzz_pid(struct fuzz *fuzz)
{
	if (fuzz_chance(fuzz, 90))
		return __atomic_load_n(&fuzz->board->pids[fuzz_below(fuzz, FUZZ_VICTIMS)],
				       __ATOMIC_RELAXED);
	switch (fuzz_below(fuzz, 4)) {
	case 0:
		return getpid();
	case 1:
		return 1 + fuzz_below(fuzz, 3);
	case 2:
		return fuzz_below(fuzz, 2000);
	default:
		return fuzz_number(fuzz);
	}
}

uint64_t fuzz_addr(struct fuzz *fuzz)
{
	if (fuzz_chance(fuzz, 80))
		return FUZZ_BASE + fuzz_below(fuzz, FUZZ_PAGES) * PAGE;
	if (fuzz_chance(fuzz, 60))
		return fuzz_number(fuzz) & -PAGE;
	return fuzz_number(fuzz);
}
