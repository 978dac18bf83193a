/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "ebb", see include/uapi/linux/ebb.h.
 */
#ifndef EBB_NETLINK_H
#define EBB_NETLINK_H

int ebb_netlink_init(void);
void ebb_netlink_exit(void);

#endif /* EBB_NETLINK_H */
