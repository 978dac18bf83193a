/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share: numbers by a seed, the processes to work on, counts of what calls answered.
 */
#ifndef EBB_SELFTESTS_FUZZ_H
#define EBB_SELFTESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FUZZ_VICTIMS 6
#define FUZZ_ERRNO_MAX 134

/* where victims map, in pieces: 32 MiB, of which the first MiB lies below a 1 GiB boundary */
#define FUZZ_BASE 0x20003ff00000UL
#define FUZZ_PAGES 8192UL

/* made by the program "victims" in FUZZ_BOARD, read by all others */
#define FUZZ_BOARD "/dev/shm/ebb-fuzz"
struct fuzz_board {
	pid_t pids[FUZZ_VICTIMS];
	unsigned long births;
};

/**
 * struct fuzz - a fuzzer
 * @state: of the random numbers
 * @calls: counted so far
 * @limit: of @calls
 * @end: when to stop at the latest, seconds of the monotonic clock; 0: whenever
 * @board: the victims
 * @answers: how many calls got which errno; 0: succeeded
 */
struct fuzz {
	uint64_t state;
	unsigned long calls;
	unsigned long limit;
	time_t end;
	struct fuzz_board *board;
	unsigned long answers[FUZZ_ERRNO_MAX];
};

/**
 * fuzz_begin() - begin, from the command line
 * @fuzz: the fuzzer
 * @argc: of main()
 * @argv: of main(): SEED CALLS [SECONDS]
 */
void fuzz_begin(struct fuzz *fuzz, int argc, char **argv);

/** fuzz_is_over() - have the calls been made, or the seconds passed? */
bool fuzz_is_over(const struct fuzz *fuzz);

/**
 * fuzz_count() - count a call
 * @fuzz: the fuzzer
 * @err: 0 or its errno
 */
void fuzz_count(struct fuzz *fuzz, int err);

/**
 * fuzz_end() - print "calls=N ok=N EINVAL=N ..."
 * @fuzz: the fuzzer
 *
 * Return: exit status 0.
 */
int fuzz_end(const struct fuzz *fuzz);

/** fuzz_below() - a number of [0, @limit) */
uint64_t fuzz_below(struct fuzz *fuzz, uint64_t limit);

/** fuzz_chance() - true in @percent of all cases */
bool fuzz_chance(struct fuzz *fuzz, unsigned int percent);

/** fuzz_number() - a number that may be an edge of something */
uint64_t fuzz_number(struct fuzz *fuzz);

/** fuzz_bytes() - fill memory */
void fuzz_bytes(struct fuzz *fuzz, void *to, size_t len);

/** fuzz_pid() - a process id, mostly a victim's */
pid_t fuzz_pid(struct fuzz *fuzz);

/** fuzz_addr() - an address, mostly of a page where victims map */
uint64_t fuzz_addr(struct fuzz *fuzz);

#endif /* EBB_SELFTESTS_FUZZ_H */
