# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Results in TAP, for selftests in shell: . selftests/lib/tap.sh
# Tests run as root in a virtual machine, in the tree's top folder.

TAP_NUMBER=0
TAP_FAILED=0

# tap_ok STATUS TEXT: a result; passed when STATUS is 0. Returns STATUS
tap_ok()
{
	TAP_NUMBER=$((TAP_NUMBER + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $TAP_NUMBER - $2"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_NUMBER - $2"
	fi
	return "$1"
}

# tap_equal FOUND EXPECTED TEXT
tap_equal()
{
	[ "$1" = "$2" ]
	tap_ok $? "$3: $2"
	[ "$1" = "$2" ] || tap_note "found: $1"
}

# tap_skip TEXT REASON
tap_skip()
{
	TAP_NUMBER=$((TAP_NUMBER + 1))
	echo "ok $TAP_NUMBER - $1 # SKIP $2"
}

# tap_note TEXT...: no result
tap_note()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# tap_bail REASON: nothing can be tested
tap_bail()
{
	echo "Bail out! $1"
	exit 1
}

# tap_end: the plan, and the exit status of the test
tap_end()
{
	echo "1..$TAP_NUMBER"
	[ "$TAP_FAILED" -eq 0 ]
	exit
}
