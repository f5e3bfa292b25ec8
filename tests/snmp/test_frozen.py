#!/usr/bin/env python3
"""Nobody waits for the SNMP thread: snmpd frozen, the thread itself stopped, the whole exporter stopped.

usage: test_frozen.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import ctypes
import http.client
import os
import pathlib
import re
import signal
import socket
import sys
import time

import test_agent
from kit import free_port, until
from test_kit import exporter, metrics

ROUNDS, SECONDS = 5, 2.5


def scrape(connection):
    connection.request("GET", "/metrics")
    return connection.getresponse().read().decode()


def frozen_master(b):
    """/metrics in turn with snmpd well and frozen, and as often."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    b.snapshot()
    master = b.snmpd(port, "agentXPerms 0666 0755")  # root becomes nobody here
    exporter(b, web, "--snmp.agentx", "on", "--snmp.agentx-socket", b.dir / "agentx")
    connection = http.client.HTTPConnection("127.0.0.1", web, timeout=30)

    def connected():
        return metrics(web)["element_agentx_connected", frozenset()] == 1
    taken = [], []
    for _ in range(ROUNDS):
        until(connected, 60, "connected to the master")
        for frozen in 0, 1:
            if frozen:
                master.send_signal(signal.SIGSTOP)
                until(lambda: not connected(), 60, "the frozen master is noticed")  # from now on the thread hangs 0.3 s each second
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                began = time.perf_counter()
                scrape(connection)
                taken[frozen].append(time.perf_counter() - began)
                time.sleep(0.002)
        master.send_signal(signal.SIGCONT)
    quiet, frozen = map(sorted, taken)
    for share in 0.5, 0.95, 0.99, 1:
        was, now = (t[int((len(t) - 1) * share)] * 1000 for t in (quiet, frozen))
        print(f"  p{share * 100:g} {was:.2f} ms, master frozen {now:.2f} ms: {now / was:.2f}")
    # Waiting for the thread would take 300 ms of each second: a third of all scrapes. Other load is not ours.
    hung = [sum(t > 0.25 for t in taken[k]) / len(taken[k]) for k in (0, 1)]
    assert hung[1] < hung[0] + 0.05, hung


class Stopped:
    """One thread of a process, stopped while it waits in the kernel and holds nothing."""
    ATTACH, DETACH, WALL = 16, 17, 0x40000000
    WAITS = {"23", "270"}  # select, pselect6: of x86-64

    def __init__(self, pid):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.pid, self.tid = pid, 0
        until(self.find, 60, "a thread that waits in select")

    def waits(self, tid):
        return pathlib.Path(f"/proc/{self.pid}/task/{tid}/syscall").read_text().split()[0] in self.WAITS

    def find(self):
        tasks = [int(t.name) for t in pathlib.Path(f"/proc/{self.pid}/task").iterdir()]
        self.tid = next((t for t in tasks if t != self.pid and self.waits(t)), 0)  # HTTP polls, net-snmp selects
        return self.tid

    def ptrace(self, what):
        if self.libc.ptrace(what, self.tid, None, None) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")

    def __enter__(self):
        for _ in range(1000):
            self.ptrace(self.ATTACH)
            os.waitpid(self.tid, self.WALL)
            if self.waits(self.tid):
                return self
            self.ptrace(self.DETACH)
            time.sleep(0.01)
        raise AssertionError("the thread never waits")

    def __exit__(self, *_):
        self.ptrace(self.DETACH)


def stopped_thread(b):
    """By counting: with the SNMP thread not running at all, each new snapshot is served."""
    if os.uname().machine != "x86_64":
        return "knows the system calls of x86-64 only"
    web, alone, page = free_port(socket.SOCK_STREAM), free_port(), None
    b.snapshot()
    p = exporter(b, web, "--snmp.agentx", "off", "--snmp.standalone", f"udp:127.0.0.1:{alone}")
    assert b.own(alone, "1.1.1.0") == "1"
    connection = http.client.HTTPConnection("127.0.0.1", web, timeout=60)
    try:
        with Stopped(p.pid):
            for seq in range(2, 52):
                b.snapshot("--seq", seq)
                page = scrape(connection)
                assert f"element_ticks_total {1800 + seq}\n" in page, re.findall("element_ticks_total.*", page)
            assert b.own(alone, "1.1.1.0") is None, "the thread was not stopped"
    except PermissionError:
        return "may not trace here"
    until(lambda: b.own(alone, "1.1.1.0") == "51", 60, "the thread goes on")


def tick_goes_on(b):
    """By counting: no cycle is lost or late for an exporter that hangs as a whole."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    b.snmpd(port, "agentXPerms 0666 0755").send_signal(signal.SIGSTOP)
    run = b.start(b.build / "elementd", "run", "--simulate", "lqd4500", "--web.listen-address", f"127.0.0.1:{web}", "--snmp.agentx", "on",
                  "--snmp.agentx-socket", b.dir / "agentx", log="run.log")
    until(lambda: metrics(web) is not None, 60, "serves")

    def ticks():
        page = metrics(web)
        return page["element_ticks_total", frozenset()], page["element_ticks_late_total", frozenset()], time.monotonic()
    children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    half = next(int(c) for c in children if "export" in pathlib.Path(f"/proc/{c}/comm").read_text())
    rate = []
    for stopped in False, True:
        began = ticks()
        if stopped:
            os.kill(half, signal.SIGSTOP)
        time.sleep(6)
        os.kill(half, signal.SIGCONT)
        until(lambda: metrics(web) is not None, 60, "serves again")
        after = ticks()
        rate.append((after[0] - began[0]) / (after[2] - began[2]))
        late = after[1] - began[1]
    print(f"  cycles a second: {rate[0]:.2f}, exporter stopped {rate[1]:.2f}; late {late:g}")
    assert rate[1] > 0.6 * rate[0], rate
    run.terminate()
    assert run.wait(60) == 0


if __name__ == "__main__":
    sys.exit(test_agent.main([frozen_master, stopped_thread, tick_goes_on]))
