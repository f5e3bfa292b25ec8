#!/usr/bin/env python3
"""Messages that are well made and meant ill: numbers at the ends of their range, lengths that lie, names too long, answers too large, SNMPv3 by a
user who knows the keys and lies about the rest. The agent answers on, with the same values and in the same memory.

usage: test_abuse.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import random
import sys
import time

import test_agent
from kit import BASE, BULK, COMMUNITY, GET, NEXT, SET, USER, Client, bindings, free_port, integer, message, oid_of, oid_tuple, tlv, until
from test_agent import resident_kb

SEQ = oid_tuple(BASE + ".1.1.1.0")
NUMBERS = (-2**31, -2**31 + 1, -256, -1, 0, 1, 2, 127, 128, 255, 256, 65535, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -2**63, 2**64, 2**100)
TREES = [oid_tuple(t) for t in (BASE, BASE + ".1.4.1", BASE + ".1.6.1.7", "1.3.6.1.2.1.47.1", "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.1", "1.3", "2", "0")]
VALUES = [tlv(5, b""), integer(1), tlv(4, b"x" * 100), tlv(6, b"\x2b"), tlv(6, b""), tlv(0x41, b"\xff" * 5), tlv(0x46, b"\xff" * 9), tlv(0x40, b"1"), tlv(2, b""),
          tlv(2, b"\x01" * 40), tlv(0x80, b""), tlv(0x82, b""), tlv(0x30, b""), tlv(0x44, b"\x9f\x78\x04\x42\xf6\x00\x00"), tlv(0x44, b"\x9f\x78\x7f")]


def oid_bytes(ids):
    """Any numbers, however large, and any count."""
    body = bytearray()
    for i in [ids[0] * 40 + (ids[1] if len(ids) > 1 else 0), *ids[2:]] if ids else []:
        part = [i & 127]
        while i > 127:
            i >>= 7
            part.append(128 | i & 127)
        body += bytes(reversed(part))
    return body


def any_name(rng):
    ids = list(rng.choice(TREES))
    for _ in range(rng.choice((0, 0, 1, 3, 10, 118, 126, 127, 128, 129, 300))):
        ids.append(rng.choice((0, 1, 2, 3, 127, 128, 255, 16383, 16384, 2**28, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63)))
    body = bytes(oid_bytes(ids))
    odd = rng.randrange(12)
    return body + b"\x80" * 3 if odd == 0 else b"\x80\x80" + body if odd == 1 else body[:-1] + b"\xff" if odd == 2 and body else body


def sequence(rng, tag, body):
    """A length that is right, or lies, in a form that is short, long or endless."""
    how = rng.randrange(40)
    n = len(body) if how > 2 else rng.choice((0, 1, len(body) - 1, len(body) + 1, 2**16, 2**31 - 1, 2**32 - 1)) if len(body) else 1
    if how == 3:
        return bytes([tag, 0x80]) + body + b"\0\0"
    if how == 4:
        return bytes([tag, 0x84]) + (n & 0xffffffff).to_bytes(4, "big") + body
    if how == 5:
        return bytes([tag, 0x88]) + n.to_bytes(8, "big") + body
    return tlv(tag, body) if n == len(body) else bytes([tag, 0x84]) + (n & 0xffffffff).to_bytes(4, "big") + body


def any_pdu(rng, pool=[]):
    if not pool:  # making names is what takes time
        pool += [sequence(rng, 0x30, sequence(rng, 6, any_name(rng)) + rng.choice(VALUES[:1] * 8 + VALUES)) for _ in range(2000)]
    kind = rng.choice((GET, NEXT, BULK, BULK, BULK, SET, 0xA2, 0xA4, 0xA6, 0xA7, 0xA8))
    binds = b"".join(rng.choices(pool, k=rng.choice((0, 1, 1, 2, 5, 40, 200))))
    return sequence(rng, kind, integer(rng.choice(NUMBERS)) + integer(rng.choice(NUMBERS)) + integer(rng.choice(NUMBERS)) + sequence(rng, 0x30, binds))


def any_v2c(rng):
    community = rng.choice((COMMUNITY.encode(),) * 6 + (b"", b"\0" * 8, COMMUNITY.encode() + b"\0", b"x" * 256, b"y" * 60000))
    return sequence(rng, 0x30, integer(rng.choice((1,) * 8 + NUMBERS)) + tlv(4, community) + any_pdu(rng))


def any_v3(rng, engine):
    ids = (engine,) * 4 + (b"", b"\0", engine[:-1], engine + b"x", b"e" * 32, b"e" * 33, b"e" * 5000)
    security = tlv(0x30, tlv(4, rng.choice(ids)) + integer(rng.choice(NUMBERS)) + integer(rng.choice(NUMBERS)) + tlv(4, rng.choice((b"monitor", b"", b"m" * 33, b"u" * 5000))) +
                   tlv(4, rng.choice((b"", b"\0" * 12, b"\0" * 24, b"a" * 25, b"a" * 3000))) + tlv(4, rng.choice((b"", b"\0" * 8, b"\0" * 9, b"p" * 3000))))
    scoped = tlv(0x30, tlv(4, rng.choice(ids)) + tlv(4, rng.choice((b"", b"odd", b"c" * 300, b"\xff" * 64))) + any_pdu(rng))
    header = tlv(0x30, integer(rng.choice(NUMBERS)) + integer(rng.choice((65507, 484, 483, 0) + NUMBERS)) +
                 tlv(4, rng.choice((b"", b"\0", b"\1", b"\3", b"\4", b"\7", b"\xff", b"\4\4"))) + integer(rng.choice((3,) * 6 + NUMBERS)))
    return sequence(rng, 0x30, integer(3) + header + tlv(4, security) + rng.choice((scoped, tlv(4, scoped))))


def structured(b):
    """10,000 messages from a seed: no crash, no growth, no other answer afterwards."""
    port, rng = free_port(), random.Random(11)
    b.snapshot("--drives", 16, "--odd")
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    client, before = Client(port), b.walk(port, BASE + ".1.4")
    assert b.own(port, "1.1.1.0", auth=USER) == "1" and len(before) > 100
    engine = bytes.fromhex((b.dir / "snmp-engine").read_text().split()[0])
    begin = 0
    for i in range(10000):
        data = any_v3(rng, engine) if i % 4 == 0 else any_v2c(rng)
        if len(data) < 65500:
            client.send(data)
        if i % 10 == 0:
            client.settle(SEQ)
        if i % 500 == 499:
            until(lambda: b.own(port, "1.1.1.0") == "1", 60, f"answers after {i} messages")
        if i == 3000:
            begin = resident_kb(agent)
    grown = resident_kb(agent) - begin
    assert agent.poll() is None and b.own(port, "1.1.1.0", auth=USER) == "1" and b.walk(port, BASE + ".1.4") == before
    assert b.sanitized or grown < 512, grown
    lost = next(int(line.split()[-1]) for line in open("/proc/net/udp") if f":{port:04X} 0" in line)
    assert lost < 1000, lost
    agent.terminate()
    assert agent.wait(60) == 0
    return f"grown by {grown} kB, {lost} messages lost"


def amplification(b):
    """The largest answers that can be asked for: each fits a datagram, costs milliseconds, and 500 of them leave nothing behind."""
    port = free_port()
    b.snapshot("--drives", 256)
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    client, root, worst, largest, begin = Client(port, 60.0), oid_tuple(BASE + ".1.6"), 0, 0, 0
    for i in range(500):
        first, times = ((0, 2**31 - 1), (-1, 2**31 - 1), (2**31 - 1, 2**31 - 1), (-2**31, 100000), (3, 2**31 - 1))[i % 5]
        began = time.monotonic()
        status, got = bindings(client.ask(message(BULK, [root] * (1, 7, 100)[i % 3], first, times, i)))
        worst, largest = max(worst, time.monotonic() - began), max(largest, len(got))
        assert status == 0 and got and oid_of(got[0][0]) > root, (i, status, len(got))
        if i == 100:
            begin = resident_kb(agent)
    grown = resident_kb(agent) - begin
    assert b.sanitized or grown < 512, grown
    return f"at most {largest} values and {worst * 1000:.1f} ms an answer, grown by {grown} kB"


def too_big(b):
    """What does not fit a datagram, or what an SNMPv3 manager takes, is refused as Debian's snmpd does it, never cut in the middle; less is then given."""
    port = free_port()
    b.snapshot("--drives", 8)
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    client, model = Client(port, 60.0), oid_tuple(BASE + ".1.5.1.4.1.1")
    for n in 2000, 500, 1500, 1:
        client.send(message(GET, [model] * n, request=n))
        status, got = bindings(client.ask(message(GET, [model] * 3, request=3))) if n > 1000 else bindings(client.socket.recv(65536))
        assert status == 0 and len(got) == (3 if n > 1000 else n), (n, status, len(got))  # the library answers the large ones with silence
    (b.dir / "snmp.conf").write_text("sendMessageMaxSize 484\n")
    small = b.walk(port, BASE + ".1.4", repeat=2, auth=USER)
    refused = b.tool("snmpbulkget", port, "-Cr50", f".{BASE}.1.4", auth=USER)
    (b.dir / "snmp.conf").unlink()
    assert small == b.walk(port, BASE + ".1.4", repeat=50, auth=USER) and len(small) > 100, len(small)
    assert refused.returncode == 2 and "Error in packet" in refused.stderr, refused


