# SPDX-License-Identifier: GPL-2.0
"""Results of a test in TAP, the test anything protocol."""

import sys


class Tap:
    """Results, one after the other; the plan comes last."""

    def __init__(self):
        self.number = self.failed = 0

    def ok(self, good, text, *why):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} {text}", flush=True)
        if not good:
            for line in "\n".join(str(w) for w in why).splitlines()[-60:]:
                print(f"# {line}", flush=True)
        return good

    def equal(self, got, wanted, text):
        return self.ok(got == wanted, text, f"got    {got}", f"wanted {wanted}")

    def skip(self, text, why):
        self.number += 1
        print(f"ok {self.number} {text} # SKIP {why}", flush=True)

    def end(self):
        print(f"1..{self.number}", flush=True)
        sys.exit(1 if self.failed else 0)
