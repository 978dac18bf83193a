// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "sys.h"
#include "tap.h"

void sys_run(const char *command)
{
	if (system(command))
		tap_bail("failed: %s", command);
}

void sys_swap_on(void)
{
	/* where the compressor is a module, as in 6.1, zram does not ask for it in time */
	sys_run("grep -q zram /proc/swaps || { modprobe -q lzo-rle; modprobe zram &&"
		"echo 512M >/sys/block/zram0/disksize &&"
		"mkswap /dev/zram0 >/dev/null && swapon /dev/zram0; }");
}
