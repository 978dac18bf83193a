/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trimming of the swap cache, between two watermarks.
 */
#ifndef EBB_SWAPCACHE_H
#define EBB_SWAPCACHE_H

#include <linux/types.h>

int ebb_swapcache_init(void);
int ebb_swapcache_set_watermarks(u32 marks);
int ebb_swapcache_on(void);
void ebb_swapcache_off(void);
void ebb_swapcache_exit(void);

#endif /* EBB_SWAPCACHE_H */
