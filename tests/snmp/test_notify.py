#!/usr/bin/env python3
"""Notifications, received by Debian's snmptrapd: each event once and in order, whatever happens.

usage: test_notify.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import re
import sys
import time

import test_agent
from kit import COMMUNITY, free_port, received, sequence, until


def expect(b, n, seconds, log="traps.log"):
    """The first notification is ours that we started, then n events without a gap."""
    until(lambda: len(received(b, log)) >= n + 1, seconds, f"{n} events and a start in {log}: {len(received(b, log))}")
    got = received(b, log)
    assert got[0][0] == 13 and got[0][2] == "the exporter started", got[0]
    assert [g[1] for g in got[1:]] == list(range(1, n + 1)), got[:5]
    assert sequence(b, log) == list(range(1, n + 2)), "a gap"
    for number, seq, text in got[1:]:
        assert text == f"event {seq} of a test"
        assert number == 1 + (seq - 1) % 3 + (0 if (seq - 1) % 2 == 0 else 100), (number, seq)
    return got


def v2c_and_v3(b):
    """Traps to two sinks at once; events go on where they stood after a restart of ours, none twice."""
    port, alone = free_port(), free_port()
    b.snapshot("--events", 6, "--seed", 1)
    agent = b.agent("--standalone", f"udp:127.0.0.1:{alone}")  # makes the engine, without sinks
    agent.terminate()
    agent.wait(60)
    engine = (b.dir / "snmp-engine").read_text().split()[0]
    b.trapd(port, f'createUser -e 0x{engine} monitor SHA-256 "correct horse" AES "battery staple"', "authUser log monitor priv")
    other = free_port()
    b.trapd(other, log="other.log")
    flags = ["--standalone", f"udp:127.0.0.1:{alone}", "--sink", f"v3:monitor@udp:127.0.0.1:{port}", "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{other}"]
    agent = b.agent(*flags)
    expect(b, 6, 60)
    expect(b, 6, 60, "other.log")
    assert b.own(alone, "1.2.6.0") == "7" and b.own(alone, "1.2.8.0") == "6"
    assert "battery" not in (b.dir / "traps.log").read_text()
    agent.terminate()
    agent.wait(60)
    agent = b.agent(*flags)  # the same events: none is told again
    until(lambda: len(received(b)) == 8 and b.own(alone, "1.2.6.0") == "1", 60, "the start is told")
    assert b.own(alone, "1.2.8.0") == "6"
    assert [g[0] for g in received(b)[7:]] == [13], received(b)[7:]
    agent.terminate()
    agent.wait(60)
    b.snapshot("--events", 9, "--seed", 1)
    start = (b.dir / "snmp-notified").read_text().split()[1]
    assert start != "0"
    agent = b.agent(*flags)
    until(lambda: len(received(b)) >= 18, 60, "the events of another start")
    got = received(b)
    # make-snapshot makes another start of the daemon each time: its numbers begin again
    assert got[8][0] == 13 and [g[1] for g in got[9:]] == list(range(1, 10)), got[8:]
    assert sequence(b) == list(range(1, len(got) + 1)), "a gap over restarts"


def every_kind(b):
    """Each condition's notification, raised and cleared, as a manager with ELEMENT-MIB reads it: by its name, with the same number and the same
    id as elAlarmName and the alert have, of the right card and slot."""
    port = free_port()
    header = (b.source / "src/model/alarm.h").read_text()
    ids = [i.lower() for i in re.findall(r"^    EL_ALARM_(\w+)[ ,]", header[header.index("enum el_alarm_id"):], re.M)][1:]
    b.snapshot("--events", 2 * len(ids), "--kinds", "--drives", 2)
    b.trapd(port)
    b.env.update(MIBDIRS=f"{b.source}/mibs:{b.source}/tests/snmp/mibs", MIBS="ELEMENT-MIB")
    named = b.start("snmptrapd", "-f", "-Lf", b.dir / "named.log", "-C", "-c", b.dir / "snmptrapd.conf", "-Oe", "-OQ", f"udp:127.0.0.1:{(other := free_port())}")
    until(lambda: (b.dir / "named.log").exists() and "NET-SNMP" in (b.dir / "named.log").read_text(), 60, "snmptrapd listens")
    b.env.update(MIBDIRS="", MIBS="")
    b.agent("--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{port}", "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{other}")
    for log in "traps.log", "named.log":
        until(lambda: (b.dir / log).read_text().count("of a test") == 2 * len(ids), 120, f"all in {log}")
    numbers = {g[1]: g[0] for g in received(b)[1:]}
    got = {}
    for line in (b.dir / "named.log").read_text().splitlines():
        parts = dict(re.findall(r"ELEMENT-MIB::elNotify(\w+)\.0 = \"?([^\t\"]*)", line))
        if "Text" in parts and parts["Text"].startswith("event"):
            got[int(parts["Event"])] = (re.search(r"1\.1\.4\.1\.0 = ELEMENT-MIB::(\w+)", line).group(1), parts)
    assert len(ids) == 24 and named.poll() is None
    for n, name in enumerate(ids, 1):
        for raised, seq in (True, 2 * n - 1), (False, 2 * n):
            once = name in ("drive_replaced", "exporter_restarted")  # they have no end
            camel = "el" + "".join(w.capitalize() for w in name.split("_")) + ("" if once else "Raised" if raised else "Cleared")
            what, parts = got[seq]
            assert what == camel and numbers[seq] == (n if raised or once else n + 100), (what, camel, numbers[seq])
            assert int(parts["Alarm"]) == n and parts["Raised"] == ("1" if raised or once else "2") and parts["Card"] == "lqd4500-0", parts
            assert parts["Slot"] == str((seq - 1) % 2) and parts["Text"] == f"event {seq} of a test", parts
    return f"{len(ids)} conditions, {len(got)} notifications"


def storm(b):
    """60 events at once: the first 25 now, the rest at 4 a second, all of them, in order; the agent answers meanwhile."""
    port, alone = free_port(), free_port()
    b.snapshot("--events", 60)
    b.trapd(port)
    began = time.monotonic()
    b.agent("--standalone", f"udp:127.0.0.1:{alone}", "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{port}")
    until(lambda: len(received(b)) >= 26, 60, "the burst")
    told = len(received(b))
    assert told <= 26 + 4 * (time.monotonic() - began) + 1, "the bucket leaks"
    assert b.own(alone, "1.1.1.0") == "1"
    expect(b, 60, 60)
    assert time.monotonic() - began > 7
    assert b.own(alone, "1.2.7.0") == "0"


def through_the_master(b):
    """No sink of our own: whoever snmpd.conf names is told, as soon as the master is there, and the events were kept for it."""
    port, trap = free_port(), free_port()
    b.snapshot("--events", 5)
    b.trapd(trap)
    alone = free_port()
    b.agent("--agentx", "auto", "--socket", b.dir / "agentx", "--standalone", f"udp:127.0.0.1:{alone}")
    until(lambda: int(b.get(alone, "1.3.6.1.2.1.1.3.0").split("(")[-1].split(")")[0]) > 100, 60, "many turns without a way out")
    assert b.own(alone, "1.2.6.0") == "0"
    master = b.snmpd(port, f"trap2sink udp:127.0.0.1:{trap} {COMMUNITY}")
    expect(b, 5, 60)
    master.kill()
    master.wait()


def dead_receiver_of_informs(b):
    """Informs nobody acknowledges delay no answer."""
    alone = free_port()
    b.snapshot("--events", 10)
    b.agent("--standalone", f"udp:127.0.0.1:{alone}", "--sink", f"v3-inform:monitor/0x80001f88050102030405@udp:127.0.0.1:{free_port()}",
            "--sink", f"v2c-inform:{COMMUNITY}@udp:127.0.0.1:{free_port()}")
    worst = test_agent.slowest_answer(alone, 2)
    other = free_port()
    b.agent("--standalone", f"udp:127.0.0.1:{other}", "--state", b.dir / "persist", log="other.log")
    rival = test_agent.slowest_answer(other, 2)
    print(f"  slowest answer: {worst * 1000:.1f} ms, of an agent without receivers {rival * 1000:.1f} ms")
    assert worst < 0.9 + 5 * rival, (worst, rival)  # one that waits does so for a second and more


def informs(b):
    """Informs to one who acknowledges: by v2c, and by v3 with the receiver's engine."""
    port, alone = free_port(), free_port()
    b.snapshot("--events", 4)
    b.trapd(port, 'engineID elementtest', 'createUser monitor SHA-256 "correct horse" AES "battery staple"', "authUser log monitor priv")
    engine = "80001f8804" + b"elementtest".hex()
    b.agent("--standalone", f"udp:127.0.0.1:{alone}", "--sink", f"v3-inform:monitor/0x{engine}@udp:127.0.0.1:{port}")
    until(lambda: len(received(b)) >= 5, 60, f"informs: {received(b)}")
    assert {g[1] for g in received(b)[1:]} >= {1, 2, 3, 4}


def ipv6_sink(b):
    """A sink on IPv6."""
    port = free_port()
    b.snapshot("--events", 3)
    b.trapd(port, address=f"udp6:[::1]:{port}")
    b.agent("--sink", f"v2c:{COMMUNITY}@udp6:[::1]:{port}")
    expect(b, 3, 60)


def state_that_cannot_be_kept(b):
    """Said once, and all is notified all the same."""
    port = free_port()
    b.snapshot("--events", 40)
    b.trapd(port)
    b.users(f"community {COMMUNITY}\n")
    b.agent("--users", "", "--state", "/proc/self", "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{port}")
    expect(b, 40, 60)
    assert (b.dir / "agent.log").read_text().count("snmp-notified: ") == 1, (b.dir / "agent.log").read_text()


if __name__ == "__main__":
    sys.exit(test_agent.main([v2c_and_v3, every_kind, storm, through_the_master, dead_receiver_of_informs, informs, ipv6_sink, state_that_cannot_be_kept]))
