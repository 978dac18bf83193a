#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Wrong usage, wrong targets, missing privilege, no module: said clearly, with the right exit status.

set -uo pipefail
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh

check_frame()
{
	run 0 "--help" --help
	run 0 "--version" --version
	grep -q '^ebb [0-9]' "$WORK/out"
	tap_ok $? "--version tells it"
	run 1 "no verb"
	run 1 "unknown verb" nonsense
	says "unknown verb" "no verb 'nonsense'"
	run 1 "help of an unknown verb" help nonsense
	run 0 "help of a verb" help scan
}

check_options()
{
	local verb

	for verb in scan reclaim report; do
		run 1 "$verb without a process" "$verb"
		run 1 "$verb with two" "$verb" 1 2
		run 1 "$verb with an unknown option" "$verb" --nonsense 1
		run 1 "$verb with a bad time" "$verb" --interval 1x 1
		says "$verb with a bad time" "the unit is not one of"
		run 1 "$verb with an empty name" "$verb" ''
		run 1 "$verb with a huge id" "$verb" 99999999999999999999
	done
	run 1 "scan --count 1" scan --count 1 1
	run 1 "reclaim --limit 0" reclaim --limit 0 1
	run 1 "reclaim --limit 1" reclaim --limit 1 1
	run 1 "reclaim --idle 0" reclaim --idle 0 1
	run 1 "doctor with a process" doctor 1
}

check_targets()
{
	local verb first second twin

	sleep 100 & first=$!
	kill -9 "$first"
	wait "$first" 2>/dev/null
	for verb in scan reclaim report; do
		run 2 "$verb of no process" "$verb" "$first"
		says "$verb of no process" "no process has the id $first"
		run 2 "$verb of an unknown name" "$verb" no-such-name
		says "$verb of an unknown name" "no process is called 'no-such-name'"
	done
	twin="$WORK/twin s)"
	cp "$(command -v sleep)" "$twin"
	"$twin" 1000 & first=$!
	"$twin" 1000 & second=$!
	wait_for_exec "$first"
	wait_for_exec "$second"
	run 1 "an ambiguous name" scan 'twin s)'
	says "an ambiguous name" "2 processes are called"
	says "an ambiguous name" " $first "
	says "an ambiguous name" " $second "
	kill "$second"
	wait "$second" 2>/dev/null
	run 0 "a strange name of one process" scan 'twin s)'
	run 2 "a kernel thread" scan 2
	kill "$first"
	wait "$first" 2>/dev/null
}

# wait_for_exec PID: until it runs the twin
wait_for_exec()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		[ "$(cat "/proc/$1/comm")" != 'twin s)' ] || return 0
		sleep 0.1
	done
	tap_bail "process $1 did not exec"
}

check_privilege()
{
	local verb status

	for verb in "scan 1" "reclaim 1" "report 1"; do
		status=0
		# shellcheck disable=SC2086
		setpriv --reuid=65534 --regid=65534 --clear-groups "$EBB" $verb \
			>"$WORK/out" 2>"$WORK/err" || status=$?
		tap_equal "$status" 2 "${verb% *} without privilege"
		says "${verb% *} without privilege" "root"
	done
}

check_without_module()
{
	drop_module
	run 2 "scan without the module" scan 1
	says "scan without the module" "modprobe ebb"
	run 2 "reclaim without the module" reclaim 1
	says "reclaim without the module" "modprobe ebb"
	run 2 "doctor without the module" doctor
	grep -q 'MISSING.*modprobe ebb' "$WORK/out"
	tap_ok $? "doctor without the module tells what to do"
	run 2 "doctor --json without the module" doctor --json
	tap_equal "$(json 'd["possible"]')" False "doctor --json without the module"
	run 3 "report without the module" report --json -i 100ms -n 3 $$
	tap_equal "$(json 'd["memory"] is None and d["faults"]["minor"] > 0')" True \
		"report without the module tells the faults"
	need_module
}

need_module
check_frame
check_options
check_targets
check_privilege
check_without_module
tap_end
