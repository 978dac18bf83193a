#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""`ebb top`: its figures against ps and /proc, and its screen in a terminal (pyte)."""

import fcntl
import json
import os
import resource
import select
import signal
import struct
import subprocess
import termios
import time

import pyte

from common import EBB, LONG, PROGRAMS, Program, Tap

DOWN, LEFT, ESCAPE = "\x1b[B", "\x1b[D", "\x1b"
tap = Tap()


class Terminal:
    """ebb in a terminal of its own; the screen is what a person would see."""

    def __init__(self, *args, term="linux", lines=24, columns=100):
        self.master, self.slave = os.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.resize(lines, columns)
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([EBB, "top", *args], stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave, preexec_fn=self._take_terminal,
                                        start_new_session=True,
                                        env={**os.environ, "TERM": term, "LC_ALL": "C.UTF-8"})

    @staticmethod
    def _take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        # nothing of the former screen may count
        self.screen.reset()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys):
        os.write(self.master, keys.encode())

    def _more(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            data = os.read(self.master, 1 << 16)
            self.raw += data
            self.stream.feed(data)
            return True
        return False

    def shows(self, what, text):
        """Wait until WHAT(lines of the screen) is true."""
        end = time.monotonic() + LONG
        while not what(self.screen.display):
            if time.monotonic() > end or self.process.poll() is not None:
                while self._more(0):
                    pass
                break
            self._more(1)
        return tap.ok(what(self.screen.display), text, *self.screen.display,
                      self.process.poll())

    def ends(self, code, text):
        """Wait for the end; the terminal has to be as it was."""
        end = time.monotonic() + LONG
        while self.process.poll() is None and time.monotonic() < end:
            self._more(0.05)
        if self.process.poll() is None:
            self.process.kill()
        while self._more(0):
            pass
        tap.ok(self.process.wait() == code, f"{text}: exit code {code}", self.process.returncode,
               self.raw[-2000:].decode(errors="replace"))
        tap.equal(termios.tcgetattr(self.slave), self.before, f"{text}: the terminal is as before")
        os.close(self.slave)
        os.close(self.master)


def has(*texts):
    """Each on some line."""
    return lambda lines: all(any(text in line for line in lines) for text in texts)


def lacks(text):
    return lambda lines: not any(text in line for line in lines)


def row_of(lines, first):
    """Words of the line that begins with that id."""
    return next((line.split() for line in lines if line.split()[:1] == [str(first)]), [])


def batch(*args):
    done = subprocess.run([EBB, "top", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True, text=True)
    return done.stdout


def rss_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[21]) * resource.getpagesize()


def figures(program):
    """Nothing of it runs: all figures must be those of ps and /proc."""
    doc = json.loads(batch("--json", "--tree", "-i", "200ms", "-n", "2", "-f", str(program.pid)))
    tap.equal((doc["schema"], doc["verb"], len(doc["intervals"])), ("ebb", "top", 2),
              "JSON of two reads")
    last = doc["intervals"][1]
    one = last["processes"][0]
    threads = {tid: (minor, major) for tid, (_, minor, major) in program.threads().items()}
    tap.equal([p["pid"] for p in last["processes"]], [program.pid], "--filter PID: this process")
    tap.equal((one["minor"], one["major"]), program.ps(), "faults of the process as ps says")
    tap.equal((one["d_minor"], one["d_major"]), (0, 0), "no faults of what is stopped")
    tap.equal((one["rss"], one["nr_threads"]), (rss_of(program.pid), len(threads)),
              "RSS and threads as /proc says")
    tap.equal({t["tid"]: (t["minor"], t["major"]) for t in one["threads"]}, threads,
              "each thread as /proc/PID/task/TID/stat says")
    totals = last["totals"]
    tap.ok(totals["rss"] > one["rss"] and totals["minor"] > one["minor"] and
           totals["nr_processes"] > 1 and totals["nr_threads"] > len(threads),
           "totals are of all, not of what is shown", totals)
    doc = json.loads(batch("--json", "--once", "-T", "-i", "100ms", "-f", str(program.pid)))
    tap.equal({t["tid"]: (t["minor"], t["major"]) for t in doc["intervals"][0]["threads"]},
              threads, "--threads: a row for each")


def text(program):
    lines = batch("--once", "-i", "100ms", "--sort", "pid", "--top", "3").splitlines()
    ids = [int(line.split()[0]) for line in lines[4:] if line]
    tap.ok(len(ids) == 3 and ids == sorted(ids), "--sort pid --top 3: three rows in order", *lines)
    row = row_of(batch("--once", "-i", "100ms", "-f", str(program.pid)).splitlines(), program.pid)
    minor, major = program.ps()
    tap.equal(row[2:], ["0.0", "0.0", str(minor), str(major), str(len(program.threads())), "+",
                        "threads"], "the row as ps says")


def screen(program):
    """One session with most of its keys."""
    pid, tids = program.pid, sorted(program.threads())
    terminal = Terminal("-f", str(pid), "-i", "200ms")
    terminal.shows(has("1 processes, sorted by major", "COMMAND", "+ threads"), "screen: the process")
    minor, major = program.ps()
    tap.equal(row_of(terminal.screen.display, pid)[4:7], [str(minor), str(major), str(len(tids))],
              "screen: faults and threads as ps says")
    tap.ok("q end" in terminal.screen.display[-1], "screen: keys on the last line")
    terminal.press(DOWN + "\r")
    terminal.shows(has("- threads", *(f" {tid} " for tid in tids)), "Enter: its threads")
    terminal.press(DOWN + LEFT)
    terminal.shows(lacks(f" {tids[-1]} "), "Left: without them")
    terminal.press("h")
    terminal.shows(has("this help"), "h: help")
    terminal.press("x")
    terminal.shows(has("COMMAND"), "any key: no help")
    terminal.press("t")
    terminal.shows(has(f"{len(tids)} threads, sorted by major", "TID"), "t: threads")
    terminal.press("tN")
    terminal.shows(has("1 processes, sorted by name"), "N: by name")
    terminal.press("r>")
    terminal.shows(has("sorted by major"), ">: the next column")
    terminal.press(ESCAPE)
    terminal.shows(lambda lines: not lines[2].startswith("1 processes"), "Escape: no filter")
    terminal.press("/threadx\x7fs")
    terminal.shows(has("filter: threads_"), "/: a filter is typed")
    terminal.press("\r")
    terminal.shows(lambda lines: lines[2].rstrip().endswith("filter: threads") and
                   row_of(lines, pid), "Enter: it holds")
    for lines, columns in ((10, 60), (3, 20), (1, 1), (40, 160)):
        terminal.resize(lines, columns)
        terminal.shows(lambda rows: rows[-1].startswith("q end"[:len(rows[-1]) - 1]) and
                       len(rows) == terminal.screen.lines, f"{lines} lines of {columns}")
    terminal.shows(has("+ threads", "faults: "), "a large screen again")
    terminal.press("q")
    terminal.ends(0, "q")


def endings():
    first = has("COMMAND")
    terminal = Terminal("-i", "10s", term="xterm")
    terminal.shows(first, "a screen in xterm")
    terminal.press("\x03")
    terminal.ends(0, "Ctrl-C")
    tap.ok(b"\x1b[?1049h" in terminal.raw and b"\x1b[?1049l" in
           terminal.raw.rpartition(b"\x1b[?1049h")[2], "Ctrl-C: back to the first screen")
    terminal = Terminal("-i", "10s")
    terminal.shows(first, "a screen")
    terminal.process.terminate()
    terminal.ends(0, "SIGTERM")
    terminal = Terminal("-i", "100ms", "-n", "3")
    terminal.ends(0, "--count 3")
    terminal = Terminal(term="no-such-terminal")
    terminal.ends(2, "an unknown terminal")
    tap.ok(b"TERM='no-such-terminal'" in terminal.raw, "an unknown terminal is named")


def hangup():
    """The terminal goes away: ebb ends."""
    terminal = Terminal("-i", "10s")
    terminal.shows(has("COMMAND"), "a screen before it hangs up")
    os.close(terminal.slave)
    os.close(terminal.master)
    try:
        terminal.process.wait(LONG)
    except subprocess.TimeoutExpired:
        terminal.process.kill()
    tap.ok(terminal.process.wait() in (0, 3), "ebb ends when the terminal hangs up",
           terminal.process.returncode)


def refused(name, code, wanted, *args, **options):
    done = subprocess.run([os.path.relpath(EBB), "top", *args], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          **options)
    tap.ok(done.returncode == code and wanted in done.stderr and not done.stdout,
           f"{name}: exit code {code}", done.returncode, done.stderr, done.stdout)


def drop_root():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def refusals():
    refused("no terminal", 2, "--batch", "-i", "100ms")
    refused("an unknown column", 1, "--sort 'size'", "--sort", "size")
    refused("--tree with --threads", 1, "leave out --tree", "--tree", "--threads")
    refused("--once with --count", 1, "leave out --count", "--once", "-n", "2")
    refused("too long a filter", 1, "31 characters", "-f", "x" * 32)
    refused("an argument", 1, "--filter", "redis")
    refused("without root", 2, "root", "--once", preexec_fn=drop_root)


def main():
    program = Program(f"{PROGRAMS}/threads", "20", "3")
    program.wait_for("ready")
    program.say()
    program.wait_for("done")
    program.stop()
    figures(program)
    text(program)
    screen(program)
    program.kill()
    endings()
    hangup()
    refusals()
    tap.end()


main()
