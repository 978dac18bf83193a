# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel log, for selftests in shell: . selftests/lib/log.sh

# log_mark TEXT: put a line into the log, to look for later
log_mark()
{
	echo "ebb selftest: $1" >/dev/kmsg
}

# log_since TEXT: what came after that line and is an error, or names ebb or what it hooks. A slow
# emulated machine notes its lateness now and then, as a warning at most; scripts/vm looks for WARN,
# BUG and the like in the whole log.
log_since()
{
	dmesg --raw | awk -v mark="ebb selftest: $1" '
		found && !/ebb selftest: |ebb-vm: / {
			level = substr($0, 2) % 8
			if (level <= 3 || /ebb|kprobe|module|refcount|proc_pident/)
				print
		}
		index($0, mark) { found = 1 }'
}
