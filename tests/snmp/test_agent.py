#!/usr/bin/env python3
"""The standalone agent and the AgentX subagent against net-snmp's own programs.

usage: test_agent.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time

from kit import (BASE, BULK, COMMUNITY, GET, NEXT, SET, USER, USERS, Bench, Client, bindings, free_port, integer, message, message3, oid, oid_of,
                 oid_tuple, tlv, until)

SEQ, TICKS = oid_tuple(BASE + ".1.1.1.0"), oid_tuple(BASE + ".1.1.10.0")


def same_but_time(a, b):
    """Two walks are equal but for what tells the time."""
    moving = {oid_tuple(BASE + ".1.1.3.0"), (1, 3, 6, 1, 2, 1, 1, 3, 0)} | {oid_tuple(f"{BASE}.1.2.{i}.0") for i in range(1, 9)}
    a, b = ([(o, v) for o, v in w if o not in moving] for w in (a, b))
    assert a == b, [x for x in zip(a, b) if x[0] != x[1]][:3] or (len(a), len(b))


def resident_kb(p):
    with open(f"/proc/{p.pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def standalone(b):
    """Walks rise and are whole, by any size of GETBULK; every SET is refused; who may not ask gets nothing."""
    port = free_port()
    b.snapshot("--drives", 13, "--odd", "--events", 20, "--alarms", 12, "--sensors", 3)
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    walk = b.walk(port, "1.3")
    assert len(walk) > 3000 and all(x[0] < y[0] for x, y in zip(walk, walk[1:])), len(walk)
    assert walk[0][1].startswith('STRING: "elementd-exporter')
    same_but_time(walk, b.walk(port, "1.3", repeat=1))
    same_but_time(walk, b.walk(port, "1.3", repeat=200))
    for oid in BASE + ".1.1.1.0", BASE + ".1.4.1.4.1.1", "1.3.6.1.2.1.1.5.0", BASE + ".1.99":
        refused = b.tool("snmpset", port, "." + oid, "i", "1").stderr
        assert "notWritable" in refused or "noAccess" in refused, refused
    assert b.own(port, "1.1.1.0") == "1" and b.own(port, "1.1.1.0", auth=USER) == "1"
    assert b.own(port, "1.1.1.0", auth=("-v2c", "-c", "public")) is None
    assert b.own(port, "1.1.1.0", auth=("-v1", "-c", COMMUNITY)) is None
    assert b.sanitized or resident_kb(agent) < 14000, resident_kb(agent)
    agent.terminate()
    assert agent.wait(60) == 0


def every_set_is_refused(b):
    """One instance of every object there is, and one there is not: notWritable, whatever is to be set; nothing changes."""
    port, columns = free_port(), {}
    b.snapshot("--drives", 2, "--events", 1, "--alarms", 1)
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    before = b.walk(port, "1.3")
    for name, _ in before:
        own = name[:11] == oid_tuple(BASE) + (1,)
        columns[name[:14 if own and name[11] > 2 else 13 if own else -1]] = name
    client = Client(port, 60.0)
    for name in [*columns.values(), oid_tuple(BASE + ".1.4.1.4.99.99"), oid_tuple(BASE + ".1.99")]:
        for value in integer(1), tlv(4, b"text"), tlv(0x41, b"\1"), tlv(0x46, b"\1"), tlv(6, b"\x2b"):
            pdu = integer(1) + integer(0) + integer(0) + tlv(0x30, tlv(0x30, oid(name) + value))
            status, _ = bindings(client.ask(tlv(0x30, integer(1) + tlv(4, COMMUNITY.encode()) + tlv(SET, pdu))))
            assert status == 17, (name, value, status)
    same_but_time(before, b.walk(port, "1.3"))
    return f"{len(columns)} objects"


def every_protocol(b):
    """Each way to sign with each way to encrypt, by net-snmp's own tools."""
    port, ways = free_port(), [(a, p) for a in ("SHA-224", "SHA-256", "SHA-384", "SHA-512") for p in ("AES", "AES-192", "AES-256")]
    b.snapshot()
    b.users("".join(f'user u{i} {a} "correct horse" {p} "battery staple"\n' for i, (a, p) in enumerate(ways)))
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    for i, (a, p) in enumerate(ways):
        auth = ["-v3", "-u", f"u{i}", "-l", "authPriv", "-a", a, "-A", "correct horse", "-x", p, "-X", "battery staple"]
        assert b.own(port, "1.1.1.0", auth=auth) == "1", (a, p)


