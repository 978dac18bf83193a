#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is every test that Documentation/etmem.rst names among the results of both kernels? Runs last:
it reads the results that the other steps have left."""

import os
import re
import sys

TREE = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
sys.path.insert(0, os.path.join(TREE, "selftests/lib"))
from tap import Tap  # noqa: E402

TABLE = os.path.join(TREE, "Documentation/etmem.rst")
KERNELS = "6.1", "6.12"
STEPS = "scan", "reclaim", "module", "guest"


def results(step):
    """The texts of the tests of STEP that passed; none when its last run has not ended well."""
    path = os.path.join(TREE, f"build/test/{step}")
    if not os.path.exists(f"{path}.status") or not open(f"{path}.status").read().startswith("0 "):
        return []
    with open(f"{path}.log", encoding="utf-8", errors="replace") as log:
        return [m[1] for m in (re.match(r"ok \d+ (?:- )?(.*)", line) for line in log) if m]


def named():
    """The tests that the table names, each once."""
    with open(TABLE, encoding="utf-8") as table:
        text = table.read()
    return list(dict.fromkeys(re.findall(r"``(\w+/\w+(?:\.\w+)?: [^`]*)``", text)))


def main():
    tap = Tap()
    units = results("unit")
    for kernel in KERNELS:
        passed = units + [t for step in STEPS for t in results(f"{step}-{kernel}")]
        missing = [n for n in named() if not any(t.startswith(n) for t in passed)]
        tap.ok(not missing, f"{kernel}: the {len(named())} tests that etmem.rst names passed",
               *missing)
    rows = open(TABLE, encoding="utf-8").read().count("   * - ")
    tap.ok(len(named()) > rows * 3 // 4, f"most of {rows} rows name a test of their own")
    tap.end()


main()
