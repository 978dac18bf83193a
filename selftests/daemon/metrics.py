#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ebbd and its metrics: against /proc, promtool and a real Prometheus that scrapes throughout; kill -9,
silent clients, a flood of scrapes, wrong configurations, reload, readiness, privileges."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../faults"))
# pylint: disable=wrong-import-position
from common import EBB, LONG, PROGRAMS, Program, Tap

EBBD = os.environ.get("EBBD", EBB + "d")
tap = Tap()
work = tempfile.mkdtemp(prefix="ebbd-test")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until(what, fn):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        found = fn()
        if found:
            return found
        time.sleep(0.1)
    raise RuntimeError(f"waited in vain: {what}")


def write_config(port, more="", interval="300ms", name="ebbd.conf"):
    path = os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"[collector]\ninterval={interval}\n[metrics]\nlisten=127.0.0.1:{port}\n{more}")
    return path


class Daemon:
    """ebbd; ready when it says so on $NOTIFY_SOCKET."""

    def __init__(self, port, config):
        self.port = port
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(f"\0ebbd-test-{os.getpid()}-{time.monotonic_ns()}")
        self.notify.settimeout(LONG)
        name = self.notify.getsockname().decode().replace("\0", "@", 1)
        self.log = os.path.join(work, "log")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([EBBD, "-c", config], env={**os.environ,
                                        "NOTIFY_SOCKET": name},
                                        stderr=open(self.log, "a", encoding="utf-8"))
        self.states = [self.state()]

    def state(self):
        return self.notify.recv(256).decode().split("\n")[0]

    def scrape(self, accept="text/plain", timeout=LONG):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics",
                                         headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read().decode()

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def end(self, sig=signal.SIGTERM):
        self.process.send_signal(sig)
        self.notify.close()
        return self.process.wait(LONG)


def faults_of(text, pid):
    """(minor, major) or None."""
    found = dict(re.findall(rf'^ebb_pagefaults_total{{type="(\w+)",pid="{pid}",.*}} (\d+)$', text,
                            re.MULTILINE))
    return (int(found["minor"]), int(found["major"])) if found else None


def value_of(text, name):
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE).group(1))


def new_polls(daemon):
    """A scrape whose figures were read after this was called."""
    before = value_of(daemon.scrape(), "ebb_polls_total")
    return wait_until("two reads", lambda: next((t for t in [daemon.scrape()] if
                      value_of(t, "ebb_polls_total") >= before + 2), None))


def check_configs():
    """Each mistake is refused with its line."""
    for text, wanted in (("[collector]\nintervall=5s\n", ":2: there is no key 'intervall'"),
                         ("\n[colector]\n", ":2: there is no group [colector]"),
                         ("[collector]\ninterval=5s\ninterval=6s\n", ":3: 'interval' was given"),
                         ("[collector]\ninterval=5 parsecs\n", ":2: interval '5 parsecs'"),
                         ("[collector]\ninterval=1ms\n", ":2: interval '1ms': it is not between"),
                         ("[metrics]\nmax_series=-1\n", ":2: max_series '-1'"),
                         ("[metrics]\nlisten=\n", ":2: listen '': it is empty"),
                         ("interval\n", ":1: neither [GROUP] nor KEY=VALUE"),
                         ("interval=5s\n", ":1: there is no key 'interval'")):
        path = os.path.join(work, "wrong.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        ran = subprocess.run([EBBD, "-c", path], stderr=subprocess.PIPE, text=True, timeout=LONG,
                             check=False)
        tap.ok(ran.returncode == 1 and path + wanted in ran.stderr,
               f"refused: {wanted[4:]}", ran.returncode, ran.stderr)
    ran = subprocess.run([EBBD, "-c", work + "/none"], stderr=subprocess.PIPE, text=True,
                         timeout=LONG, check=False)
    tap.ok(ran.returncode == 1 and "/none" in ran.stderr, "a file that is not there", ran.stderr)


def check_text(daemon):
    text = daemon.scrape()
    found = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONG,
                           check=False)
    tap.ok(found.returncode == 0 and not found.stdout, "promtool finds nothing", found.stdout)
    om = daemon.scrape("application/openmetrics-text; version=1.0.0")
    tap.ok(om.endswith("\n# EOF\n") and "# TYPE ebb_pagefaults counter" in om,
           "OpenMetrics for those who ask for it", om[-200:])
    tap.equal(value_of(text, 'ebb_lost_total{reason="ring_full"}'), 0.0, "nothing was lost")
    with open(f"/proc/{daemon.process.pid}/status", encoding="utf-8") as file:
        caps = re.findall(r"^Cap(?:Prm|Eff):\t(\w+)$", file.read(), re.MULTILINE)
    tap.equal(caps, ["0" * 16] * 2, "no capability is left")


class Prometheus:
    """A real one that scrapes all the time."""

    def __init__(self, port):
        self.port = free_port()
        config = os.path.join(work, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
                       "- {job_name: ebb, static_configs: "
                       f"[{{targets: ['127.0.0.1:{port}']}}]}}\n")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={work}/tsdb",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error"])

    def query(self, text):
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": text})
        try:
            with urllib.request.urlopen(url, timeout=LONG) as answer:
                return json.load(answer)["data"]["result"]
        except (urllib.error.URLError, ConnectionError):
            return []

    def faults(self, pid):
        found = {r["metric"]["type"]: int(r["value"][1])
                 for r in self.query(f'ebb_pagefaults_total{{pid="{pid}"}}')}
        return (found.get("minor"), found.get("major"))

    def end(self):
        self.process.terminate()
        self.process.wait(LONG)


