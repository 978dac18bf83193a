/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encoder of the idle_pages stream. Pure: memory in, bytes out; tested in userspace as well.
 */
#ifndef EBB_PIP_H
#define EBB_PIP_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#endif
#include <linux/ebb.h>

/**
 * struct ebb_pip_buf - a stream that is being written
 * @buf: where to
 * @size: bytes in @buf
 * @len: bytes written so far
 * @next: address behind the last unit written
 * @has_unit: the last byte is a unit whose count may grow
 */
struct ebb_pip_buf {
	__u8 *buf;
	size_t size;
	size_t len;
	__u64 next;
	bool has_unit;
};

void ebb_pip_init(struct ebb_pip_buf *pip, void *buf, size_t size);
size_t ebb_pip_room(const struct ebb_pip_buf *pip, __u64 addr);
unsigned int ebb_pip_shift(enum ebb_pip type);
void ebb_pip_put(struct ebb_pip_buf *pip, enum ebb_pip type, __u64 addr, __u64 nr);

#endif /* EBB_PIP_H */
