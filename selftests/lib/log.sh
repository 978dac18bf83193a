# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel log, for selftests in shell: . selftests/lib/log.sh

# What a slow emulated machine says of itself now and then, whatever runs on it.
LOG_NOISE='hrtimer: interrupt took|clocksource|sched_clock|hogged CPU|perf: interrupt took'
LOG_NOISE+='|Unstable clock|trace_clock|[Rr]andom: |drop_caches: '

# log_mark TEXT: put a line into the log, to look for later
log_mark()
{
	echo "ebb selftest: $1" >/dev/kmsg
}

# log_since TEXT: what came after that line, noise left out
log_since()
{
	dmesg | awk -v mark="ebb selftest: $1" 'found { print } index($0, mark) { found = 1 }' |
		grep -vE "$LOG_NOISE|ebb selftest: "
}
