/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /proc/PID/idle_pages and swap_pages: how they come and go.
 */
#ifndef EBB_PROCFS_H
#define EBB_PROCFS_H

int ebb_procfs_init(void);
void ebb_procfs_exit(void);

#endif /* EBB_PROCFS_H */
