#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loads and unloads the module ROUNDS times (default 200) while other tasks open, read, write and list
# its files and use its genetlink family. Run it in a machine whose emulator has one thread
# (--tcg single): patching code that another thread runs is beyond the emulator.

. selftests/lib/tap.sh
. selftests/lib/log.sh
. selftests/lib/load.sh

ROUNDS=${ROUNDS:-200}
FIRST=$((ROUNDS / 4))	# rounds before memory is looked at for the first time
FAILED_LOADS=0 FAILED_UNLOADS=0 NOT_THERE=0 NOT_GONE=0 STILL_LISTED=0 BUSY=0

# An unload may meet a file or a dump of the load and give up after a while, like that of any module
# in use; it is asked for again.
unload()
{
	local tries=20

	until modprobe -r ebb 2>/dev/null; do
		BUSY=$((BUSY + 1))
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
	done
}

is_listed()
{
	local modules

	modules=$(</proc/modules)
	[[ $'\n'$modules == *$'\n'ebb\ * ]]
}

one_round()
{
	modprobe ebb || FAILED_LOADS=$((FAILED_LOADS + 1))
	entries_show || NOT_THERE=$((NOT_THERE + 1))
	unload || FAILED_UNLOADS=$((FAILED_UNLOADS + 1))
	entries_gone || NOT_GONE=$((NOT_GONE + 1))
	! is_listed || STILL_LISTED=$((STILL_LISTED + 1))
}

# rounds FIRST LAST: under load
rounds()
{
	local i

	load_start
	for ((i = $1; i <= $2; i++)); do
		one_round
	done
	load_stop
}

# slab_objects: objects in each general cache; caches trimmed first
slab_objects()
{
	local cache

	sync
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/kmalloc-[0-9]*; do
		echo 1 >"$cache/shrink"
		echo "$(basename "$cache") $(cut -d' ' -f1 "$cache/objects")"
	done
}

# grown BEFORE AFTER ROUNDS: the caches that have an object more for each round, at least. Of small
# objects the kernel's own account varies by some pages full: more than 400 of kmalloc-8 and 100 of
# kmalloc-96 were seen to come and go on an idle machine; of 256 bytes and more, less than 20.
grown()
{
	join <(sort <<<"$1") <(sort <<<"$2") | awk -v rounds="$3" '{
		size = substr($1, length("kmalloc-") + 1)
		bytes = size ~ /k$/ ? size * 1024 : size + 0
		noise = 30 > 65536 / bytes ? 30 : 65536 / bytes
		if ($3 - $2 >= (rounds > noise ? rounds : noise))
			print $1 " by " $3 - $2
	}'
}

# Where the kernel has kmemleak (and KASAN, which keeps freed objects for a while) it knows better.
check_memory()
{
	local file=/sys/kernel/debug/kmemleak

	if [ -e $file ]; then
		sleep 6 # it wants objects to be some seconds old
		echo scan >$file
		tap_equal "$(cat $file)" "" "leaks that the kernel knows of"
	else
		tap_equal "$(grown "$BEFORE" "$AFTER" $((ROUNDS - FIRST)))" "" \
			"caches of the slab that grew with the rounds"
	fi
}

if ! modprobe ebb || ! unload; then
	tap_bail "the module cannot be loaded and unloaded at all"
fi
log_mark "loop begins"
rounds 1 "$FIRST"
BEFORE=$(slab_objects)
rounds $((FIRST + 1)) "$ROUNDS"
AFTER=$(slab_objects)

tap_equal $FAILED_LOADS 0 "failed loads in $ROUNDS rounds"
tap_equal $FAILED_UNLOADS 0 "failed unloads"
tap_note "unloads that found the module in use and were repeated: $BUSY"
tap_equal $NOT_THERE 0 "rounds without the entries while loaded"
tap_equal $NOT_GONE 0 "rounds with an entry left after the unload"
tap_equal $STILL_LISTED 0 "rounds with the module in /proc/modules after the unload"
tap_equal "$(grep -c '^ebb' /proc/slabinfo)" 0 "slab caches left"
tap_equal "$(grep -c '\[ebb\]' /proc/kallsyms)" 0 "symbols left"
tap_equal "$(find /sys/module/ebb 2>/dev/null)" "" "folders left in sysfs"
check_memory
tap_equal "$(log_since "loop begins")" "" "lines in the kernel log"
tap_end
