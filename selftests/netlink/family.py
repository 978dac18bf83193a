#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does the module do what its specification says? Talks to it by the specification alone, and
compares the policies that the kernel tells of the family with the specification's."""

import ctypes
import errno
import mmap
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
from client import DUMP, Family, Refused, unpack  # noqa: E402
from tap import Tap  # noqa: E402

PAGE = mmap.PAGESIZE
NR = 64
GETPOLICY = 10
# enum netlink_attribute_type
KERNEL_TYPES = {2: "u8", 3: "u16", 4: "u32", 5: "u64", 10: "binary", 11: "string", 13: "nest"}


class Target:
    """A process with NR pages of its own that it touches one by one when told to."""

    def __init__(self):
        self.area = mmap.mmap(-1, NR * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.area))
        self.order, self.answer = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(self.order[1])
            self.area[:] = b"x" * (NR * PAGE)
            self.serve(self.area)
        os.read(self.answer[0], 1)

    def serve(self, area):
        """Ends when the test closes the pipe."""
        os.write(self.answer[1], b"x")
        while (page := os.read(self.order[0], 1)):
            _ = area[page[0] * PAGE]
            os.write(self.answer[1], b"x")
        os._exit(0)

    def touch(self, *pages):
        for page in pages:
            os.write(self.order[1], bytes([page]))
            os.read(self.answer[0], 1)

    def stop(self):
        os.close(self.order[1])
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def scan(family, target, **more):
    """({kind: set of page numbers}, the statistics) of the target's pages."""
    replies = family.call("scan", pid=target.pid, start=target.start,
                          end=target.start + NR * PAGE, **more)
    kinds = next(d["entries"] for d in family.spec["definitions"] if d["name"] == "run-kind")
    pages = {}
    for run in (run for reply in replies for run in reply.get("runs", [])):
        first = (run["start"] - target.start) // PAGE
        pages.setdefault(kinds[run["kind"]]["name"], set()).update(
            range(first, first + (run["nr_pages"] << run["page_shift"]) // PAGE))
    return pages, replies[-1]["stats"]


def refusal(family, name, **values):
    """(errno's name, text) of a refused call."""
    try:
        family.call(name, **values)
    except Refused as err:
        return errno.errorcode[err.errno], err.strerror
    return "nothing refused", ""


def check_calls(tap, family):
    target = Target()
    caps = {c["name"]: c for c in family.call("caps")[0]["cap"]}
    tap.equal(caps["scan"]["available"], 1, "CAPS: scans are possible")
    tap.ok(all(c["available"] or c["reason"] for c in caps.values()), "CAPS: reasons are given")
    before = family.call("stats")[0]["stats"]["scans"]
    scan(family, target)
    target.touch(3, 4, 40)
    pages, stats = scan(family, target)
    tap.equal(pages.get("young"), {3, 4, 40}, "SCAN: the touched pages are young")
    tap.equal(pages.get("idle"), set(range(NR)) - {3, 4, 40}, "SCAN: the others are idle")
    tap.equal(stats["pages-young"], 3, "SCAN: statistics of the scan")
    after = family.call("stats")[0]
    tap.equal(after["stats"]["scans"] - before, 2, "STATS: scans are counted")
    tap.equal(len(after["lock-held"]), 40, "STATS: buckets of the lock's holds")
    outcomes = family.call("reclaim", pid=target.pid,
                           ranges=[(target.start, target.start + NR * PAGE)])[0]["outcomes"]
    asked = outcomes.pop("asked")
    tap.equal((asked, sum(outcomes.values())), (NR, NR), "RECLAIM: each page has one outcome")
    check_refusals(tap, family, target)
    target.stop()
    tap.equal(refusal(family, "reclaim", pid=target.pid, ranges=[(0, PAGE)])[0], "ESRCH",
              "RECLAIM: of an ended process")


def check_refusals(tap, family, target):
    for name, wanted, values in (
            ("reclaim", "EINVAL", {"pid": target.pid}),
            ("reclaim", "EINVAL", {"pid": target.pid, "ranges": [(PAGE, PAGE)]}),
            ("reclaim", "EINVAL", {"pid": target.pid, "ranges": [(0, PAGE)], "flags": 1 << 31}),
            ("reclaim", "EINVAL", {"ranges": [(0, PAGE)]}),
            ("caps", "EINVAL", {"pid": target.pid})):
        code, text = refusal(family, name, **values)
        tap.ok(code == wanted and text, f"{name} {sorted(values)}: {wanted} with a text: {text}",
               code)


def read_policies(family):
    """{command: {attribute: {property: value}}} as the kernel tells them."""
    index, policies = {}, {}
    for reply in family.ask(16, GETPOLICY, struct.pack("HHHH", 6, 1, family.id, 0), DUMP):
        for number, data in unpack(reply):
            if number == 9:  # CTRL_ATTR_OP_POLICY
                for command, which in unpack(data):
                    index[command] = {k: struct.unpack("I", v)[0] for k, v in unpack(which)}
            elif number == 8:  # CTRL_ATTR_POLICY
                for policy, attributes in unpack(data):
                    for attribute, properties in unpack(attributes):
                        policies.setdefault(policy, {})[attribute] = {
                            k: int.from_bytes(v, "little") for k, v in unpack(properties)}
    return {c: policies.get(next(iter(w.values())), {}) for c, w in index.items()}


def mask_of(family, name):
    """All flags of the command NAME."""
    flags = [d for d in family.spec["definitions"] if d["name"] == f"{name}-flag"]
    return (1 << len(flags[0]["entries"])) - 1 if flags else None


def check_policy(tap, family, operation, kernel):
    name = operation["name"]
    wanted = (operation.get("do") or operation["dump"])["request"]["attributes"]
    types = {a["name"]: a["type"] for a in family.sets["main"].values() if a["name"] in wanted}
    names = {n: a["name"] for n, a in family.sets["main"].items()}
    told = {names[n]: KERNEL_TYPES.get(p.get(1)) for n, p in kernel.items() if p.get(1)}
    tap.equal(told, types, f"{name}: the kernel takes what the specification says")
    for number, properties in kernel.items():
        if names[number] == "flags":
            tap.equal(properties.get(12), mask_of(family, name), f"{name}: the kernel's flags")


def main():
    tap, family = Tap(), Family()
    check_calls(tap, family)
    policies = read_policies(family)
    for number, operation in family.operations.items():
        check_policy(tap, family, operation, policies.get(number, {}))
    tap.equal(sorted(set(policies) - set(family.operations)), [], "no command but the specified")
    tap.end()


main()
