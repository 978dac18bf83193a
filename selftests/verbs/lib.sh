# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the verbs share: . selftests/verbs/lib.sh
# Tests run as root in a virtual machine, in the tree's top folder. EBB: another ebb to test.

# shellcheck source=selftests/lib/tap.sh
. selftests/lib/tap.sh
: "${EBB:=build/user/ebb}"
WORK=$(mktemp -d)
HOLDER=
trap cleanup EXIT
# shellcheck disable=SC2034
MIB=$((1 << 20))

cleanup()
{
	[ -z "$HOLDER" ] || stop_holder
	rm -rf "$WORK"
}

# need_module, drop_module: loaded, or not
need_module()
{
	modprobe ebb || tap_bail "modprobe ebb failed"
}

drop_module()
{
	[ ! -d /sys/module/ebb ] || modprobe -r ebb || tap_bail "modprobe -r ebb failed"
}

# need_swap: zram, once
need_swap()
{
	[ "$(wc -l </proc/swaps)" -gt 1 ] && return
	modprobe -q lzo-rle
	modprobe zram || tap_bail "no zram"
	[ "$(cat /sys/block/zram0/disksize)" != 0 ] || echo 512M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null 2>&1
	swapon /dev/zram0 || tap_bail "no swap"
}

# wait_for TEXT FILE: until a line of the file begins so
wait_for()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		! grep -q "^$1" "$2" || return 0
		sleep 0.1
	done
	tap_bail "no '$1' in $2 after two minutes"
}

# start_holder HOT COLD: sets HOLDER, its pid, and HELD, where its memory is
start_holder()
{
	: >"$WORK/holder"
	build/selftests/verbs/holder "$1" "$2" >"$WORK/holder" &
	HOLDER=$!
	wait_for ready "$WORK/holder"
	HELD=0x$(sed -n 's/^ready //p' "$WORK/holder")
}

stop_holder()
{
	kill -9 "$HOLDER"
	{ wait "$HOLDER"; } 2>/dev/null
	HOLDER=
}

# holder_is_intact: ask it to read all its memory
holder_is_intact()
{
	kill -USR1 "$HOLDER"
	wait_for '\(intact\|broken\)' "$WORK/holder"
	grep -q '^intact' "$WORK/holder"
}

# run EXPECTED TEXT ARG...: run ebb, which has to end with this status; output in $WORK/out, err
run()
{
	local expected=$1 text=$2 status=0

	shift 2
	"$EBB" "$@" >"$WORK/out" 2>"$WORK/err" || status=$?
	tap_equal "$status" "$expected" "$text: exit status"
	[ "$status" = "$expected" ] || tap_note "$(head -n 30 "$WORK/out" "$WORK/err")"
}

# says TEXT PATTERN: on stderr
says()
{
	grep -q -- "$2" "$WORK/err"
	tap_ok $? "$1: says '$2'"
	grep -q -- "$2" "$WORK/err" || tap_note "$(cat "$WORK/err")"
}

# json EXPRESSION: of the last output, d being the document and m its mapping of the holder
json()
{
	python3 - "$WORK/out" "$1" "${HELD:-0}" <<-'END'
	import json
	import sys

	d = json.load(open(sys.argv[1], encoding="utf-8"))
	m = [x for x in d.get("mappings", []) if x["start"] == sys.argv[3]]
	m = m[0] if m else None
	print(eval(f"({sys.argv[2]})"))
	END
}

# smaps NAME: kB of the holder's memory as the kernel tells, in bytes
smaps()
{
	awk -v start="${HELD#0x}" -v name="$1:" '
		/^[0-9a-f]+-[0-9a-f]+ / { inside = index($1, start "-") == 1 }
		inside && $1 == name { print $2 * 1024 }' "/proc/$HOLDER/smaps"
}

# caught_term PID: until the process handles SIGTERM
caught_term()
{
	local i mask

	for ((i = 0; i < 1200; i++)); do
		mask=$(sed -n 's/^SigCgt:\t*//p' "/proc/$1/status" 2>/dev/null)
		[ -n "$mask" ] && (((16#$mask >> 14) & 1)) && return
		sleep 0.1
	done
	tap_bail "process $1 does not handle SIGTERM"
}
