#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Counts of `ebb faults` against ps and /proc: of each live thread while the process is stopped,
and of live and exited threads together at its end."""

import os
import time

from common import LONG, PROGRAMS, Program, Tap, Watch

tap = Tap()


def compare_stopped(program, watch, text):
    """Nothing runs: all figures must be the same, thread by thread."""
    program.stop()
    seen = watch.wait_interval(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    wanted = {tid: (minor, major) for tid, (_, minor, major) in program.threads().items()}
    got = {t["tid"]: (t["minor"], t["major"]) for t in seen["threads"] if t["alive"]}
    tap.equal(got, wanted, f"{text}: each live thread as /proc/PID/task/TID/stat says")
    tap.equal((seen["minor"], seen["major"]), program.ps(), f"{text}: the sum as ps says")
    tap.equal((seen["exited_minor"] + sum(minor for minor, _ in wanted.values()),
               seen["exited_major"] + sum(major for _, major in wanted.values())),
              program.ps(), f"{text}: live and exited threads make the sum")
    program.go_on()


def check_order(intervals, text):
    sums = [(i["minor"], i["major"]) for i in intervals]
    tap.ok(all(a[0] <= b[0] and a[1] <= b[1] for a, b in zip(sums, sums[1:])),
           f"{text}: sums never go down", sums)


def check_end(program, watch, text, full):
    """The zombie's figures are the last ones; it is reaped after ebb has looked."""
    code, doc = watch.finish()
    tap.equal(code, 0, f"{text}: ebb ends with the process, exit code 0")
    tap.equal((doc["sums"]["minor"], doc["sums"]["major"]), program.ps(),
              f"{text}: live and exited threads at the end as ps says")
    tap.ok(doc["sums"]["final"] and doc["ended"], f"{text}: said to be final")
    check_order(doc["intervals"], text)
    if full and doc["source"] != "perf":
        first = doc["intervals"][0]
        begun = (first["minor"] - first["d_minor"], first["major"] - first["d_major"])
        events = (doc["latency"]["minor"]["count"], doc["latency"]["major"]["count"])
        tap.equal((begun[0] + events[0], begun[1] + events[1]), program.ps(),
                  f"{text}: each fault since the begin was an event ({doc['source']})")


def short_threads(*args):
    """1,000 threads that end, and 20 that stay."""
    text = " ".join(("1,000 short-lived threads", *args))
    program = Program(f"{PROGRAMS}/threads", "1000", "20")
    program.wait_for("ready")
    watch = Watch(program.pid, "200ms", *args)
    watch.wait_interval()
    program.say()
    program.wait_for("done")
    compare_stopped(program, watch, text)
    program.end_input()
    program.wait_zombie()
    check_end(program, watch, text, not args)
    program.kill()
    watch.kill()


def stop_in_the_middle():
    """Stopped while threads come and go."""
    program = Program(f"{PROGRAMS}/threads", "4000", "5")
    program.wait_for("ready")
    watch = Watch(program.pid, "100ms", "--counts")
    watch.wait_interval()
    program.say()
    for i in range(5):
        compare_stopped(program, watch, f"stopped in the middle, {i + 1} of 5")
    program.end_input()
    program.wait_zombie()
    check_end(program, watch, "stopped in the middle", False)
    program.kill()
    watch.kill()


def reaped_at_once():
    """No zombie is left to look at: the parent waits before ebb can."""
    program = Program(f"{PROGRAMS}/threads", "300", "5")
    program.wait_for("ready")
    watch = Watch(program.pid, "1s", "--counts")
    watch.wait_interval()
    program.say()
    program.wait_for("done")
    program.end_input()
    _, status, usage = os.wait4(program.pid, 0)
    program.process.returncode = status
    code, doc = watch.finish()
    tap.equal(code, 0, "reaped at once: exit code 0")
    tap.equal((doc["sums"]["minor"], doc["sums"]["major"]), (usage.ru_minflt, usage.ru_majflt),
              "reaped at once: the sum as wait4() tells it")
    watch.kill()


def stressapptest():
    """Real threads under load: stopped twice, then ended."""
    program = Program("stressapptest", "-M", "64", "-m", "2", "-i", "2", "-s", "3600",
                      stderr=-3)
    watch = Watch(program.pid, "500ms")
    watch.wait_interval()
    end = time.monotonic() + LONG
    while len(program.threads()) < 5 and time.monotonic() < end:
        time.sleep(0.1)
    tap.ok(len(program.threads()) >= 5, "stressapptest runs its threads", program.threads())
    for i in range(2):
        compare_stopped(program, watch, f"stressapptest, {i + 1} of 2")
        watch.wait_interval(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    os.kill(program.pid, 15)
    program.process.stdout.close()
    program.wait_zombie()
    check_end(program, watch, "stressapptest", False)
    program.kill()
    watch.kill()


short_threads()
short_threads("--counts")
stop_in_the_middle()
reaped_at_once()
stressapptest()
tap.end()
