/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process's code: names of its addresses and unwinding of its stacks, both by its ELF files
 * (symbol tables, .eh_frame) through libdwfl.
 */
#ifndef EBB_SYMBOLS_USER_H
#define EBB_SYMBOLS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ebb_usyms;

#define EBB_UNWIND_REGS 17
#define EBB_UNWIND_MAX 64

/**
 * struct ebb_usym - what is at an address
 * @name: function, or NULL when no symbol covers it; valid until the close
 * @offset: in the function, else in @file
 * @file: base name of the mapped file; NULL when the address belongs to none
 */
struct ebb_usym {
	const char *name;
	uint64_t offset;
	const char *file;
};

/**
 * struct ebb_unwind_input - a thread's registers and a piece of its stack
 * @tid: the thread
 * @regs: in DWARF's order for x86-64
 * @stack: bytes of its stack
 * @stack_start: address of the first of them
 * @stack_bytes: how many
 */
struct ebb_unwind_input {
	pid_t tid;
	const uint64_t *regs;
	const void *stack;
	uint64_t stack_start;
	size_t stack_bytes;
};

/**
 * ebb_usyms_open() - look at a process's mappings and open its files
 * @pid: the process
 *
 * The files stay open, so that names are found after its end as well.
 *
 * Return: the handle, or NULL with errno set.
 */
struct ebb_usyms *ebb_usyms_open(pid_t pid);

/** ebb_usyms_close() - let go; NULL is allowed */
void ebb_usyms_close(struct ebb_usyms *syms);

/**
 * ebb_usyms_refresh() - look at the mappings again, for libraries that were loaded meanwhile
 * @syms: the handle
 *
 * Return: 0, or a negative errno; what was known is kept in any case.
 */
int ebb_usyms_refresh(struct ebb_usyms *syms);

/** ebb_usyms_refresh_all() - the same after execve(): what was known is wrong now */
int ebb_usyms_refresh_all(struct ebb_usyms *syms);

/**
 * ebb_usyms_is_return() - whether an address can be a return address: in a mapped file or the vDSO,
 * and behind a call
 *
 * Looks at the mappings again, at most once a second, when it knows none there.
 */
bool ebb_usyms_is_return(struct ebb_usyms *syms, uint64_t addr);

/**
 * ebb_usyms_find() - what is at an address
 * @syms: the handle
 * @addr: the address
 * @is_return: it is a return address: the call before it is meant
 * @sym: filled
 */
void ebb_usyms_find(struct ebb_usyms *syms, uint64_t addr, bool is_return, struct ebb_usym *sym);

/**
 * ebb_usyms_unwind() - the chain of calls by .eh_frame
 * @syms: the handle
 * @input: where the thread was
 * @frames: filled, innermost first
 * @max: at most so many, at most %EBB_UNWIND_MAX
 *
 * Return: number of frames; 0 when not even the first is covered.
 */
size_t ebb_usyms_unwind(struct ebb_usyms *syms, const struct ebb_unwind_input *input,
			uint64_t *frames, size_t max);

#endif /* EBB_SYMBOLS_USER_H */
