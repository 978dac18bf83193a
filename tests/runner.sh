#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the readers of TAP, scripts/tap.awk and selftests/run: that whatever is not a success is
# told as a failure.

set -uo pipefail

TREE=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
NUMBER=0 FAILED=0
cd "$TREE" || exit 1

# equal NAME FOUND EXPECTED
equal()
{
	NUMBER=$((NUMBER + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $NUMBER - $1"
		return
	fi
	FAILED=$((FAILED + 1))
	echo "not ok $NUMBER - $1"
	printf 'found: %s\nexpected: %s\n' "$2" "$3" | sed 's/^/# /'
}

# sums NAME EXPECTED TAP
sums()
{
	equal "$1" "$(printf '%b' "$3" | awk -f scripts/tap.awk -v mode=sum)" "$2"
}

test_sums()
{
	sums "a plan first" "2 0 0 " "TAP version 13\n1..2\nok 1 a\nok 2 b\n"
	sums "a plan last" "1 1 0 " "ok 1 - a\nnot ok 2 - b\n1..2\n"
	sums "skips are no passes" "1 0 1 " "1..2\nok 1 a # SKIP no zram\nok 2 b\n"
	sums "a failure that says skip is a failure" "0 1 0 " "1..1\nnot ok 1 a # SKIP no\n"
	sums "text and nested results do not count" "1 0 0 " "1..1\n    ok 1 x\nokay\nok 1 a\n# ok 2\n"
	sums "no plan" "1 0 0 no plan: it ended early or prints no TAP" "ok 1 a\n"
	sums "nothing at all" "0 0 0 no plan: it ended early or prints no TAP" ""
	sums "too few results" "1 0 0 planned 2 results, gave 1" "1..2\nok 1 a\n"
	sums "too many results" "2 0 0 planned 1 results, gave 2" "1..1\nok 1 a\nok 2 b\n"
	sums "an empty plan is no success" "0 0 0 no results" "1..0\n"
	sums "bail out" "1 0 0 bailed out" "1..1\nok 1 a\nBail out! no swap\n"
}

# script NAME LINE...: a test of the folder "sample"
script()
{
	local file=$WORK/selftests/sample/$1

	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$file"
	chmod +x "$file"
}

# sample TEST: results of a run in a tree with nothing but sample tests, and the exit status
sample()
{
	echo "$1" >"$WORK/selftests/sample/tests"
	"$WORK/selftests/run" sample 2>/dev/null | grep -E '^(not )?ok|^1\.\.' | tr '\n' ';'
	echo "${PIPESTATUS[0]}"
}

test_run()
{
	mkdir -p "$WORK/selftests/sample" "$WORK/scripts"
	cp selftests/run "$WORK/selftests/"
	cp scripts/tap.awk "$WORK/scripts/"
	script good 'echo "1..2"' 'echo "ok 1 - a"' 'echo "ok 2 - b"'
	equal "results get their test's name" "$(sample good)" \
		"ok 1 sample/good: a;ok 2 sample/good: b;1..2;0"
	script bad 'echo "1..1"' 'echo "not ok 1 - a"'
	equal "a failed result fails the run" "$(sample bad)" "not ok 1 sample/bad: a;1..1;1"
	script dies 'echo "1..1"' 'echo "ok 1 - a"' 'kill -9 $$'
	equal "a test that dies has failed" "$(sample dies)" \
		"ok 1 sample/dies: a;not ok 2 sample/dies: ended with status 137;1..2;1"
	script early 'echo "1..2"' 'echo "ok 1 - a"'
	equal "a test that ends early has failed" "$(sample early)" \
		"ok 1 sample/early: a;not ok 2 sample/early: planned 2 results, gave 1 (status 0);1..2;1"
	script plain 'exit $1'
	equal "exit status 0 alone is a pass" "$(sample 'plain 0')" "ok 1 sample/plain;1..1;0"
	equal "another one is a failure" "$(sample 'plain 3')" \
		"not ok 1 sample/plain: ended with status 3;1..1;1"
	script skips 'echo "SKIP: no zram"' 'exit 4'
	equal "status 4 is a skip with its reason" "$(sample skips)" \
		"ok 1 sample/skips # SKIP no zram;1..1;0"
	equal "a test that is not there has failed" "$(sample absent)" \
		"not ok 1 sample/absent: not built;1..1;1"
}

echo "TAP version 13"
test_sums
test_run
echo "1..$NUMBER"
[ "$FAILED" -eq 0 ]
