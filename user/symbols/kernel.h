/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel addresses to names, by /proc/kallsyms. */
#ifndef EBB_SYMBOLS_KERNEL_H
#define EBB_SYMBOLS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

struct ebb_ksyms;

/**
 * ebb_ksyms_open() - read the kernel's symbols
 *
 * Return: them, or NULL without memory or when the kernel hides them.
 */
struct ebb_ksyms *ebb_ksyms_open(void);

/** ebb_ksyms_close() - let go of them; NULL is allowed */
void ebb_ksyms_close(struct ebb_ksyms *syms);

/**
 * ebb_ksyms_find() - the function at an address
 * @syms: the symbols
 * @addr: the address
 * @offset: of the address in the function, bytes
 * @module: "ext4", or "" for the kernel itself
 *
 * Return: its name, valid until the close; NULL when there is none.
 */
const char *ebb_ksyms_find(const struct ebb_ksyms *syms, uint64_t addr, uint64_t *offset,
			   const char **module);

#endif /* EBB_SYMBOLS_KERNEL_H */
