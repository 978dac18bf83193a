#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ebb reclaim: what it says is out is out, the data comes back intact, hot memory stays.

set -uo pipefail
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh

HOT=6 COLD=58

# done_or_in_part TEXT ARG...: pages may be busy for a moment, which makes it 3
done_or_in_part()
{
	local text=$1 status=0

	shift
	"$EBB" "$@" >"$WORK/out" 2>"$WORK/err" || status=$?
	[ "$status" = 0 ] || { [ "$status" = 3 ] && [ "$(json 'd["outcomes"]["busy"] > 0')" = True ]; }
	tap_ok $? "$text: done, or in part with pages that were busy"
	tap_note "status $status, $(json 'd["outcomes"]')"
}

check_sum()
{
	tap_equal "$(json 'd["outcomes"]["asked"] == sum(v for k, v in d["outcomes"].items() if k != "asked")')" \
		True "$1: the outcomes are what was asked"
}

check_dry_run()
{
	run 0 "dry run" reclaim --json --dry-run -i 3s "$HOLDER"
	tap_equal "$(json "$((COLD * MIB)) <= d['idle'] < $(((COLD + HOT) * MIB))")" True \
		"dry run: the cold part would go"
	tap_equal "$(json 'd["outcomes"]["asked"]')" 0 "dry run: nothing was asked"
	tap_equal "$(json 'd["after"]')" None "dry run: no figures afterwards"
	tap_equal "$(smaps Rss)" $(((HOT + COLD) * MIB)) "dry run: all is still there"
}

check_limit()
{
	done_or_in_part "limit" reclaim --json --limit 16M -i 3s "$HOLDER"
	check_sum "limit"
	tap_equal "$(json "0 < d['outcomes']['reclaimed'] <= $((16 * MIB))")" True \
		"limit: not more than the limit"
	tap_equal "$(smaps Rss)" $(((HOT + COLD) * MIB - $(smaps Swap))) \
		"limit: what is out is in swap"
}

check_all()
{
	local out

	done_or_in_part "reclaim" reclaim --json -i 3s "$HOLDER"
	check_sum "reclaim"
	tap_equal "$(json 'd["after"]["rss"] < d["before"]["rss"]')" True "RSS went down"
	out=$(smaps Swap)
	# a page may be busy for a moment, most must go
	[ "$out" -ge $((COLD * MIB * 9 / 10)) ]
	tap_ok $? "the cold part is out" || tap_note "in swap: $out"
	[ "$(smaps Rss)" -ge $((HOT * MIB)) ]
	tap_ok $? "the hot part is still there"
	tap_equal "$(($(smaps Rss) + out))" $(((HOT + COLD) * MIB)) "nothing is lost"
}

check_comes_back()
{
	holder_is_intact
	tap_ok $? "the data is intact after coming back"
	tap_equal "$(smaps Rss)" $(((HOT + COLD) * MIB)) "and resident again"
}

check_text()
{
	local status=0

	"$EBB" reclaim -i 3s "$HOLDER" >"$WORK/out" 2>"$WORK/err" || status=$?
	[ "$status" = 0 ] || [ "$status" = 3 ]
	tap_ok $? "reclaim in text"
	grep -qE '^holder \([0-9]+\): [56][0-9]M of [67][0-9]M resident memory was idle for [0-9.]+s or more$' "$WORK/out"
	tap_ok $? "it says what was idle" || tap_note "$(cat "$WORK/out")"
	grep -qE '^reclaimed +[56][0-9]M ' "$WORK/out"
	tap_ok $? "it says what was reclaimed" || tap_note "$(cat "$WORK/out")"
	grep -qE '^RSS +[67][0-9]M -> ' "$WORK/out"
	tap_ok $? "it says RSS before and after" || tap_note "$(cat "$WORK/out")"
}

check_signal()
{
	local pid status=0

	"$EBB" reclaim --json -i 1s --idle 200 "$HOLDER" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	caught_term "$pid"
	kill -TERM "$pid"
	wait "$pid" || status=$?
	tap_equal "$status" 3 "SIGTERM: exit status"
	tap_equal "$(json 'd["outcomes"]["asked"]')" 0 "SIGTERM: nothing was asked yet"
}

check_without_swap()
{
	swapoff /dev/zram0
	run 3 "without swap" reclaim --json -i 3s "$HOLDER"
	says "without swap" "there is no swap"
	check_sum "without swap"
	tap_equal "$(json "d['outcomes']['busy'] >= $((COLD * MIB / 2))")" True \
		"without swap: the kernel kept it"
	tap_equal "$(smaps Rss)" $(((HOT + COLD) * MIB)) "without swap: all is still there"
}

need_module
need_swap
start_holder $HOT $COLD
check_dry_run
check_limit
check_all
check_comes_back
check_text
check_signal
check_without_swap
tap_end