def moved_base(b):
    """Below another enterprise: a manager reads it by names with the module that is printed for it; notifications are there too."""
    port, trap, base = free_port(), free_port(), "1.3.6.1.4.1.99999.4"
    b.snapshot("--events", 1)
    module = b.dir / "ELEMENT-MIB.txt"
    module.write_text(subprocess.run([b.build / "elementd", "mib", "--base", base], capture_output=True, text=True, check=True).stdout)
    b.trapd(trap)
    b.agent("--standalone", f"udp:127.0.0.1:{port}", "--base", base, "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{trap}")
    got = subprocess.run(["snmpget", "-v2c", "-c", COMMUNITY, "-Oqv", "-m", "ELEMENT-MIB", "-M", f"{b.dir}:{b.source}/tests/snmp/mibs", f"udp:127.0.0.1:{port}",
                          "ELEMENT-MIB::elCardName.1", "ELEMENT-MIB::elSlotState.1.1"], env=b.env, capture_output=True, text=True)
    assert got.stdout.split() == ['"lqd4500-0"', "up"] or got.stdout.split() == ["lqd4500-0", "up"], got
    assert b.walk(port) == [], "something is left at the usual place"
    until(lambda: f".{base}.0.1\t.{base}.1.16.1.0 = Gauge32: 2" in (b.dir / "traps.log").read_text(), 60, "a notification below the base")


def wrong_keys(b):
    """SNMPv3: only users that sign and encrypt with the right keys; strangers do not disturb."""
    port = free_port()
    b.snapshot()
    b.users(USERS)
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    wrong = [USER[:8] + ["-A", "wrong horse"] + USER[10:], USER[:12] + ["-X", "wrong staple"], ["-v3", "-u", "nobody"] + USER[3:],
             ["-v3", "-u", "monitor", "-l", "noAuthNoPriv"], ["-v3", "-u", "monitor", "-l", "authNoPriv"] + USER[5:9] + ["correct horse"],
             USER[:6] + ["SHA-512"] + USER[7:]]
    for auth in wrong:
        assert b.own(port, "1.1.1.0", auth=auth) is None, auth
        assert b.own(port, "1.1.1.0", auth=USER) == "1", auth
    assert b.own(port, "1.1.1.0") is None, "a community was taken without one in the users file"


def engine_is_kept(b):
    """The engine keeps its id and counts its starts: a replay after a restart is refused by every manager."""
    port, seen = free_port(), []
    b.snapshot()
    for _ in range(2):
        agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
        assert b.own(port, "1.1.1.0", auth=USER) == "1"
        agent.terminate()
        agent.wait(60)
        seen.append((b.dir / "snmp-engine").read_text().split())
    assert seen[0][0] == seen[1][0] and [s[1] for s in seen] == ["1", "2"], seen


def engine_at_the_end_of_its_starts(b):
    """An engine that started as often as can be counted would answer nobody: another one takes its place."""
    port = free_port()
    b.snapshot()
    for starts, kept in ((2**31 - 3, True), (2**31 - 2, False), (2**31 - 1, False), (2**31, False)):
        (b.dir / "snmp-engine").write_text(f"80001f8805aabbccddeeff0011 {starts}\n")
        agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
        assert b.own(port, "1.1.1.0", auth=USER) == "1", starts
        assert (b.dir / "snmp-engine").read_text().startswith("80001f8805aabbccddeeff0011 ") == kept, starts
        agent.terminate()
        agent.wait(60)


