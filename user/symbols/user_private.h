/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by user.c and unwind.c. */
#ifndef EBB_SYMBOLS_USER_PRIVATE_H
#define EBB_SYMBOLS_USER_PRIVATE_H

#include <elfutils/libdwfl.h>

#include "symbols/user.h"

struct ebb_chain;

/**
 * struct ebb_usyms - see ebb_usyms_open()
 * @dwfl: the process's files
 * @pid: the process
 * @refreshed_ns: when the mappings were read, CLOCK_MONOTONIC
 * @is_attached: @dwfl knows how to unwind
 * @input: of the unwinding under way
 * @chains: chains found before, see unwind.c
 */
struct ebb_usyms {
	Dwfl *dwfl;
	pid_t pid;
	uint64_t refreshed_ns;
	bool is_attached;
	const struct ebb_unwind_input *input;
	struct ebb_chain **chains;
};

/** ebb_chains_drop() - forget all chains found before: the code changed */
void ebb_chains_drop(struct ebb_usyms *syms);

#endif /* EBB_SYMBOLS_USER_PRIVATE_H */
