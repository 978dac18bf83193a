// SPDX-License-Identifier: GPL-2.0
/*
 * Processes for the fuzzers to work on: they map, unmap, move, protect, touch and give away memory of
 * all kinds, fork, exec themselves and exit, all the time. The first process keeps their number up and
 * notes their ids on the board.
 *
 *	victims SEED	until SIGTERM
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "tap.h"

#define PAGE 4096UL

/* A stretch of the playground. */
static void *somewhere(struct fuzz *fuzz, size_t *size)
{
	size_t first = fuzz_below(fuzz, FUZZ_PAGES);
	size_t nr = 1 + fuzz_below(fuzz, fuzz_chance(fuzz, 80) ? 64 : 1500);

	*size = (nr < FUZZ_PAGES - first ? nr : FUZZ_PAGES - first) * PAGE;
	return (void *)(FUZZ_BASE + first * PAGE);
}

static void map(struct fuzz *fuzz)
{
	static const int kinds[] = { MAP_PRIVATE, MAP_PRIVATE, MAP_PRIVATE, MAP_SHARED,
				     MAP_PRIVATE | MAP_POPULATE };
	size_t size;
	void *at = somewhere(fuzz, &size);
	int kind = kinds[fuzz_below(fuzz, sizeof(kinds) / sizeof(kinds[0]))];

	mmap(at, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
	     0);
}

/* Pages of a file, this program's own. */
static void map_file(struct fuzz *fuzz)
{
	size_t size;
	void *at = somewhere(fuzz, &size);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (ftruncate(fd, size))
		return;
	mmap(at, size, PROT_READ | PROT_WRITE,
	     MAP_FIXED | (fuzz_chance(fuzz, 50) ? MAP_SHARED : MAP_PRIVATE), fd, 0);
	close(fd);
}

static void unmap(struct fuzz *fuzz)
{
	size_t size;
	void *at = somewhere(fuzz, &size);

	munmap(at, size);
}

static void move(struct fuzz *fuzz)
{
	size_t size, unused;
	void *at = somewhere(fuzz, &size), *to = somewhere(fuzz, &unused);

	mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static void protect(struct fuzz *fuzz)
{
	static const int kinds[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
				     PROT_READ | PROT_WRITE | PROT_EXEC };
	size_t size;
	void *at = somewhere(fuzz, &size);

	mprotect(at, size, kinds[fuzz_below(fuzz, 4)]);
}

static void advise(struct fuzz *fuzz)
{
	static const int
		kinds
			[] = { MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTNEED,
			       MADV_COLD,     MADV_PAGEOUT,    MADV_FREE,
			       MADV_WILLNEED, MADV_HUGEPAGE,   24 /* MADV_DONTNEED_LOCKED */ };
	size_t size;
	void *at = somewhere(fuzz, &size);

	madvise(at, size, kinds[fuzz_below(fuzz, sizeof(kinds) / sizeof(kinds[0]))]);
}

static void lock(struct fuzz *fuzz)
{
	size_t size;
	void *at = somewhere(fuzz, &size);

	if (fuzz_chance(fuzz, 30))
		mlock(at, size);
	else
		munlock(at, size);
}

/* By the kernel, so that what is not mapped is no harm. */
static void touch(struct fuzz *fuzz)
{
	size_t size, at;
	char *from = somewhere(fuzz, &size);
	int fds[2];
	char byte;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return;
	for (at = 0; at < size; at += PAGE) {
		if (write(fds[1], from + at, 1) != 1)
			continue;
		if (read(fds[0], fuzz_chance(fuzz, 50) ? from + at : &byte, 1) != 1 &&
		    read(fds[0], &byte, 1) != 1)
			break;
	}
	close(fds[0]);
	close(fds[1]);
}

static void fork_a_child(struct fuzz *fuzz)
{
	pid_t pid = fork();

	if (!pid) {
		touch(fuzz);
		unmap(fuzz);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void run_again(struct fuzz *fuzz)
{
	char seed[32];

	snprintf(seed, sizeof(seed), "%lu", (unsigned long)fuzz_below(fuzz, -1UL));
	execl("/proc/self/exe", "victims", seed, "0", "0", "again", NULL);
	_exit(1);
}

static void live(struct fuzz *fuzz)
{
	static void (*const acts[])(struct fuzz * fuzz) = {
		map, map, map_file, unmap, move, protect, advise, advise, lock, touch, touch, touch,
	};

	for (;;) {
		acts[fuzz_below(fuzz, sizeof(acts) / sizeof(acts[0]))](fuzz);
		if (fuzz_chance(fuzz, 2))
			fork_a_child(fuzz);
		if (fuzz_below(fuzz, 100) == 0)
			run_again(fuzz);
		if (fuzz_below(fuzz, 100) == 0)
			_exit(0);
		usleep(1000);
	}
}

static void give_birth(struct fuzz *fuzz, int slot)
{
	uint64_t seed = fuzz_below(fuzz, -1UL);
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuzz->state = seed;
		live(fuzz);
	}
	__atomic_store_n(&fuzz->board->pids[slot], pid, __ATOMIC_RELAXED);
	__atomic_add_fetch(&fuzz->board->births, 1, __ATOMIC_RELAXED);
}

static int slot_of(const struct fuzz *fuzz, pid_t pid)
{
	int slot;

	for (slot = 0; slot < FUZZ_VICTIMS; slot++)
		if (fuzz->board->pids[slot] == pid)
			return slot;
	return -1;
}

static volatile sig_atomic_t is_stopped;

static void stop(int sig)
{
	is_stopped = 1;
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;
	int slot;
	pid_t pid;

	fuzz_begin(&fuzz, argc, argv);
	if (argc > 4)
		live(&fuzz);
	fuzz.board->births = 0;
	for (slot = 0; slot < FUZZ_VICTIMS; slot++)
		give_birth(&fuzz, slot);
	signal(SIGTERM, stop);
	while (!is_stopped) {
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid > 0 && slot_of(&fuzz, pid) >= 0)
			give_birth(&fuzz, slot_of(&fuzz, pid));
		else
			usleep(5000);
	}
	for (slot = 0; slot < FUZZ_VICTIMS; slot++)
		kill(fuzz.board->pids[slot], SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("births=%lu\n", fuzz.board->births);
	return 0;
}
