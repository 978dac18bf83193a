// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "core/stacks.h"

static struct ebb_stack make(const uint64_t *frames, uint32_t nr, uint32_t nr_kernel,
			     uint64_t major)
{
	return (struct ebb_stack){ .count = 1,
				   .major = major,
				   .ns = 10,
				   .nr_frames = nr,
				   .nr_kernel = nr_kernel,
				   .frames = frames };
}

static void test_whole_chains_differ(void **state)
{
	const uint64_t one[] = { 1, 2, 3 }, other[] = { 1, 2, 4 };
	struct ebb_stacks *stacks = ebb_stacks_new(16);
	struct ebb_stack stack;
	size_t nr;

	stack = make(one, 3, 0, 0);
	assert_true(ebb_stacks_add(stacks, &stack));
	assert_true(ebb_stacks_add(stacks, &stack));
	stack = make(other, 3, 0, 1);
	assert_true(ebb_stacks_add(stacks, &stack));
	stack = make(one, 2, 0, 0);
	assert_true(ebb_stacks_add(stacks, &stack));
	/* the same addresses, but another part of them is the kernel's */
	stack = make(one, 3, 1, 0);
	assert_true(ebb_stacks_add(stacks, &stack));

	assert_int_equal(ebb_stacks_sorted(stacks, &nr)[0]->frames[2], 4);
	assert_int_equal(nr, 4);
	assert_int_equal(ebb_stacks_sorted(stacks, &nr)[1]->count, 2);
	assert_int_equal(ebb_stacks_sorted(stacks, &nr)[1]->ns, 20);
	ebb_stacks_free(stacks);
}

static void test_full_table_counts(void **state)
{
	struct ebb_stacks *stacks = ebb_stacks_new(8);
	uint64_t frames[1], total = 0;
	struct ebb_stack stack;
	size_t nr;

	for (frames[0] = 1; frames[0] <= 20; frames[0]++) {
		stack = make(frames, 1, 0, 0);
		assert_int_equal(ebb_stacks_add(stacks, &stack), frames[0] <= 8);
	}
	frames[0] = 3;
	stack = make(frames, 1, 0, 0);
	assert_true(ebb_stacks_add(stacks, &stack));
	for (size_t i = 0; i < 8; i++)
		total += ebb_stacks_sorted(stacks, &nr)[i]->count;
	assert_int_equal(nr, 8);
	assert_int_equal(total, 9);
	assert_int_equal(ebb_stacks_nr_lost(stacks), 12);
	ebb_stacks_free(stacks);
}

static void test_empty(void **state)
{
	struct ebb_stacks *stacks = ebb_stacks_new(0);
	const uint64_t frame = 1;
	struct ebb_stack stack = make(&frame, 1, 0, 0);
	size_t nr = 7;

	assert_null(ebb_stacks_sorted(stacks, &nr));
	assert_int_equal(nr, 0);
	assert_false(ebb_stacks_add(stacks, &stack));
	ebb_stacks_free(stacks);
	ebb_stacks_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_chains_differ),
		cmocka_unit_test(test_full_table_counts),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
