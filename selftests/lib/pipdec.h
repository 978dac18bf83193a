/* SPDX-License-Identifier: GPL-2.0 */
/* A decoder of the idle_pages stream, written from the format's description alone. */
#ifndef EBB_SELFTEST_PIPDEC_H
#define EBB_SELFTEST_PIPDEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* what a byte of the stream says of @bytes of memory from @addr on */
struct pip_unit {
	int type;
	uint64_t addr;
	uint64_t bytes;
};

/*
 * Decode @size bytes; call @fn for each byte that stands for memory. Returns NULL, or what is wrong
 * with the stream.
 */
const char *pip_decode(const unsigned char *stream, size_t size,
		       void (*fn)(const struct pip_unit *unit, void *arg), void *arg);

#endif
