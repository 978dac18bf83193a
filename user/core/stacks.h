/* SPDX-License-Identifier: GPL-2.0 */
/* Faults by chain of calls: whole chains are compared, so that none is mixed with another. */
#ifndef EBB_CORE_STACKS_H
#define EBB_CORE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EBB_STACK_FRAMES_MAX 96

struct ebb_stacks;

/**
 * struct ebb_stack - a chain of calls and what it took
 * @count: faults
 * @major: major ones among them
 * @ns: sum of their known latencies, nanoseconds
 * @nr_frames: frames, innermost first
 * @nr_kernel: how many of them, the first ones, are the kernel's
 * @how: the caller's mark of how the chain was found; chains with different marks are different
 * @frames: addresses
 */
struct ebb_stack {
	uint64_t count;
	uint64_t major;
	uint64_t ns;
	uint32_t nr_frames;
	uint32_t nr_kernel;
	uint32_t how;
	const uint64_t *frames;
};

/**
 * ebb_stacks_new() - an empty table
 * @max: at most so many different chains
 *
 * Return: the table, or NULL without memory.
 */
struct ebb_stacks *ebb_stacks_new(size_t max);

/** ebb_stacks_free() - end it; NULL is allowed */
void ebb_stacks_free(struct ebb_stacks *stacks);

/**
 * ebb_stacks_add() - count one fault
 * @stacks: the table
 * @stack: the chain, at most %EBB_STACK_FRAMES_MAX frames; its @count, @major and @ns are added
 *
 * Return: whether there was a place for it; what had none is counted.
 */
bool ebb_stacks_add(struct ebb_stacks *stacks, const struct ebb_stack *stack);

/**
 * ebb_stacks_sorted() - all chains, most major faults first, then most faults
 * @stacks: the table
 * @nr: how many
 *
 * Return: an array that is valid until the next call on the table; NULL when it is empty.
 */
const struct ebb_stack *const *ebb_stacks_sorted(struct ebb_stacks *stacks, size_t *nr);

/** ebb_stacks_nr_lost() - faults whose chain had no place */
uint64_t ebb_stacks_nr_lost(const struct ebb_stacks *stacks);

#endif /* EBB_CORE_STACKS_H */
