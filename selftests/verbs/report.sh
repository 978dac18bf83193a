#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ebb report: idle memory, the strip, faults that come back by thread and by function.

set -uo pipefail
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh

HOT=6 COLD=58

check_quiet()
{
	run 0 "report --json" report --json -i 3s -n 3 "$HOLDER"
	tap_equal "$(json '[d["schema"], d["version"], d["verb"], d["complete"]]')" \
		"['ebb', 1, 'report', True]" "the document"
	tap_equal "$(json "$((COLD * MIB)) <= d['memory']['idle'] < $(((COLD + HOT) * MIB))")" True \
		"the cold part is idle"
	tap_equal "$(json 'len(d["memory"]["strip"])')" 80 "the strip has 80 columns"
	tap_equal "$(json '"@" in d["memory"]["strip"] and "." in d["memory"]["strip"]')" True \
		"the strip has hot and cold columns"
	tap_equal "$(json '[t["tid"] for t in d["faults"]["threads"]]')" "[$HOLDER]" "the threads"
}

# faults of a thread as the kernel counts them
kernel_faults()
{
	ps -o "$1=" -p "$HOLDER" | tr -d ' '
}

check_coming_back()
{
	local pid status=0

	"$EBB" reclaim -i 3s "$HOLDER" >/dev/null
	"$EBB" report --json -i 3s -n 5 "$HOLDER" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	caught_term "$pid"
	# the baseline is set soon: the faults fall into the time watched
	sleep 3
	holder_is_intact
	tap_ok $? "the data is intact"
	wait "$pid" || status=$?
	# stacks may be lost when all comes back at once; then it says so, and counts are still right
	[ "$status" = 0 ] || { [ "$status" = 3 ] && [ "$(json 'any(d["faults"]["lost"].values())')" = True ]; }
	tap_ok $? "report while memory comes back: done, or told what was lost"
	tap_note "status $status, $(json 'd["faults"]["lost"]')"
	tap_equal "$(json 'd["faults"]["major"]')" "$(kernel_faults maj_flt)" "major faults are ps's"
	tap_equal "$(json 'd["faults"]["minor"]')" "$(kernel_faults min_flt)" "minor faults are ps's"
	tap_equal "$(json 'd["faults"]["d_major"] > 0')" True "memory came back by major faults"
	tap_equal "$(json 'd["faults"]["latency"]["major"]["count"] > 0 and
		d["faults"]["latency"]["major"]["total_ns"] > 0')" True "their latency is known"
	tap_equal "$(json 'any(f.startswith("is_intact") or f.startswith("main")
		for s in d["faults"]["stacks"] for f in s["user"])')" True \
		"a stack names the function that touched them"
	tap_note "$(json 'd["faults"]["stacks"][:2]')"
}

check_text()
{
	run 0 "report" report -i 1s -n 3 "$HOLDER"
	for text in "^holder ($HOLDER): RSS " "^Idle: " "since the first scan" "^Heat by address" \
		"^Page faults in " "^ *TID  *NAME "; do
		grep -q "$text" "$WORK/out"
		tap_ok $? "the page has '$text'"
	done
}

check_exit()
{
	local pid status=0

	"$EBB" report --json -i 1s -n 1000 "$HOLDER" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	caught_term "$pid"
	sleep 3
	stop_holder
	wait "$pid" || status=$?
	tap_equal "$status" 3 "the process exits: exit status"
	says "the process exits" "has exited"
	tap_equal "$(json 'd["complete"]')" False "the process exits: a document is printed"
}

need_module
need_swap
start_holder $HOT $COLD
check_quiet
check_coming_back
check_text
check_exit
tap_end
