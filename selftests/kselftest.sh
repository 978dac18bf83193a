#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run selftests in the form of the kernel's own: one TAP result for each test program, its output as
# comments; a program that ends with 4 is skipped. `make -C selftests run_tests` calls it.
#
#	selftests/kselftest.sh DIR...
#
# TIMEOUT: seconds for each program (default 900).

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
OUT=$(mktemp)
trap 'rm -f "$OUT"' EXIT
TIMEOUT=${TIMEOUT:-900}
NUMBER=0 FAILED=0

# programs DIR: "NAME ARG..." of each
programs()
{
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "selftests/$1/tests"
}

# prepare DIR: the module, loaded or not, as the tests there want it; 4 when it cannot be had
prepare()
{
	if [ "$(id -u)" -ne 0 ]; then
		echo "SKIP: needs root" >"$OUT"
		return 4
	fi
	case $1 in
	load | kunit | sanitizer | verbs) [ ! -d /sys/module/ebb ] || modprobe -r ebb >"$OUT" 2>&1 ;;
	faults) ;;
	*) [ -d /sys/module/ebb ] || modprobe ebb >"$OUT" 2>&1 || return 4 ;;
	esac
}

# run DIR NAME ARG...: its output in OUT. Returns its status
run()
{
	local dir=$1 program=selftests/$1/$2

	shift 2
	[ -x "$program" ] || program=build/$program
	prepare "$dir" || return
	timeout -k 10 "$TIMEOUT" "$program" "$@" </dev/null >"$OUT" 2>&1
}

# judge STATUS NAME
judge()
{
	NUMBER=$((NUMBER + 1))
	sed 's/^/# /' "$OUT"
	case $1 in
	0) echo "ok $NUMBER selftests: $2" ;;
	4) echo "ok $NUMBER selftests: $2 # SKIP $(tail -n 1 "$OUT" | sed -E 's/^#* *(SKIP:?)? *//')" ;;
	124 | 137)
		FAILED=$((FAILED + 1))
		echo "not ok $NUMBER selftests: $2 # TIMEOUT $TIMEOUT seconds" ;;
	*)
		FAILED=$((FAILED + 1))
		echo "not ok $NUMBER selftests: $2 # exit=$1" ;;
	esac
}

[ $# -gt 0 ] || { echo "usage: selftests/kselftest.sh DIR..." >&2; exit 1; }
echo "TAP version 13"
echo "1..$(for dir; do programs "$dir"; done | wc -l)"
for dir; do
	while read -r line; do
		echo "# selftests: $dir: ${line%% *}"
		: >"$OUT"
		# shellcheck disable=SC2086
		run "$dir" $line
		judge $? "$dir: ${line%% *}"
	done < <(programs "$dir")
done
[ "$FAILED" -eq 0 ]