def lies_with_the_right_keys(b):
    """The user is known and the keys are right: another engine, other starts and times, and other contexts get no value, and later honest questions do."""
    port = free_port()
    b.snapshot()
    agent = b.agent("--standalone", f"udp:127.0.0.1:{port}")
    engine = (b.dir / "snmp-engine").read_text().split()[0]
    assert b.own(port, "1.1.1.0", auth=USER) == "1"
    lies = [["-n", "odd"], ["-n", "c" * 255], ["-e", "0x80001f8805" + "00" * 8]]
    for lie in lies:
        assert b.own(port, "1.1.1.0", auth=USER + lie) is None, lie
        assert b.own(port, "1.1.1.0", auth=USER) == "1", lie
    for boots, seconds in (1, 0), (0, 0), (2, 0), (99, 12345), (2**31 - 1, 0), (1, 2**31 - 1):
        # The tool sends what it is told, and is told the truth by a report: a value may come of its second question alone.
        got = b.own(port, "1.1.1.0", auth=USER + ["-e", "0x" + engine, "-Z", f"{boots},{seconds}"])
        assert got in (None, "1"), (boots, seconds, got)
        assert b.own(port, "1.1.1.0", auth=USER) == "1", (boots, seconds)
    assert agent.poll() is None


CASES = [structured, amplification, too_big, lies_with_the_right_keys]

if __name__ == "__main__":
    sys.exit(test_agent.main(CASES))
