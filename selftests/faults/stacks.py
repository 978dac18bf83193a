#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The user stack of a fault names the function that touched the page, however the program was built,
and says honestly where it leads no further."""

import os
import subprocess
import sys
import tempfile

from common import EBB, LONG, PROGRAMS, Program, Tap, Watch, make_swap

PAGES = 200
FUNCTIONS = ("touch_global", "touch_static", "touch_in_library")
TABLES, POINTERS = "frame tables", "frame pointers"

tap = Tap()
folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with


def pages_source():
    """Anonymous memory where there is swap, else a file."""
    if make_swap():
        return "anon"
    path = os.path.join(folder.name, "pages")
    with open(path, "wb") as file:
        file.write(os.urandom(PAGES * 4096))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


def run(variant, *args):
    """(what the program says the kernel counted by function, ebb's document)."""
    program = Program(f"{PROGRAMS}/touch-{variant}", pages_source(), str(PAGES))
    program.wait_for("ready")
    watch = Watch(program.pid, "1s", "--stacks", "1000", *args)
    watch.wait_interval()
    program.say()
    lines = [line.split() for line in program.wait_for("done")]
    counted = {line[0]: (int(line[2]), int(line[3])) for line in lines if len(line) == 4}
    program.end_input()
    program.wait_zombie()
    code, doc = watch.finish()
    tap.equal(code, 0, f"{' '.join((variant, *args))}: exit code 0")
    program.kill()
    watch.kill()
    return counted, doc


def name_of(frame):
    return frame.split("+")[0]


def check_function(text, variant, function, counted, doc, wanted):
    file = f"libtouch-{variant}.so" if function == "touch_in_library" else f"touch-{variant}"
    mine = [s for s in doc["stacks"] if s["user"] and name_of(s["user"][0]) == function]
    major, minor = counted[function]
    tap.ok(major >= PAGES / 2, f"{text}: {function} took major faults", counted)
    # the first call through the linker's table may fault before the function runs
    tap.ok(major - 2 <= sum(s["major"] for s in mine) <= major and
           sum(s["count"] for s in mine) <= major + minor,
           f"{text}: its stacks count what the kernel counted", counted, doc["stacks"])
    tap.ok(all(s["user"][0].endswith(f" ({file})") for s in mine),
           f"{text}: {function} is said to be of {file}", mine)
    if wanted:
        tap.ok(mine and all(s["how"] == wanted and "main" in map(name_of, s["user"]) and
                            "call_outer" in map(name_of, s["user"]) for s in mine),
               f"{text}: {function} was called by call_outer and main, by {wanted}", mine)
    else:
        tap.ok(mine and all(s["how"].startswith("[no frame pointers") and len(s["user"]) == 1
                            for s in mine),
               f"{text}: {function} stands alone, and it is said why", mine)


def check(variant, wanted, *args):
    text = " ".join((variant, *args))
    counted, doc = run(variant, *args)
    tap.ok(not any(doc["lost"][k] for k in ("ring_full", "unpaired", "no_user_stack")),
           f"{text}: nothing was lost", doc["lost"])
    if not tap.equal(sorted(counted), sorted(FUNCTIONS), f"{text}: all functions ran"):
        return
    for function in FUNCTIONS:
        check_function(text, variant, function, counted, doc, wanted)
    if doc["knows_latency"]:
        tap.ok(all(sum(doc["latency"][k]["log2_ns"]) == doc["latency"][k]["count"]
                   for k in ("major", "minor")),
               f"{text}: each fault has a latency", doc["latency"])
        tap.ok(all(s["ns"] > 0 and s["kernel"] for s in doc["stacks"]),
               f"{text}: each stack has a time and the kernel's part", doc["stacks"])
    else:
        tap.ok(doc["latency"]["major"]["log2_ns"] is None,
               f"{text}: latency is said to be unknown", doc["latency"])


def check_addresses():
    """--events: every page exactly once, in order, by its address."""
    program = Program(f"{PROGRAMS}/touch-tables", pages_source(), str(PAGES))
    program.wait_for("ready")
    with tempfile.TemporaryFile("w+", dir=folder.name) as out:
        # pylint: disable=consider-using-with
        ebb = subprocess.Popen([EBB, "faults", "-p", str(program.pid), "-e", "--stacks", "0",
                                "100ms"], stdout=out)
        while "all of" not in os.pread(out.fileno(), 65536, 0).decode():
            if ebb.poll() is not None:
                raise RuntimeError("ebb ended")
        program.say()
        start = int([line.split()[1] for line in program.wait_for("done")
                     if line.startswith("touch_global")][0], 16)
        program.end_input()
        program.wait_zombie()
        tap.equal(ebb.wait(LONG), 0, "--events: exit code 0")
        out.seek(0)
        lines = [line.split() for line in out if " touch_global+" in line]
    program.kill()
    pages = [int(line[4], 16) - start for line in lines if line[2] == "major"]
    inside = [page for page in pages if 0 <= page < PAGES * 4096]
    tap.ok(len(inside) >= PAGES - 2 and inside == sorted(set(inside)) and
           all(page % 4096 == 0 for page in inside),
           "--events: the address of each page that touch_global touched, in order", lines[:20])


def sources():
    """Those that this kernel takes, the preferred one first."""
    works = []
    for source in ("fentry", "kprobe", "perf"):
        done = subprocess.run([EBB, "faults", "-p", str(os.getpid()), "--source", source,
                               "--json", "1ms", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            works.append(source)
        else:
            print(f"# {source}: {done.stderr.strip()}")
            tap.ok(done.returncode == 2 and source in done.stderr,
                   f"{source} is refused with a reason", done.returncode, done.stderr)
    return works


works = sources()
if "EBB_VM" in os.environ:
    tap.equal(works, ["fentry", "kprobe", "perf"], "every source works on a stock kernel")
else:
    tap.ok(works, "a source works here", works)
for name in works:
    check("tables", TABLES, "--source", name)
check("fp", TABLES)
check("fp", POINTERS, "--stack-bytes", "0")
check("tables", None, "--stack-bytes", "0")
check("bare", None)
check_addresses()
folder.cleanup()
sys.stdout.flush()
tap.end()