def refuses_to_start(b):
    """What is wrong is said before anything is opened."""
    b.snapshot()
    for users, mode, flags, says in ((USERS, 0o644, [], "chmod 0600"), ("user x MD5 aaaaaaaa AES bbbbbbbb", 0o600, [], "line 1"),
                                     ("", 0o600, [], "nobody could ask"), (USERS, 0o600, ["--base", "1.3.6.1"], "snmp.base_oid"),
                                     (USERS, 0o600, ["--sink", "127.0.0.1"], "expected agentx")):
        b.users(users, mode)
        done = subprocess.run([b.build / "tests/snmp-agent", "--users", b.dir / "users", "--state", b.dir, "--standalone",
                               f"udp:127.0.0.1:{free_port()}", *flags, b.dir / "snapshot"], env=b.env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and says in done.stderr, (says, done)


def random_pdus(b):
    """10,000 random, cut and bent PDUs: no crash, no growth, and answers go on."""
    port, rng = free_port(), random.Random(5)
    b.snapshot("--drives", 32)
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    client, good = Client(port), message(GET, [SEQ])
    roots = [oid_tuple(BASE), (1, 3, 6, 1, 2, 1, 47), (1, 3), SEQ, (2, 39, 4294967295), oid_tuple(BASE + ".1.6.1.7.1.1")]
    client.ask(good)
    engine = bytes.fromhex((b.dir / "snmp-engine").read_text().split()[0])
    for i in range(10000):
        kind = rng.choice((GET, NEXT, BULK, SET, 0xA2, 0xA4, 0xA6, 0xA7, 0xA8, 0xAF))
        oids = [r + tuple(rng.choice((0, 1, 2, 127, 128, 2**32 - 1)) for _ in range(rng.randrange(6))) for r in rng.choices(roots, k=rng.randrange(1, 9))]
        data = bytearray(message(kind, oids, rng.choice((0, 1, -1, 2**31 - 1)), rng.choice((0, 1, 25, -5, 100000, 2**31 - 1)), i))
        if i % 5 == 4:
            data = bytearray(message3(kind, oids[:2], i, rng.choice(("monitor", "", "x" * 40)), rng.choice((b"", engine, rng.randbytes(40))),
                                      rng.choice((0, 1, 3, 4, 7, 255)), rng.randbytes(rng.choice((0, 12, 24, 60))), rng.randbytes(rng.choice((0, 8, 9)))))
        how = rng.randrange(4)
        if how == 0:
            data = data[:rng.randrange(len(data))]
        elif how == 1:
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif how == 2 and i % 3 == 0:
            data = bytearray(rng.randbytes(rng.randrange(1, 400)))
        if data:
            client.send(bytes(data))
        if i % 10 == 0:
            client.settle(SEQ)
        if i == 2000:
            begin = resident_kb(agent)
        if i % 1000 == 999:
            until(lambda: b.own(port, "1.1.1.0") == "1", 60, f"answers after {i} packets")
    assert agent.poll() is None and b.own(port, "1.1.1.0", auth=USER) == "1"
    assert b.sanitized or resident_kb(agent) - begin < 512, (begin, resident_kb(agent))
    agent.terminate()
    assert agent.wait(60) == 0


def hot_removal(b):
    """1,000 GETBULKs while drives come and go: each answer is of one snapshot, rises, and is never cut off."""
    port = free_port()
    b.snapshot("--drives", 16, "--seq", 1)
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    stop, written = threading.Event(), [1]

    def write():
        while not stop.is_set():
            written[0] += 1
            b.snapshot("--drives", (16, 9, 0, 8, 17)[written[0] % 5], *(["--odd"] if written[0] % 2 else []), "--seq", written[0])
    writer = threading.Thread(target=write)
    writer.start()
    try:
        client, seen, at, i = Client(port, 60.0), set(), oid_tuple(BASE + ".1.4.1"), -1
        while i < 999 or len(seen) <= 5:  # the writer may be slower than the walker
            i += 1
            status, got = bindings(client.ask(message(BULK, [SEQ[:-1], TICKS[:-1], at], 2, 40, i)))
            assert status == 0 and len(got) >= 3, (status, len(got))
            seq, ticks = (int.from_bytes(g[2], "big") for g in got[:2])
            assert ticks == 1800 + seq, (seq, ticks)
            names = [g[0] for g in got[2:] if g[1] < 0x80]
            seen.add(seq)
            at = oid_tuple(BASE + f".1.{3 + i % 13}.1")
            assert len(set(names)) == len(names)
    finally:
        stop.set()
        writer.join()
    agent.terminate()
    assert agent.wait(60) == 0


def hot_removal_through_the_master(b):
    """The same through snmpd, which asks for each value by itself: rows come and go under it, names rise, nobody dies."""
    port = free_port()
    b.snapshot("--drives", 16, "--seq", 1)
    master = b.snmpd(port)
    agent = b.agent("--agentx", "auto", "--socket", b.dir / "agentx")
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "connected")
    client, root, seen = Client(port, 60.0), oid_tuple(BASE + ".1.4.1"), set()
    at, i = root, 0
    while i < 300 or len(seen) < 20:
        i += 1
        if i % 3 == 0:
            b.snapshot("--drives", (16, 9, 0, 8, 17)[i // 3 % 5], *(["--odd"] if i % 2 else []), "--seq", i)
        status, got = bindings(client.ask(message(BULK, [SEQ[:-1], at], 1, 20, i)))
        assert status == 0 and got, (status, len(got))
        seen.add(got[0][2])
        names = [oid_of(g[0]) for g in got[1:] if g[1] < 0x80]
        assert all(x < y for x, y in zip([at, *names], names)), (at, names)
        at = names[-1] if names and names[-1][:11] == root[:11] else root
    assert agent.poll() is None and master.poll() is None
    return f"{i} answers of {len(seen)} snapshots"


def one_snapshot_an_answer_through_the_master(b):
    """snmpd asks for each repetition of a GETBULK by itself, while snapshots come every 2 ms: each answer is of one."""
    port, stop, seen = free_port(), threading.Event(), set()
    made = [b.snapshot("--drives", 2, "--seq", i, name=f"made{i}") for i in range(1, 41)]
    b.snapshot("--drives", 2, "--seq", 1)
    b.snmpd(port)
    b.agent("--agentx", "auto", "--socket", b.dir / "agentx")
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "connected")

    def write():
        while not stop.is_set():
            for path in made:
                os.link(path, b.dir / "next")
                (b.dir / "next").rename(b.dir / "snapshot")
                stop.wait(0.002)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        client, i = Client(port, 60.0), 0
        while i < 500 or len(seen) < 20:
            i += 1
            status, got = bindings(client.ask(message(BULK, [SEQ[:-2]], 0, 10, i)))
            values = {oid_of(g[0]): int.from_bytes(g[2], "big") for g in got}
            assert status == 0 and values[TICKS] == 1800 + values[SEQ], (values[TICKS], values[SEQ])
            seen.add(values[SEQ])
    finally:
        stop.set()
        writer.join()
    return f"{i} answers of {len(seen)} snapshots"


def swap_during_walks(b):
    """Cards are renumbered and drives swapped in the middle of walks: names rise from answer to answer, each answer is of one snapshot, each walk ends."""
    port, seq, mixed = free_port(), 1, 0
    names, serials = oid_tuple(BASE + ".1.3.1.2"), oid_tuple(BASE + ".1.5.1.2")
    b.snapshot("--drives", 40, "--seq", seq, "--turned")
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    client = Client(port, 60.0)
    for walk in range(12):
        last, snapshots, inside = serials, set(), True
        for i in range(100):
            if i % 3 == 1:
                seq += 1
                b.snapshot("--drives", (40, 33)[seq // 2 % 2], *(["--turned"] if seq % 2 else []), "--seq", seq)
            status, got = bindings(client.ask(message(BULK, [SEQ[:-1], names, last], 2, 7, walk * 100 + i)))
            of = int.from_bytes(got[0][2], "big")
            turned = of % 2
            assert status == 0 and got[1][2] == ((b"drive-4" if of // 2 % 2 else b"lqd4500-4") if turned else b"lqd4500-0"), (of, got[1])
            snapshots.add(of)
            for name, _, value in got[2:]:
                where = oid_of(name)
                assert where > last, (where, last)
                last = where
                inside = where[:len(serials)] == serials
                assert not inside or value.startswith(b"SWAPPED") == bool(turned), (of, value)
            if not inside:
                break
        assert not inside, "the walk does not end"
        mixed += len(snapshots) > 1
    assert mixed > 5, mixed
    return f"{seq} snapshots, {mixed} of 12 walks over more than one"


def many_descriptors(b):
    """Descriptor numbers beyond 1024."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2048:
        return "not enough descriptors allowed here"
    port = free_port()
    b.snapshot()
    b.agent("--descriptors", 1200, "--standalone", f"udp:127.0.0.1:{port}",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    assert b.own(port, "1.1.1.0") == "1" and len(b.walk(port)) > 1000


def agentx(b):
    """Through a master the same walk as standalone; ENTITY-MIB too; a clean goodbye."""
    port, alone = free_port(), free_port()
    b.snapshot("--drives", 13, "--odd", "--events", 20, "--alarms", 12)
    b.snmpd(port)
    agent = b.agent("--agentx", "auto", "--socket", b.dir / "agentx", "--standalone", f"udp:127.0.0.1:{alone}")
    until(lambda: b.own(port, "1.2.4.0") == "3", 60, "connected")
    until(lambda: b.own(port, "1.2.5.0") == "2", 60, "ENTITY-MIB is served")
    for root in BASE, "1.3.6.1.2.1.47", "1.3.6.1.2.1.99":
        walk = b.walk(port, root)
        assert len(walk) > 300, (root, len(walk))
        same_but_time(walk, b.walk(alone, root))
    assert "snmpd" in (b.get(port, "1.3.6.1.2.1.1.1.0") or "") or "Linux" in (b.get(port, "1.3.6.1.2.1.1.1.0") or ""), "our system group hides the master's"
    refused = b.tool("snmpset", port, f".{BASE}.1.1.1.0", "i", "1").stderr
    assert "noAccess" in refused or "notWritable" in refused, refused
    agent.terminate()
    assert agent.wait(60) == 0
    assert b.own(port, "1.1.1.0") is None and b.get(port, "1.3.6.1.2.1.1.3.0"), "the master still has our rows, or died"


def slowest_answer(port, seconds):
    client, worst, end = Client(port, 60.0), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        client.ask(message(GET, [SEQ]))
        worst = max(worst, time.monotonic() - began)
        time.sleep(0.02)
    return worst


def master_comes_and_goes(b):
    """Absent at start, killed, restarted, frozen; our own death too. Everything comes back by itself, silently.

    How soon is judged by how long a fresh agent takes to be seen in the same run: a busy machine delays both."""
    port, alone, back, lost = free_port(), free_port(), [], []
    b.snapshot()
    flags = ["--agentx", "auto", "--socket", b.dir / "agentx"]
    agent = b.agent(*flags, "--standalone", f"udp:127.0.0.1:{alone}")
    assert b.own(alone, "1.2.4.0") == "2", "waiting"
    for _ in range(5):
        master = b.snmpd(port)
        back.append(until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back after a start of the master"))
        master.kill()
        master.wait()
        lost.append(until(lambda: b.own(alone, "1.2.4.0") == "2", 60, "the loss is noticed"))
    master = b.snmpd(port)
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back")
    began = time.monotonic()
    fresh = b.agent(*flags, "--base", BASE + ".8", log="fresh.log")
    until(lambda: b.own(port, "8.1.1.1.0") == "1", 60, "a fresh agent is seen")
    rival = time.monotonic() - began
    fresh.terminate()
    fresh.wait(60)
    print("  rows back after", *(f"{s:.2f}" for s in back), "s, loss noticed after", *(f"{s:.2f}" for s in lost), f"s; a fresh agent is seen after {rival:.2f} s")
    assert statistics.median(back) < 2 + 5 * rival and statistics.median(lost) < 2 + 5 * rival, (back, lost, rival)
    well = slowest_answer(alone, 2)
    master.send_signal(signal.SIGSTOP)
    worst = slowest_answer(alone, 6)
    print(f"  slowest answer of the agent of our own while the master is frozen: {worst:.2f} s, before {well:.2f} s")
    assert worst < 1.5 + 5 * well, worst
    began = time.monotonic()
    late = b.agent(*flags, "--base", BASE + ".9", log="late.log")
    took = time.monotonic() - began
    print(f"  start while the master is frozen: {took:.2f} s")
    assert took < 2 + 5 * rival, took
    master.send_signal(signal.SIGCONT)
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back after the master thaws")
    until(lambda: b.own(port, "9.1.1.1.0") == "1", 60, "the late one is seen as well")
    late.terminate()
    assert late.wait(60) == 0
    agent.kill()
    agent.wait()
    b.agent("--agentx", "auto", "--socket", b.dir / "agentx")
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back after our own death")
    lines = (b.dir / "agent.log").read_text().splitlines()
    assert len(lines) < 20, lines


def entity_taken(b):
    """Another subagent has ENTITY-MIB: ours steps back and says so; `on` insists; `off` does not ask."""
    port = free_port()
    b.snapshot()
    b.snmpd(port)
    flags = ["--agentx", "on", "--socket", b.dir / "agentx"]
    first = b.agent(*flags)
    until(lambda: b.own(port, "1.2.5.0") == "2", 60, "the first has it")
    second = b.agent(*flags, "--base", BASE + ".2", log="second.log")
    until(lambda: b.own(port, "2.1.2.5.0") == "3", 60, "the second says taken")
    assert b.own(port, "1.2.5.0") == "2" and len(b.walk(port, "1.3.6.1.2.1.99")) > 50
    assert "another subagent" in (b.dir / "second.log").read_text()
    second.terminate()
    second.wait(60)
    third = b.agent(*flags, "--base", BASE + ".3", "--entity", "on", log="third.log")
    until(lambda: b.own(port, "3.1.2.5.0") == "2", 60, "the third insists")
    third.terminate()
    third.wait(60)
    fourth = b.agent(*flags, "--base", BASE + ".4", "--entity", "off", log="fourth.log")
    until(lambda: b.own(port, "4.1.2.5.0") == "1", 60, "the fourth does not ask")
    assert len(b.walk(port, "1.3.6.1.2.1.99")) > 50
    assert first.poll() is None and fourth.poll() is None


CASES = [standalone, every_set_is_refused, every_protocol, moved_base, wrong_keys, engine_is_kept, engine_at_the_end_of_its_starts, refuses_to_start, random_pdus, hot_removal, hot_removal_through_the_master, one_snapshot_an_answer_through_the_master, swap_during_walks, many_descriptors, agentx, master_comes_and_goes,
         entity_taken]


def main(cases):
    source, build, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = 0
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        began = time.monotonic()
        with Bench(source, build) as b:
            try:
                note = case(b)
                print(f"ok   {case.__name__} ({time.monotonic() - began:.1f} s){': ' + note if note else ''}", flush=True)
            except Exception as e:
                failed += 1
                print(f"FAIL {case.__name__}: {type(e).__name__}: {e}", flush=True)
                for log in sorted(b.dir.glob("*.log")):
                    print(f"--- {log.name}\n" + "\n".join(log.read_text(errors='replace').splitlines()[-12:]))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(CASES))
