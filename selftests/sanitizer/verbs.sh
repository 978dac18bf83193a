#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every verb once in the build with AddressSanitizer, LeakSanitizer and UBSan.

set -uo pipefail
EBB=build/san/ebb
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh
export ASAN_OPTIONS=exitcode=99:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

# clean STATUSES TEXT ARG...: ends with one of these, and no sanitizer says anything
clean()
{
	local expected=$1 text=$2 status=0

	shift 2
	"$EBB" "$@" >"$WORK/out" 2>"$WORK/err" || status=$?
	[[ " $expected " == *" $status "* ]] && ! grep -qE 'Sanitizer|runtime error' "$WORK/err"
	tap_ok $? "$text is clean"
	[[ " $expected " == *" $status "* ]] || tap_note "status $status"
	! grep -qE 'Sanitizer|runtime error' "$WORK/err" || tap_note "$(head -n 60 "$WORK/err")"
}

check_verb()
{
	local verb=$1 statuses=$2

	shift 2
	clean "$statuses" "$verb" "$verb" "$@"
	clean "$statuses" "$verb --json" "$verb" --json "$@"
	clean 0 "$verb --help" "$verb" --help
	clean 1 "$verb --nonsense" "$verb" --nonsense
}

"$EBB" --version >/dev/null || tap_bail "no $EBB: make -C user SAN=address"
need_module
need_swap
start_holder 2 20
check_verb doctor 0
check_verb scan 0 -i 1s -n 3 "$HOLDER"
check_verb report 0 -i 1s -n 3 "$HOLDER"
check_verb reclaim "0 3" -i 1s "$HOLDER"
check_verb faults 0 -p "$HOLDER" 1s 2
check_verb top 0 --once -i 1s
clean 0 "faults of all" faults 1s 2
clean 2 "a process that is not there" scan no-such-name
clean 0 "ebb --help" --help
tap_equal "$("$EBB" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort | xargs)" \
	"doctor faults reclaim report scan top" "all verbs were run"
tap_end
