// SPDX-License-Identifier: GPL-2.0
/*
 * ebb: finds idle memory of processes and pushes it out. The order in which the units come and go.
 */
#include <linux/module.h>

#include "cap.h"
#include "ksym.h"
#include "netlink.h"
#include "procfs.h"
#include "swapcache.h"
#include "walk.h"

static int __init ebb_init(void)
{
	int err;

	err = ebb_ksym_init();
	if (err)
		return err;
	ebb_cap_init();
	ebb_walk_caps();
	err = ebb_swapcache_init();
	if (err)
		return err;
	err = ebb_netlink_init();
	if (err)
		goto exit_swapcache;
	err = ebb_procfs_init();
	if (err)
		goto exit_netlink;
	return 0;

exit_netlink:
	ebb_netlink_exit();
exit_swapcache:
	ebb_swapcache_exit();
	return err;
}

static void __exit ebb_exit(void)
{
	ebb_procfs_exit();
	ebb_netlink_exit();
	ebb_swapcache_exit();
}

module_init(ebb_init);
module_exit(ebb_exit);

MODULE_DESCRIPTION("Idle memory of processes: find it and push it out");
MODULE_AUTHOR("The ebb authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
