/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences of generic netlink between the kernels.
 */
#ifndef EBB_COMPAT_GENL_H
#define EBB_COMPAT_GENL_H

#include <linux/version.h>
#include <net/genetlink.h>

/*
 * Attributes of a dump request: in struct genl_info since 6.6 (7288dd2fd488). Goes when 6.1 goes.
 */
static inline struct nlattr **ebb_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* EBB_COMPAT_GENL_H */
