// SPDX-License-Identifier: GPL-2.0
#include "core/stacks.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct ebb_stack stack;
	uint64_t hash;
	struct entry *next;
	uint64_t frames[];
};

struct ebb_stacks {
	size_t max;
	size_t nr;
	size_t nr_buckets; /* a power of two */
	uint64_t nr_lost;
	struct entry **buckets;
	const struct ebb_stack **sorted; /* in order of arrival until they are sorted */
};

static uint64_t hash_stack(const struct ebb_stack *stack)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ stack->how ^ ((uint64_t)stack->nr_kernel << 32);

	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		hash ^= stack->frames[i];
		hash *= 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_same(const struct ebb_stack *a, const struct ebb_stack *b)
{
	return a->nr_frames == b->nr_frames && a->nr_kernel == b->nr_kernel && a->how == b->how &&
	       !memcmp(a->frames, b->frames, a->nr_frames * sizeof(*a->frames));
}

static struct entry *new_entry(struct ebb_stacks *stacks, const struct ebb_stack *stack,
			       uint64_t hash)
{
	size_t size = stack->nr_frames * sizeof(*stack->frames);
	struct entry **bucket = &stacks->buckets[hash & (stacks->nr_buckets - 1)];
	struct entry *entry;

	if (stacks->nr == stacks->max || stack->nr_frames > EBB_STACK_FRAMES_MAX)
		return NULL;
	entry = calloc(1, sizeof(*entry) + size);
	if (!entry)
		return NULL;
	entry->hash = hash;
	entry->stack = *stack;
	entry->stack.count = entry->stack.major = entry->stack.ns = 0;
	entry->stack.frames = entry->frames;
	memcpy(entry->frames, stack->frames, size);
	entry->next = *bucket;
	*bucket = entry;
	stacks->sorted[stacks->nr++] = &entry->stack;
	return entry;
}

bool ebb_stacks_add(struct ebb_stacks *stacks, const struct ebb_stack *stack)
{
	uint64_t hash = hash_stack(stack);
	struct entry *entry = stacks->buckets[hash & (stacks->nr_buckets - 1)];

	while (entry && !(entry->hash == hash && is_same(&entry->stack, stack)))
		entry = entry->next;
	if (!entry)
		entry = new_entry(stacks, stack, hash);
	if (!entry) {
		stacks->nr_lost += stack->count;
		return false;
	}
	entry->stack.count += stack->count;
	entry->stack.major += stack->major;
	entry->stack.ns += stack->ns;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct ebb_stack *x = *(const struct ebb_stack *const *)a;
	const struct ebb_stack *y = *(const struct ebb_stack *const *)b;

	if (x->major != y->major)
		return x->major < y->major ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return 0;
}

const struct ebb_stack *const *ebb_stacks_sorted(struct ebb_stacks *stacks, size_t *nr)
{
	*nr = stacks->nr;
	if (!stacks->nr)
		return NULL;
	qsort(stacks->sorted, stacks->nr, sizeof(*stacks->sorted), compare);
	return stacks->sorted;
}

uint64_t ebb_stacks_nr_lost(const struct ebb_stacks *stacks)
{
	return stacks->nr_lost;
}

struct ebb_stacks *ebb_stacks_new(size_t max)
{
	struct ebb_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->max = max;
	stacks->nr_buckets = 64;
	while (stacks->nr_buckets < max)
		stacks->nr_buckets *= 2;
	stacks->buckets = calloc(stacks->nr_buckets, sizeof(*stacks->buckets));
	stacks->sorted = calloc(max ? max : 1, sizeof(*stacks->sorted));
	if (stacks->buckets && stacks->sorted)
		return stacks;
	ebb_stacks_free(stacks);
	return NULL;
}

void ebb_stacks_free(struct ebb_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->nr; i++)
		free((void *)((const char *)stacks->sorted[i] - offsetof(struct entry, stack)));
	free(stacks->sorted);
	free(stacks->buckets);
	free(stacks);
}
