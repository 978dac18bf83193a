// SPDX-License-Identifier: GPL-2.0
/*
 * A process with known memory: holder HOT COLD maps HOT + COLD MiB, fills them, says "ready
 * ADDRESS" and goes on touching the first HOT MiB, some hundred times a second. At SIGUSR1 it
 * reads the rest and says "intact" or "broken".
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define PAGE 4096UL
#define MIB (1UL << 20)

static volatile sig_atomic_t is_asked;

static void on_signal(int sig)
{
	is_asked = 1;
}

static uint64_t pattern(size_t page)
{
	return page * 0x9e3779b97f4a7c15ULL + 1;
}

static void fill(char *memory, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE) {
		uint64_t value = pattern(i / PAGE);

		/* the rest of the page as well: a page of zeros would not have to go to swap */
		for (size_t j = 0; j < PAGE; j += 512)
			memcpy(memory + i + j, &value, sizeof(value));
	}
}

static int is_intact(const char *memory, size_t from, size_t size)
{
	for (size_t i = from; i < size; i += PAGE) {
		uint64_t value = pattern(i / PAGE);

		for (size_t j = 0; j < PAGE; j += 512) {
			if (memcmp(memory + i + j, &value, sizeof(value)))
				return 0;
		}
	}
	return 1;
}

static void touch(volatile char *memory, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE)
		(void)memory[i];
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	size_t hot, size;
	char *memory;

	if (argc != 3)
		return 1;
	hot = strtoul(argv[1], NULL, 10) * MIB;
	size = hot + strtoul(argv[2], NULL, 10) * MIB;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, on_signal);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE))
		return 1;
	/* a name of its own keeps it from being merged with a neighbour */
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, size, "held");
	fill(memory, size);
	printf("ready %lx\n", (unsigned long)memory);
	fflush(stdout);
	for (;;) {
		touch(memory, hot);
		if (is_asked) {
			is_asked = 0;
			puts(is_intact(memory, 0, size) ? "intact" : "broken");
			fflush(stdout);
		}
		nanosleep(&pause, NULL);
	}
}
