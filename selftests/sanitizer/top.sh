#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The screen of ebb top in the build with sanitizers: any finding is a wrong exit code.

export ASAN_OPTIONS=exitcode=99:detect_leaks=1 EBB="$PWD/build/san/ebb"
exec selftests/faults/top.py
