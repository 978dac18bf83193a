#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every verb has a man page, and the page and --help name the same options and exit codes.

set -uo pipefail

TREE=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cd "$TREE" || exit 1
# shellcheck source=selftests/lib/tap.sh
. selftests/lib/tap.sh
EBB=build/user/ebb
PAGES=build/doc

verbs()
{
	"$EBB" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

# options of a help text: --interval, -i; "Mandatory or optional arguments ..." is none of them
help_options()
{
	"$EBB" "$1" --help | sed -n 's/^ *\(-[^ ].*\)$/\1/p' | sed 's/   .*//' |
		grep -oE -- '(^|[ ,])--?[a-zA-Z?][a-z-]*' | tr -d ' ,' | sort -u
}

# options of a page: the lines of section OPTIONS that name some
page_options()
{
	sed -n '/^# OPTIONS/,/^# EXIT/s/^\(\*-.*\)$/\1/p' "Documentation/man/ebb-$1.1.scd" |
		grep -oE -- '\*--?[a-zA-Z?][a-z-]*' | tr -d '*' | sort -u
}

check_verb()
{
	tap_equal "$(page_options "$1" | xargs)" "$(help_options "$1" | xargs)" "$1: options"
	"$EBB" "$1" --help | grep -q '^Examples:'
	tap_ok $? "$1: --help gives examples"
	"$EBB" "$1" --help | tr -s ' \n' ' ' | grep -q 'Exit codes: 0 '
	tap_ok $? "$1: --help tells the exit codes"
	"$EBB" help "$1" | diff -q - <("$EBB" "$1" --help) >/dev/null
	tap_ok $? "$1: 'help $1' is the same"
	grep -q "ebb-$1\*(1)" Documentation/man/ebb.1.scd
	tap_ok $? "$1: ebb(1) names its page"
}

[ -n "$(verbs)" ]
tap_ok $? "ebb --help lists verbs"
for verb in $(verbs); do
	[ -s "$PAGES/ebb-$verb.1" ]
	tap_ok $? "$verb: has a man page"
	[ ! -s "$PAGES/ebb-$verb.1" ] || check_verb "$verb"
done
for page in "$PAGES"/*.1; do
	found=$(mandoc -Tlint -W error "$page" 2>&1)
	tap_equal "$found" "" "mandoc finds no error in ${page##*/}"
	name=$(basename "$page" .1)
	[ "$name" = ebb ] || verbs | grep -qx "${name#ebb-}"
	tap_ok $? "$name: is the page of a verb"
done
tap_end
