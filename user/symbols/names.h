/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of a process and of the kernel as people read them: "func+0x12 (file)". */
#ifndef EBB_SYMBOLS_NAMES_H
#define EBB_SYMBOLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/user.h"

struct ebb_names;

/**
 * ebb_names_open() - a place for names
 * @user: the process's symbols or NULL; not taken over, must outlive the names
 *
 * Return: it, or NULL without memory.
 */
struct ebb_names *ebb_names_open(struct ebb_usyms *user);

/** ebb_names_close() - let go of all names; NULL is allowed */
void ebb_names_close(struct ebb_names *names);

/**
 * ebb_names_user() - name of an address of the process
 * @names: the place
 * @image: number of the program it runs: the same address means another thing after execve()
 * @addr: the address
 * @is_return: a return address: the call before it is meant
 *
 * Return: "func+0x12 (file)", "0x1234 (file)" without a symbol, or "0x7f0123456789"; valid until
 * the close. The first look-up counts: later ones give the same.
 */
const char *ebb_names_user(struct ebb_names *names, uint32_t image, uint64_t addr, bool is_return);

/**
 * ebb_names_kernel() - name of an address of the kernel
 * @names: the place
 * @addr: the address
 *
 * Return: "func+0x12 (kernel)" or with the module's name, or the address; valid until the close.
 */
const char *ebb_names_kernel(struct ebb_names *names, uint64_t addr);

#endif /* EBB_SYMBOLS_NAMES_H */
