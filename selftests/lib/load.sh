# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A second mount of proc, and tasks that use the module's files and its genetlink family in loops, for
# selftests in shell: . selftests/lib/load.sh (after tap.sh)

LOAD_PROC=/tmp/ebb.proc
LOAD_OUT=/tmp/ebb.load
LOAD_PID=

# second_proc: mount proc at $LOAD_PROC; no_second_proc: unmount it
second_proc()
{
	mkdir -p "$LOAD_PROC"
	mount -t proc proc "$LOAD_PROC" || tap_bail "cannot mount proc"
}

no_second_proc()
{
	umount "$LOAD_PROC" && rmdir "$LOAD_PROC"
}

# load_start: mount proc at $LOAD_PROC, start the tasks
load_start()
{
	second_proc
	build/selftests/load/hammer /proc "$LOAD_PROC" >"$LOAD_OUT" 2>&1 &
	LOAD_PID=$!
	until grep -q ready "$LOAD_OUT"; do
		kill -0 "$LOAD_PID" 2>/dev/null || tap_bail "no load: $(cat "$LOAD_OUT")"
		sleep 0.1
	done
}

# load_stop: end the tasks; results: each thing has been done while the module was there, nothing
# failed in a way it must not
load_stop()
{
	local name number

	kill -TERM "$LOAD_PID"
	wait "$LOAD_PID"
	tap_ok $? "the load met no unexpected error"
	tap_note "$(cat "$LOAD_OUT")"
	while read -r name number; do
		[ "$number" -gt 0 ]
		tap_ok $? "the load's $name succeeded while the module was there"
	done < <(grep '^opens' "$LOAD_OUT" | sed 's/ unexpected.*//' | xargs -n 2)
	no_second_proc
	rm "$LOAD_OUT"
}

# entries_show: 0 when both mounts of proc have both entries; entries_gone: when none has any
entries_show()
{
	[ -e /proc/$$/idle_pages ] && [ -e /proc/$$/swap_pages ] &&
		[ -e "$LOAD_PROC/$$/idle_pages" ] && [ -e "$LOAD_PROC/$$/swap_pages" ]
}

entries_gone()
{
	[ ! -e /proc/$$/idle_pages ] && [ ! -e /proc/$$/swap_pages ] &&
		[ ! -e "$LOAD_PROC/$$/idle_pages" ] && [ ! -e "$LOAD_PROC/$$/swap_pages" ]
}
