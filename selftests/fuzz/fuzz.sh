#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fuzzes the genetlink family and both proc files with fixed seeds, while the processes that they work
# on map, fork, exec and exit. What the kernel thinks of it, scripts/vm finds in its log.
# FUZZ_CALLS: how many (default 10000); FUZZ_SECONDS: when to stop at the latest; SEED (default 1).

. selftests/lib/tap.sh
. selftests/lib/log.sh

CALLS=${FUZZ_CALLS:-10000}
SEED=${SEED:-1}
BIN=build/selftests/fuzz
OUT=$(mktemp -d)

# What calls may answer. Whatever else comes is a bug in the module, or one more row in its documents.
MESSAGES_MAY="EPERM ESRCH EINVAL EBUSY EOPNOTSUPP ERANGE ENOMEM ENOBUFS"
FILES_MAY="EPERM ESRCH EINVAL EBUSY EOPNOTSUPP EFAULT ENOENT EBADF EACCES ENODEV ENOTTY ENOMEM EIO"

# strange NAME MAY: errors of the program that are not expected
strange()
{
	tail -n 1 "$OUT/$1" | tr ' ' '\n' | sed -n 's/^\(E[A-Z0-9]*\)=.*/\1/p' |
		grep -vxF -f <(tr ' ' '\n' <<<"$2")
}

# number NAME KEY
number()
{
	tail -n 1 "$OUT/$1" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

# judge NAME MAY
judge()
{
	tap_note "$1: $(tail -n 1 "$OUT/$1")"
	[ "$(number "$1" ok)" -gt 0 ] 2>/dev/null
	tap_ok $? "$1: calls succeeded among the others"
	[ "$(number "$1" EINVAL)" -gt 0 ] 2>/dev/null
	tap_ok $? "$1: calls were refused among the others"
	tap_equal "$(strange "$1" "$2")" "" "$1: unexpected errors"
}

start()
{
	"$BIN/$1" "$2" "$4" "${FUZZ_SECONDS:-0}" >"$OUT/$3" 2>&1 &
	PIDS+=($!)
}

modprobe ebb || tap_bail "the module cannot be loaded"
modprobe -q lzo-rle
if [ "$(wc -l </proc/swaps)" -lt 2 ] && { ! modprobe zram || ! echo 512M >/sys/block/zram0/disksize ||
	! mkswap -q /dev/zram0 || ! swapon /dev/zram0; }; then
	tap_bail "no swap"
fi
log_mark "fuzz begins"
PIDS=()
start victims "$SEED" victims 0
VICTIMS=$!
PIDS=()
until [ -s /dev/shm/ebb-fuzz ]; do sleep 0.1; done
start messages $((SEED + 1)) messages $((CALLS / 10))
start files $((SEED + 2)) files $((CALLS * 45 / 100))
start files $((SEED + 3)) files2 $((CALLS * 45 / 100))
FAILED=0
for pid in "${PIDS[@]}"; do
	wait "$pid" || FAILED=$((FAILED + 1))
done
kill "$VICTIMS" && wait "$VICTIMS" || FAILED=$((FAILED + 1))
tap_equal $FAILED 0 "programs that failed"
judge messages "$MESSAGES_MAY"
judge files "$FILES_MAY"
judge files2 "$FILES_MAY"
tap_note "$(grep '^op' "$OUT/messages")"
tap_equal "$(grep -c 'good=0$' "$OUT/messages")" 0 "commands that never succeeded"
[ "$(number victims births)" -gt 6 ] 2>/dev/null
tap_ok $? "processes came and went: $(number victims births) of them"
tap_note "calls in all: $(($(number messages calls) + $(number files calls) + $(number files2 calls)))"
ebb scan $$ >"$OUT/scan" 2>&1
tap_ok $? "the module scans as before"
tap_equal "$(log_since "fuzz begins")" "" "lines in the kernel log"
rm -r "$OUT"
tap_end
