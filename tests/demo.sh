#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `make run`: does the main job get to its summary, with each figure? scripts/demo itself fails on
# a figure that was not obtained.

set -uo pipefail

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
# shellcheck source=selftests/lib/tap.sh
. selftests/lib/tap.sh
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# summary_has PATTERN NAME: one result
summary_has()
{
	sed -n '/^== Summary/,$p' "$out" | grep -qE "$1"
	tap_ok $? "$2"
}

scripts/demo >"$out" 2>&1 </dev/null
tap_ok $? "the main job is done" || tap_note "$(cat "$out")"
summary_has '^resident memory +[0-9]+ MiB before, [0-9]+ MiB after' "resident memory shrank"
summary_has '^hot keys +[0-9]+ requests/s before, [0-9]+ after' \
	"the keys in use were asked for before and after"
summary_has '^faults that came back +[0-9]+ major, .*all values right' \
	"faults came back, and all values"
summary_has '^latency of these +half within [0-9]+ us' "their latency is known"
summary_has '^taken by +[A-Za-z_]+ ' "a function of Redis took them"
tap_end
