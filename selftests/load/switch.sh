#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The parameter that switches the proc entries on and off, alone and under load; and unloading while
# a file is open. TOGGLES: how often under load (default 40). Run it with --tcg single, see loop.sh.

. selftests/lib/tap.sh
. selftests/lib/log.sh
. selftests/lib/load.sh

TOGGLES=${TOGGLES:-40}
PARAM=/sys/module/ebb/parameters/proc
REFS=/sys/module/ebb/refcnt

switch()
{
	echo "$1" >$PARAM
}

test_off_at_load()
{
	modprobe ebb proc=0 || tap_bail "the module cannot be loaded"
	tap_equal "$(cat $PARAM)" N "parameter after loading with proc=0"
	entries_gone
	tap_ok $? "no entries with proc=0"
	tap_equal "$(cat $REFS)" 0 "references with the entries off"
	switch 1
	tap_ok $? "they can be switched on"
	entries_show
	tap_ok $? "and are there"
	tap_equal "$(cat $REFS)" 1 "references with the entries on"
	rmmod ebb 2>/dev/null
	tap_equal $? 1 "exit status of a bare rmmod while they are on"
	modprobe -r ebb
	tap_ok $? "modprobe -r unloads it"
}

test_parameter()
{
	modprobe ebb
	tap_equal "$(cat $PARAM)" Y "parameter by default"
	echo 1 >$PARAM
	tap_equal "$(cat $REFS)" 1 "references after switching on what is on"
	echo 0 >$PARAM
	echo 0 >$PARAM
	tap_equal "$(cat $REFS)" 0 "references after switching off twice"
	(switch maybe) 2>/dev/null
	tap_equal $? 1 "exit status of writing what is neither yes nor no"
	entries_gone
	tap_ok $? "the entries are still off"
	rmmod ebb
	tap_ok $? "a bare rmmod unloads it while they are off"
}

# told_of_5 ADDRESS: bytes that a read of descriptor 5 gives there
told_of_5()
{
	python3 -c 'import os, sys; print(len(os.pread(5, 4096, int(sys.argv[1], 16))))' "$1"
}

# A file that is open outlives the entries, and keeps the module.
test_open_file()
{
	local heap

	heap=$(awk '/\[heap\]/ { sub(/-.*/, ""); print }' /proc/$$/maps)
	modprobe ebb
	exec 5</proc/$$/idle_pages
	[ "$(told_of_5 "$heap")" -gt 9 ]
	tap_ok $? "an open file tells of the heap"
	echo 0 >$PARAM
	entries_gone
	tap_ok $? "the entries go while a file is open"
	tap_equal "$(cat $REFS)" 1 "references of an open file"
	[ "$(told_of_5 "$heap")" -gt 9 ]
	tap_ok $? "the file still does"
	rmmod ebb 2>/dev/null
	tap_equal $? 1 "exit status of rmmod while it is open"
	echo 1 >$PARAM
	entries_show
	tap_ok $? "the entries come back beside it"
	modprobe -r ebb 2>/dev/null
	tap_equal $? 1 "exit status of modprobe -r while it is open"
	entries_show
	tap_ok $? "which leaves the entries on"
	exec 5<&-
	modprobe -r ebb
	tap_ok $? "once it is closed the module can go"
}

# Names cached before must not answer for the entries afterwards.
test_cached_names()
{
	local bad=0 i

	modprobe ebb
	exec 6</proc/$$ 7<"$LOAD_PROC/$$"
	for ((i = 0; i < 10; i++)); do
		echo 0 >$PARAM
		entries_gone || bad=$((bad + 1))
		echo 1 >$PARAM
		entries_show || bad=$((bad + 1))
		head -c 20 /proc/$$/idle_pages >/dev/null 2>&1 || bad=$((bad + 1))
		head -c 20 "$LOAD_PROC/$$/idle_pages" >/dev/null 2>&1 || bad=$((bad + 1))
	done
	exec 6<&- 7<&-
	tap_equal $bad 0 "wrong answers in 10 rounds of off and on"
	modprobe -r ebb
}

test_under_load()
{
	local wrong=0 i

	modprobe ebb
	for ((i = 0; i < TOGGLES; i++)); do
		echo 0 >$PARAM || wrong=$((wrong + 1))
		entries_gone || wrong=$((wrong + 1))
		echo 1 >$PARAM || wrong=$((wrong + 1))
		entries_show || wrong=$((wrong + 1))
	done
	tap_equal $wrong 0 "wrong answers in $TOGGLES rounds of off and on under load"
}

if ! modprobe ebb || ! modprobe -r ebb; then
	tap_bail "the module cannot be loaded and unloaded at all"
fi
log_mark "switch begins"
load_start
test_under_load
load_stop
modprobe -r ebb
tap_ok $? "the module can go after the load has ended"

second_proc
test_off_at_load
test_parameter
test_open_file
test_cached_names
no_second_proc
tap_equal "$(log_since "switch begins")" "" "lines in the kernel log"
tap_end