def check_counts(daemon, prometheus, program, text):
    """The program is stopped: /proc, ebbd and Prometheus have the same figures."""
    program.stop()
    tap.equal(faults_of(new_polls(daemon), program.pid), program.ps(), f"{text}: ebbd has what ps says")
    try:
        wait_until("Prometheus", lambda: prometheus.faults(program.pid) == program.ps())
    except RuntimeError:
        pass
    tap.equal(prometheus.faults(program.pid), program.ps(), f"{text}: Prometheus has what ps says")
    program.go_on()


def check_never_down(prometheus, pid):
    """All samples of the whole test: resets() counts what went down."""
    found = prometheus.query(f'resets(ebb_pagefaults_total{{pid="{pid}"}}[1h])')
    tap.equal(sorted(r["value"][1] for r in found), ["0", "0"],
              "in Prometheus the counters never went down, restarts included")
    found = prometheus.query(f'min_over_time(rate(ebb_pagefaults_total{{pid="{pid}"}}[10s])[1h:1s])')
    tap.ok(found and all(float(r["value"][1]) >= 0 for r in found), "no rate is negative", found)


def check_reload(daemon, port):
    write_config(port, "bad=1\n")
    daemon.process.send_signal(signal.SIGHUP)
    states = [daemon.state(), daemon.state()]
    tap.ok(states == ["RELOADING=1", "READY=1"] and "is kept" in daemon.said(),
           "reload with a wrong file: the old one is kept", states, daemon.said())
    write_config(port, "max_series=3\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.state(), daemon.state()
    text = daemon.scrape()
    tap.equal(len(re.findall("^ebb_process_threads{", text, re.MULTILINE)), 3,
              "reload: the new limit of series holds")
    tap.ok(value_of(text, "ebb_series_dropped_total") > 0, "what it leaves out is counted")
    write_config(port)
    daemon.process.send_signal(signal.SIGHUP)
    daemon.state(), daemon.state()


def check_silent(daemon, port):
    """Connections that say nothing, or half a request, keep nobody from being served."""
    silent = [socket.create_connection(("127.0.0.1", port), LONG) for _ in range(40)]
    for one in silent[::2]:
        one.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
    tap.ok("ebb_polls_total" in daemon.scrape(), "served beside 40 silent clients")
    for one in silent:
        one.settimeout(LONG)
        one.recv(4096)
    tap.ok(True, "silent clients are let go")


def check_flood(daemon):
    failures = []

    def scrape_often():
        for _ in range(20):
            try:
                if "ebb_polls_total" not in daemon.scrape():
                    failures.append("not whole")
            except OSError as why:
                failures.append(str(why))

    before = value_of(daemon.scrape(), "ebb_polls_total")
    threads = [threading.Thread(target=scrape_often) for _ in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    tap.equal(failures, [], "320 scrapes by 16 clients at once are answered")
    wait_until("reads", lambda: value_of(daemon.scrape(), "ebb_polls_total") > before)
    tap.ok(True, "and the collector goes on")


def check_http(port):
    for path, data, wanted in (("/", None, 404), ("/metrics", b"x" * 100000, 405)):
        code = 0
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data, LONG).close()
        except urllib.error.HTTPError as why:
            code = why.code
        except OSError:
            # the answer may come before all was sent
            code = wanted if data else -1
        tap.equal(code, wanted, f"{'POST' if data else 'GET'} {path} is refused")


def check_refusals(config):
    ran = subprocess.run([EBBD, "-c", config], stderr=subprocess.PIPE, text=True, timeout=LONG,
                         check=False)
    tap.ok(ran.returncode == 2 and "cannot listen on" in ran.stderr,
           "a second one on the same address: exit code 2, and says why", ran.returncode, ran.stderr)
    os.chmod(work, 0o755)
    program = shutil.copy(EBBD, work)
    ran = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all", program,
                          "-c", config], stderr=subprocess.PIPE, text=True, timeout=LONG,
                         check=False)
    tap.ok(ran.returncode == 2 and ran.stderr.startswith("ebbd: cannot "),
           "without root: exit code 2, and says why", ran.returncode, ran.stderr)


def main():
    port = free_port()
    config = write_config(port)
    check_configs()
    daemon = Daemon(port, config)
    tap.equal(daemon.states, ["READY=1"], "readiness is told")
    prometheus = Prometheus(port)
    program = Program(os.path.join(PROGRAMS, "threads"), "2000", "8")
    program.wait_for("ready")
    check_counts(daemon, prometheus, program, "before")
    program.say()
    program.wait_for("done")
    check_counts(daemon, prometheus, program, "2000 threads came and went")
    check_text(daemon)
    daemon.end(signal.SIGKILL)
    daemon = Daemon(port, config)
    check_counts(daemon, prometheus, program, "after kill -9")
    check_reload(daemon, port)
    check_silent(daemon, port)
    check_flood(daemon)
    check_http(port)
    check_refusals(config)
    check_never_down(prometheus, program.pid)
    program.kill()
    prometheus.end()
    tap.equal(daemon.end(), 0, "SIGTERM ends it, exit code 0")
    shutil.rmtree(work)
    tap.end()


main()
