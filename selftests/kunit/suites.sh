#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the KUnit suites of kmod/tests, by loading them, and gives each case's result. They are read
# from the kernel log: what debugfs keeps of a suite is cut after 512 bytes.

. selftests/lib/tap.sh

MARK="ebb selftest: suites begin"
LOG=/tmp/ebb.kunit

# block SUITE: its lines of the log
block()
{
	awk -v name="$1" '$0 == "    # Subtest: " name { found = 1 }
		found
		found && $0 ~ "^(not )?ok [0-9]+ (- )?" name "$" { exit }' $LOG
}

# result STATUS NAME [WHY SKIPPED]
result()
{
	if [ -n "$3" ]; then
		tap_skip "$2" "$3"
	else
		tap_ok "$1" "$2"
	fi
}

# suite NAME: its results, and what it said when one failed
suite()
{
	local lines line number=0 planned failed=$TAP_FAILED name why

	lines=$(block "$1")
	planned=$(sed -nE 's/^    1\.\.([0-9]+)$/\1/p' <<<"$lines")
	while read -r line; do
		name=$(sed -E 's/^(not )?ok [0-9]+ (- )?//; s/ *# SKIP.*//' <<<"$line")
		why=$(sed -nE 's/.*# SKIP *//p' <<<"$line")
		[[ $line != not* ]]
		result $? "$1: $name" "$why"
		number=$((number + 1))
	done < <(grep -E '^    (not )?ok [0-9]+ ' <<<"$lines")
	tap_equal $number "${planned:-some}" "$1: cases"
	[ "$failed" -eq "$TAP_FAILED" ] || tap_note "$lines"
}

if [ ! -d /sys/kernel/debug/kunit ]; then
	echo "SKIP: needs a kernel with CONFIG_KUNIT_DEBUGFS (scripts/vm --kernel debug)"
	exit 4
fi
echo "$MARK" >/dev/kmsg
modprobe ebb_kunit || tap_bail "the suites cannot be loaded"
dmesg --notime | sed "1,/$MARK/d" >$LOG
for file in kmod/tests/*_test.c; do
	suite "ebb_$(basename "$file" _test.c)"
done
tap_equal "$(grep -c '^    # Subtest: ebb_' $LOG)" "$(find kmod/tests -name '*_test.c' | wc -l)" \
	"suites, one for each file"
modprobe -r ebb_kunit
tap_ok $? "the suites can be unloaded"
rm $LOG
tap_end
