// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of /proc/PID/idle_pages and swap_pages: opens, reads, writes, seeks, ioctls and closes, good
 * and bad, in any order.
 *
 *	files SEED CALLS [SECONDS]
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "entry.h"
#include "fuzz.h"
#include "tap.h"

#define NR_FILES 8
#define BUF_SIZE (64 * 1024)

static int files[NR_FILES];
static char buf[BUF_SIZE];

static void judge(struct fuzz *fuzz, long ret)
{
	fuzz_count(fuzz, ret < 0 ? errno : 0);
}

/* Where the buffer of a call is: mostly good. */
static char *pointer(struct fuzz *fuzz)
{
	switch (fuzz_below(fuzz, 30)) {
	case 0:
		return NULL;
	case 1:
		return (char *)fuzz_number(fuzz);
	case 2:
		return buf + BUF_SIZE - fuzz_below(fuzz, 64); /* runs over the end */
	default:
		return buf;
	}
}

static size_t length(struct fuzz *fuzz)
{
	if (fuzz_chance(fuzz, 5))
		return fuzz_number(fuzz) % BUF_SIZE;
	return fuzz_below(fuzz, fuzz_chance(fuzz, 70) ? 256 : 16 * 1024);
}

/* Reads of wild addresses may write anywhere in this process: only where nothing is. */
static bool is_safe(const char *at, size_t len)
{
	return (at >= buf && at + len <= buf + BUF_SIZE) || !at ||
	       (unsigned long)at > 0x7fffffffffffUL || (unsigned long)at < 0x10000;
}

static void open_one(struct fuzz *fuzz, int *fd)
{
	static const int modes[] = { O_RDONLY, O_RDWR, O_WRONLY, O_RDONLY };
	int flags = modes[fuzz_below(fuzz, 4)];

	if (fuzz_chance(fuzz, 30))
		flags |= fuzz_number(fuzz) & (EBB_SCAN_HUGE_PAGE | EBB_SCAN_SKIM_IDLE |
					      EBB_SCAN_DIRTY_PAGE | EBB_VMA_SCAN_FLAG);
	*fd = open_entry("/proc", fuzz_pid(fuzz), fuzz_chance(fuzz, 60) ? IDLE_PAGES : SWAP_PAGES,
			 flags);
	judge(fuzz, *fd);
}

static void close_one(struct fuzz *fuzz, int *fd)
{
	judge(fuzz, close(*fd));
	*fd = -1;
}

static void read_one(struct fuzz *fuzz, int *fd)
{
	char *to = pointer(fuzz);
	size_t len = length(fuzz);

	if (!is_safe(to, len))
		to = NULL;
	if (fuzz_chance(fuzz, 60))
		judge(fuzz, pread(*fd, to, len, fuzz_addr(fuzz)));
	else
		judge(fuzz, read(*fd, to, len));
}

static void seek_one(struct fuzz *fuzz, int *fd)
{
	judge(fuzz,
	      lseek(*fd, fuzz_addr(fuzz), fuzz_chance(fuzz, 80) ? SEEK_SET : fuzz_below(fuzz, 6)));
}

/* Lines of addresses, now and then of anything. */
static size_t make_lines(struct fuzz *fuzz)
{
	size_t len = 0, nr = 1 + fuzz_below(fuzz, 40);

	for (; nr; nr--) {
		len += sprintf(buf + len, fuzz_chance(fuzz, 50) ? "0x%lx\n" : "%lx\n",
			       (unsigned long)fuzz_addr(fuzz));
		if (fuzz_chance(fuzz, 5)) {
			fuzz_bytes(fuzz, buf + len, 50);
			len += fuzz_below(fuzz, 50);
		}
	}
	return fuzz_chance(fuzz, 90) ? len : fuzz_below(fuzz, len);
}

static void write_one(struct fuzz *fuzz, int *fd)
{
	size_t len = make_lines(fuzz);

	judge(fuzz, write(*fd, pointer(fuzz), len));
}

static void control_one(struct fuzz *fuzz, int *fd)
{
	static const unsigned int known[] = {
		EBB_IDLE_SCAN_ADD_FLAGS,     EBB_IDLE_SCAN_REMOVE_FLAGS, EBB_VMA_SCAN_ADD_FLAGS,
		EBB_VMA_SCAN_REMOVE_FLAGS,   EBB_SWAPCACHE_RECLAIM_OFF,	 EBB_SWAPCACHE_RECLAIM_ON,
		EBB_SWAPCACHE_SET_WATERMARK,
	};
	static const unsigned int flags[] = { EBB_SCAN_HUGE_PAGE,  EBB_SCAN_SKIM_IDLE,
					      EBB_SCAN_DIRTY_PAGE, EBB_SCAN_AS_HUGE,
					      EBB_VM_SCAN_HOST,	   EBB_VMA_SCAN_FLAG };
	unsigned int cmd = known[fuzz_below(fuzz, 7)];

	*(unsigned int *)buf = flags[fuzz_below(fuzz, 6)] | flags[fuzz_below(fuzz, 6)];
	if (fuzz_chance(fuzz, 20))
		*(unsigned int *)buf = fuzz_number(fuzz);
	/* numbers that every file knows, such as FIONBIO, have nothing to do with the module */
	if (fuzz_chance(fuzz, 10))
		cmd = (fuzz_chance(fuzz, 50) ? 0x40046600 : 0xc0087700) + fuzz_below(fuzz, 256);
	judge(fuzz, ioctl(*fd, cmd, pointer(fuzz)));
}

static void others(struct fuzz *fuzz, int *fd)
{
	struct iovec parts[3] = { { buf, 30 }, { buf + 100, 500 }, { buf + 1000, 20 } };
	struct pollfd poll_fd = { .fd = *fd, .events = POLLIN | POLLOUT };
	void *mem;

	switch (fuzz_below(fuzz, 4)) {
	case 0:
		judge(fuzz, preadv(*fd, parts, 3, fuzz_addr(fuzz)));
		break;
	case 1:
		make_lines(fuzz);
		judge(fuzz, writev(*fd, parts, 3));
		break;
	case 2:
		mem = mmap(NULL, 4096, PROT_READ, MAP_SHARED, *fd, 0);
		judge(fuzz, mem == MAP_FAILED ? -1 : 0);
		break;
	default:
		judge(fuzz, poll(&poll_fd, 1, 0));
	}
}

static void step(struct fuzz *fuzz)
{
	static void (*const acts[])(struct fuzz * fuzz, int *fd) = {
		read_one, read_one,    read_one, write_one, write_one,
		seek_one, control_one, others,	 close_one,
	};
	int *fd = &files[fuzz_below(fuzz, NR_FILES)];

	if (*fd < 0)
		open_one(fuzz, fd);
	else
		acts[fuzz_below(fuzz, sizeof(acts) / sizeof(acts[0]))](fuzz, fd);
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;
	int i;

	fuzz_begin(&fuzz, argc, argv);
	memset(files, -1, sizeof(files));
	while (!fuzz_is_over(&fuzz))
		for (i = 0; i < 20; i++)
			step(&fuzz);
	return fuzz_end(&fuzz);
}
