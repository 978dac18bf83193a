# SPDX-License-Identifier: GPL-2.0
"""What the tests of `ebb faults` share: TAP, test programs, and ebb's JSON while it runs."""

import json
import os
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import Tap  # noqa: E402, F401

TREE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PROGRAMS = os.path.join(TREE, "build/selftests/faults")
EBB = os.environ.get("EBB", os.path.join(TREE, "build/user/ebb"))
# Everything is emulated and shares two processors: only what hangs is to meet these.
LONG = 300


def read_until(pipe, wanted, what):
    """Read lines until one begins with WANTED; return all of them."""
    lines = []
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        line = pipe.readline()
        if not line:
            break
        lines.append(line.rstrip("\n"))
        if line.startswith(wanted):
            return lines
    raise RuntimeError(f"{what} did not say '{wanted}': {lines}")


class Program:
    """A test program that is stopped and gone on with, and whose zombie can be looked at."""

    def __init__(self, *args, **options):
        self.process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, **options)
        self.pid = self.process.pid

    def wait_for(self, word):
        return read_until(self.process.stdout, word, "the program")

    def say(self, word="go"):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def end_input(self):
        self.process.stdin.close()

    def wait_zombie(self):
        """Wait for its end and leave the zombie there."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                return
            time.sleep(0.05)
        raise RuntimeError("the program does not end")

    def stop(self):
        """Stop all of its threads, so that its counters stand still."""
        os.kill(self.pid, signal.SIGSTOP)
        end = time.monotonic() + LONG
        while any(state not in "TtZX" for state, *_ in self.threads().values()):
            if time.monotonic() > end:
                raise RuntimeError("the program does not stop")
            time.sleep(0.02)

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)

    def threads(self):
        """{tid: (state, minor, major)} of /proc/PID/task/TID/stat."""
        found = {}
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{tid}/stat", encoding="utf-8",
                          errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            found[int(tid)] = (fields[0], int(fields[7]), int(fields[9]))
        return found

    def ps(self):
        """(minor, major) of the process, as ps prints them."""
        out = subprocess.run(["ps", "-o", "maj_flt=,min_flt=", "-p", str(self.pid)], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.split()
        return int(out[1]), int(out[0])

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Watch:
    """`ebb faults --json` of a process, read while it runs."""

    def __init__(self, pid, *args):
        # pylint: disable=consider-using-with
        self.errors = open("/tmp/ebb-faults-errors." + str(os.getpid()), "w+", encoding="utf-8")
        self.process = subprocess.Popen([EBB, "faults", "-p", str(pid), "--json", *args],
                                        stdout=subprocess.PIPE, stderr=self.errors,
                                        preexec_fn=self._take_interrupts)
        self.text = b""

    @staticmethod
    def _take_interrupts():
        # a shell lets what it runs in the background ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def _more(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 1)
        if not ready:
            return True
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        self.text += data
        return bool(data)

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def intervals(self):
        """Those that are complete."""
        text = self.text.decode()
        begin = text.find('"intervals":[')
        if begin < 0:
            return []
        at, found, decoder = begin + len('"intervals":['), [], json.JSONDecoder()
        while at < len(text) and text[at] in "{,":
            at += text[at] == ","
            try:
                one, at = decoder.raw_decode(text, at)
            except ValueError:
                break
            found.append(one)
        return found

    def wait_interval(self, since_ns=0):
        """The first interval whose read began after SINCE_NS (CLOCK_MONOTONIC)."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            after = [i for i in self.intervals() if i["time_ns"] > since_ns]
            # one read may have begun before
            if len(after) >= 2:
                return after[1]
            if not self._more():
                break
        raise RuntimeError(f"ebb printed no interval: {self.text!r} {self.said()}")

    def finish(self):
        """(exit code, document)."""
        end = time.monotonic() + LONG
        while self._more():
            if time.monotonic() > end:
                self.process.kill()
                raise RuntimeError("ebb does not end")
        code = self.process.wait()
        return code, json.loads(self.text or b"null")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.finish()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.errors.close()
        os.unlink(self.errors.name)


def have_swap():
    with open("/proc/swaps", encoding="utf-8") as file:
        return len(file.readlines()) > 1


def make_swap():
    """Swap to compressed memory, in a virtual machine only; whether there is some now."""
    if have_swap():
        return True
    if "EBB_VM" not in os.environ:
        return False
    subprocess.run("modprobe zram && echo 512M >/sys/block/zram0/disksize && "
                   "mkswap /dev/zram0 >/dev/null && swapon /dev/zram0", shell=True, check=True)
    return True
