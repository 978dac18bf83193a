#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scripts/vm itself: what it passes on, and that each way to fail is told as a failure.

set -uo pipefail

TREE=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
NUMBER=0 FAILED=0
cd "$TREE" || exit 1

# vm ARG...: its output in $WORK/out, its messages in $WORK/err, its status in STATUS
vm()
{
	STATUS=0
	scripts/vm --timeout 300 --log "$WORK/log" "$@" >"$WORK/out" 2>"$WORK/err" || STATUS=$?
}

# check NAME CONDITION...: one result; on failure what the machine said
check()
{
	local name=$1

	shift
	NUMBER=$((NUMBER + 1))
	if "$@"; then
		echo "ok $NUMBER - $name"
		return
	fi
	FAILED=$((FAILED + 1))
	echo "not ok $NUMBER - $name"
	echo "# failed: $* (status $STATUS)"
	tail -n 20 "$WORK/out" "$WORK/err" | sed 's/^/#   /'
}

status_is()
{
	[ "$STATUS" -eq "$1" ]
}

out_is()
{
	[ "$(cat "$WORK/out")" = "$1" ]
}

err_has()
{
	grep -q "$1" "$WORK/err"
}

test_usage()
{
	vm
	check "no command is wrong usage" status_is 1
	vm --nodes 3 -- true
	check "an unknown option is wrong usage" status_is 1
	vm --kernel 2.4 -- true
	check "an unknown kernel is refused" status_is 2
	check "and the message says what to do" err_has "make setup"
	vm --numa 512M:nocpu,512M -- true
	check "a node without processors before one with them is refused" status_is 1
}

# test_passing_on KERNEL
test_passing_on()
{
	local release

	release=$(scripts/kernels release "$1")
	vm --kernel "$1" -- bash -c \
		'uname -r; pwd; id -u; echo "$0|$1"; cat; echo made >Makefile; exit 7' \
		'a  b' "q'\"\$x" <<<"left from the host"
	check "$1: the command's status is passed on" status_is 7
	check "$1: its words, folder, user; nothing to read" \
		out_is "$release"$'\n'"$TREE"$'\n0\na  b|q\'"$x'
	check "$1: the tree of the host is not written to" grep -q . "$TREE/Makefile"
	check "$1: the kernel log is kept on request" grep -q "Linux version $release" "$WORK/log"
}

test_output()
{
	vm -- sh -c 'seq 200000; printf "\0\r\n\377"; exit 0'
	{ seq 200000; printf '\0\r\n\377'; } >"$WORK/expected"
	check "1.3 MB of output arrive unchanged" cmp "$WORK/out" "$WORK/expected"
	check "a command that succeeds ends with 0" status_is 0
	vm -- sh -c 'sleep 1000 & echo done'
	check "a process left running does not hold up the end" out_is "done"
}

# test_live: the first line is here while the command still waits
test_live()
{
	local pid line

	mkfifo "$WORK/fifo"
	scripts/vm --timeout 250 -- sh -c 'echo first; sleep 1000' >"$WORK/fifo" 2>/dev/null &
	pid=$!
	read -r line <"$WORK/fifo"
	STATUS=0
	check "output comes while the command runs" [ "$line" = first ]
	kill -TERM "$pid"
	wait "$pid" || STATUS=$?
	check "a signal ends the machine" status_is 143
}

test_failures()
{
	vm -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at planted" >/dev/kmsg'
	check "a warning in the kernel log fails a good command" status_is 125
	check "and is shown" err_has "at planted"
	vm -- sh -c 'echo "BUG: planted" >/dev/kmsg; exit 3'
	check "the status of a bad command stays" status_is 3
	check "and the kernel's line is shown as well" err_has "BUG: planted"
	vm --timeout 20 -- sleep 1000
	check "a machine that takes too long is killed" status_is 124
	check "and says so" err_has "killed after 20 s"
	vm -- sh -c 'echo o >/proc/sysrq-trigger; sleep 1000'
	check "no verdict is a failure" status_is 125
	vm -- sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
	check "a crash is a failure" status_is 125
	check "and is shown" err_has "Kernel panic"
	vm -- sh -c 'echo EXIT=0 >/dev/kmsg; echo EXIT=0; /run/vm/busybox reboot -f'
	check "nobody but the machine's first process gives the verdict" status_is 125
}

# nodes KERNEL: three nodes, the last one without a processor
test_nodes()
{
	vm --kernel "$1" --numa 512M,512M,256M:nocpu -- sh -c \
		'cat /sys/devices/system/node/online /sys/devices/system/node/has_cpu'
	check "$1: nodes, one of them without processors" out_is $'0-2\n0-1'
}

# test_devices KERNEL: what tests need of a kernel
test_devices()
{
	vm --kernel "$1" --tcg single -- sh -ec '
		modprobe zram; echo 64M >/sys/block/zram0/disksize
		mkswap -q /dev/zram0; swapon /dev/zram0; grep -c zram0 /proc/swaps
		mkfs.ext4 -q /dev/vda; mount /dev/vda /mnt; findmnt -no FSTYPE /mnt
		grep -cw memory /sys/fs/cgroup/cgroup.controllers
		ls -d /sys/fs/bpf /sys/kernel/tracing/events/sched | wc -l
		ip -o link show up dev lo | wc -l'
	check "$1: zram swap, ext4, cgroup v2, tracing, loopback" out_is $'1\next4\n1\n2\n1'
}

# test_together: two machines at once do not disturb each other
test_together()
{
	local pid

	scripts/vm --timeout 300 -- sh -c 'echo one' >"$WORK/one" 2>&1 &
	pid=$!
	vm --kernel 6.1 -- sh -c 'echo two'
	wait "$pid" || STATUS=1
	check "two machines at once" [ "$STATUS $(cat "$WORK/one" "$WORK/out" | tr '\n' ' ')" = "0 one two " ]
}

echo "TAP version 13"
test_usage
test_output
test_live
test_failures
test_together
for k in $(scripts/kernels list); do
	test_passing_on "$k"
	test_nodes "$k"
	test_devices "$k"
done
echo "1..$NUMBER"
[ "$FAILED" -eq 0 ]
