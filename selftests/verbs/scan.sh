#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ebb scan: figures against what the holder does and what smaps says; ages; ends before its time.

set -uo pipefail
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh

HOT=6 COLD=58

check_figures()
{
	# three seconds: the holder touches its hot part some hundred times in each of them
	run 0 "scan --json" scan --json -i 3s "$HOLDER"
	tap_equal "$(json '[d["schema"], d["version"], d["verb"], d["complete"], d["scans"]]')" \
		"['ebb', 1, 'scan', True, 2]" "the document"
	tap_equal "$(json 'd["process"]["pid"]')" "$HOLDER" "the process"
	tap_equal "$(json 'd["process"]["name"]')" holder "its name"
	tap_equal "$(json 'm["young"]')" $((HOT * MIB)) "young is what it touches"
	tap_equal "$(json 'm["idle"]')" $((COLD * MIB)) "idle is the rest"
	tap_equal "$(json 'm["resident"]')" "$(smaps Rss)" "resident is what smaps says"
	tap_equal "$(json 'm["swap"]')" "$(smaps Swap)" "swap is what smaps says"
	tap_equal "$(json 'int(m["end"], 16) - int(m["start"], 16)')" $(((HOT + COLD) * MIB)) \
		"the mapping's size"
	tap_equal "$(json 'd["total"]["resident"] == sum(x["resident"] for x in d["mappings"])')" \
		True "the total is the sum"
	tap_equal "$(json 'd["total"]["resident"] <= d["rss"]')" True "not more than RSS"
	tap_equal "$(json 'sum(a["bytes"] for a in d["ages"]) == d["total"]["resident"]')" True \
		"the ages are the total"
}

check_ages()
{
	run 0 "scan -n 4" scan --json -i 3s -n 4 "$HOLDER"
	tap_equal "$(json 'len(d["ages"])')" 4 "four scans give four ages"
	tap_equal "$(json "d['ages'][3]['bytes'] >= $((COLD * MIB))")" True \
		"the cold part has been idle since the first scan"
	tap_equal "$(json "$((HOT * MIB)) <= d['ages'][0]['bytes'] < $(((HOT + COLD / 2) * MIB))")" \
		True "the hot part is young"
	tap_equal "$(json 'd["ages"][3]["idle_ns"] >= 9 * 10**9 > d["ages"][2]["idle_ns"] > 0')" \
		True "ages in time"
	tap_equal "$(json 'd["last_scan"]["tables_skipped"] >= 25')" True \
		"page tables not touched were skipped"
}

check_text()
{
	run 0 "scan" scan -i 3s -n 3 "$HOLDER"
	grep -qE "^ *${HELD#0x} +rw-p +64M +64M +6.0M +58M +91% +0 +\[anon(:held)?\]$" "$WORK/out"
	tap_ok $? "the holder's memory in text"
	grep -qE '^ +total +6[0-9]M ' "$WORK/out"
	tap_ok $? "the total in text"
	grep -qE '^idle for [0-9.]+s or more, since the first scan +5[0-9]M +[0-9]+% +#+$' "$WORK/out"
	tap_ok $? "the ages in text"
	[ ! -s "$WORK/err" ]
	tap_ok $? "nothing on stderr" || tap_note "$(cat "$WORK/err")"
	grep -q ' $' "$WORK/out"
	tap_ok $((!$?)) "no line ends in a blank"
}

check_all()
{
	run 0 "scan --all" scan --json --all -i 100ms "$HOLDER"
	tap_equal "$(json 'any("x" in x["perms"] for x in d["mappings"])')" True \
		"--all has program code"
	run 0 "scan without --all" scan --json -i 100ms "$HOLDER"
	tap_equal "$(json 'any("x" in x["perms"] for x in d["mappings"])')" False \
		"without --all it has none"
}

check_signal()
{
	local pid status=0

	"$EBB" scan --json -i 1s -n 100000 "$HOLDER" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	caught_term "$pid"
	sleep 4
	kill -TERM "$pid"
	wait "$pid" || status=$?
	tap_equal "$status" 3 "SIGTERM: exit status"
	says "SIGTERM" "interrupted"
	tap_equal "$(json 'd["complete"]')" False "SIGTERM: what was obtained is printed"
}

check_exit()
{
	local pid status=0

	"$EBB" scan --json -i 1s -n 100000 "$HOLDER" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	caught_term "$pid"
	stop_holder
	wait "$pid" || status=$?
	tap_equal "$status" 3 "the process exits: exit status"
	says "the process exits" "has exited"
	tap_equal "$(json 'd["complete"]')" False "the process exits: a document is printed"
}

need_module
start_holder $HOT $COLD
check_figures
check_ages
check_text
check_all
check_signal
check_exit
tap_end
