#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What `ebb faults` cannot keep up with is counted, and what it cannot do is refused."""

import os
import subprocess

from common import EBB, PROGRAMS, Program, Tap, Watch

tap = Tap()


def tiny_ring():
    """One page of ring for thousands of faults: the counts are right all the same."""
    program = Program(f"{PROGRAMS}/threads", "2000", "2")
    program.wait_for("ready")
    watch = Watch(program.pid, "--ring", "4K", "--stack-bytes", "0", "--stacks", "1000000", "1s")
    watch.wait_interval()
    program.say()
    program.wait_for("done")
    program.end_input()
    program.wait_zombie()
    code, doc = watch.finish()
    lost, latency = doc["lost"], doc["latency"]
    tap.equal(code, 3, "a ring of one page: exit code 3")
    tap.ok(lost["ring_full"] > 0, "a ring of one page: losses are told", lost)
    told = sum(stack["count"] for stack in doc["stacks"])
    tap.equal(told + lost["ring_full"] + lost["stack_table_full"],
              latency["major"]["count"] + latency["minor"]["count"],
              "a ring of one page: events told and events lost make all faults")
    tap.equal((doc["sums"]["minor"], doc["sums"]["major"]), program.ps(),
              "a ring of one page: the sums are exact")
    program.kill()
    watch.kill()


def refused(text, code, wanted, *args, **options):
    # by a relative path, since others than root may not be let into the folders above the tree
    done = subprocess.run([os.path.relpath(EBB), "faults", *args], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          **options)
    tap.ok(done.returncode == code and wanted in done.stderr, f"{text}: exit code {code}",
           done.returncode, done.stderr, done.stdout)


def drop_root():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def refusals():
    me = str(os.getpid())
    refused("a ring of an odd size", 1, "power of two", "-p", me, "--ring", "5000")
    refused("an unknown source", 1, "fentry, kprobe or perf", "-p", me, "--source", "x")
    refused("too large a piece of stack", 1, "16K", "-p", me, "--stack-bytes", "17K")
    refused("--events without a process", 1, "--pid", "-e")
    refused("an interval of nothing", 1, "INTERVAL", "0s")
    refused("no such process", 2, "4194304", "-p", "4194304")
    refused("without root", 2, "root", "1ms", "1", preexec_fn=drop_root)
    refused("without root, one process", 2, "root", "-p", me, "1ms", "1", preexec_fn=drop_root)


def ended_early():
    """Fewer intervals than asked for."""
    program = Program(f"{PROGRAMS}/threads", "1", "1")
    program.wait_for("ready")
    watch = Watch(program.pid, "200ms", "1000000")
    watch.wait_interval()
    program.end_input()
    program.wait_zombie()
    code, doc = watch.finish()
    tap.ok(code == 3 and doc["ended"] and "ended" in watch.said(),
           "the process ends before COUNT: exit code 3, and it is said", code, watch.said())
    program.kill()
    watch.kill()


def interrupted():
    """Ctrl-C: a whole document, and 0 since no COUNT was asked for."""
    program = Program(f"{PROGRAMS}/threads", "1", "1")
    program.wait_for("ready")
    watch = Watch(program.pid, "200ms")
    watch.wait_interval()
    code, doc = watch.stop()
    tap.ok(code == 0 and not doc["ended"], "Ctrl-C: exit code 0 and a whole document", code)
    program.kill()
    watch.kill()


tiny_ring()
refusals()
ended_early()
interrupted()
tap.end()
