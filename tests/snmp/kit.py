"""What the SNMP tests share: our agent, net-snmp's daemons with private configurations, and a small raw client. Loopback only."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

BASE = "1.3.6.1.4.1.8072.9999.9999.10450"
COMMUNITY = "testing"
USER = ["-v3", "-u", "monitor", "-l", "authPriv", "-a", "SHA-256", "-A", "correct horse", "-x", "AES", "-X", "battery staple"]
USERS = 'user monitor SHA-256 "correct horse" AES "battery staple"\n'


class Bench:
    """A scratch directory, and every process started in it ended with it."""

    def __init__(self, source, build):
        self.source, self.build = pathlib.Path(source).resolve(), pathlib.Path(build).resolve()
        cache = self.build / "CMakeCache.txt"
        self.sanitized = cache.exists() and "-fsanitize" in cache.read_text()  # memory and speed mean nothing then, leaks are told at exit
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="snmp-test-"))
        self.running = []
        self.env = dict(os.environ, MIBS="", MIBDIRS="", SNMPCONFPATH=str(self.dir), SNMP_PERSISTENT_DIR=str(self.dir / "persist"), LC_ALL="C")
        self.users(USERS + f"community {COMMUNITY}\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.running:
            with contextlib.suppress(ProcessLookupError):
                p.send_signal(signal.SIGCONT)
                p.kill()
            p.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def users(self, text, mode=0o600):
        path = self.dir / "users"
        path.write_text(text)
        path.chmod(mode)
        return path

    def snapshot(self, *flags, name="snapshot"):
        """Replaces the file as the daemon does."""
        new = self.dir / (name + ".new")
        subprocess.run([self.build / "tests/make-snapshot", *map(str, flags), new], check=True)
        new.rename(self.dir / name)
        return self.dir / name

    def start(self, *argv, log=None, **more):
        out = open(self.dir / log, "ab") if log else subprocess.DEVNULL
        p = subprocess.Popen(list(map(str, argv)), env=self.env, cwd=self.dir, stdin=subprocess.DEVNULL, stdout=more.pop("stdout", out),
                             stderr=out, **more)
        self.running.append(p)
        return p

    def agent(self, *flags, name="snapshot", log="agent.log", prefix=(), **more):
        """The SNMP side of the exporter; returns when it is ready."""
        p = self.start(*prefix, self.build / "tests/snmp-agent", "--users", self.dir / "users", "--state", self.dir, *flags, self.dir / name,
                       log=log, stdout=subprocess.PIPE, **more)
        if p.stdout.readline() != b"ready\n":
            raise RuntimeError("the agent does not start: " + (self.dir / log).read_text())
        return p

    def snmpd(self, port, *lines):
        """An AgentX master; returns when it answers."""
        conf = self.dir / "snmpd.conf"
        conf.write_text("\n".join((f"agentaddress udp:127.0.0.1:{port}", f"rocommunity {COMMUNITY} 127.0.0.1", "master agentx",
                                   f"agentXSocket {self.dir}/agentx", *(lines if any("agentXPerms" in x for x in lines) else ("agentXPerms 0660 0755", *lines)))) + "\n")
        p = self.start("snmpd", "-f", "-Lf", self.dir / "snmpd.log", "-C", "-c", conf)
        until(lambda: self.get(port, "1.3.6.1.2.1.1.3.0"), 60, "snmpd answers")
        return p

    def trapd(self, port, *lines, log="traps.log", address=None):
        conf = self.dir / "snmptrapd.conf"
        conf.write_text("\n".join((f"authCommunity log {COMMUNITY}", *lines)) + "\n")
        p = self.start("snmptrapd", "-f", "-Lf", self.dir / log, "-C", "-c", conf, "-On", "-Ot", "-m", "", address or f"udp:127.0.0.1:{port}")
        until(lambda: (self.dir / log).exists() and "NET-SNMP" in (self.dir / log).read_text(errors="replace"), 60, "snmptrapd listens")
        return p

    def tool(self, name, port, *args, auth=("-v2c", "-c", COMMUNITY)):
        return subprocess.run([name, *auth, "-On", "-Oe", "-t", "1", "-r", "1", f"udp:127.0.0.1:{port}", *args] if name != "snmpset" else
                              [name, *auth, "-On", f"udp:127.0.0.1:{port}", *args], env=self.env, capture_output=True, text=True)

    def get(self, port, oid, auth=("-v2c", "-c", COMMUNITY)):
        """The value of one instance as text, or None."""
        m = re.match(r"\.[\d.]+ = (?:[\w -]+: )?(.*)", self.tool("snmpget", port, "." + oid, auth=auth).stdout)
        return m.group(1) if m and "No Such" not in m.group(1) else None

    def own(self, port, oid, **more):
        return self.get(port, f"{BASE}.{oid}", **more)

    def walk(self, port, oid=BASE, repeat=25, auth=("-v2c", "-c", COMMUNITY)):
        """[(oid as tuple, text)] in the order of arrival."""
        done = subprocess.run(["snmpbulkwalk", *auth, "-On", "-Oe", "-t", "3", f"-Cr{repeat}", f"udp:127.0.0.1:{port}", "." + oid],
                              env=self.env, capture_output=True, text=True)
        return [(oid_tuple(o), v.strip()) for o, v in re.findall(r"^\.([\d.]+) = (.*(?:\n(?!\.\d).*)*)$", done.stdout, re.M) if "No " not in v[:4]]


def oid_tuple(text):
    return tuple(map(int, text.strip(".").split(".")))


def until(condition, seconds, what):
    """Seconds it took."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > seconds:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - begin


def free_port(kind=socket.SOCK_DGRAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


TRAP_OID = ".1.3.6.1.6.3.1.1.4.1.0"


def received(b, log="traps.log"):
    """[(number of the notification, event, text)] in the order of arrival."""
    out = []
    for line in (b.dir / log).read_text(errors="replace").splitlines():
        number = re.search(re.escape(TRAP_OID) + r" = OID: \." + re.escape(BASE) + r"\.0\.(\d+)", line)
        if number:
            event = re.search(re.escape(f".{BASE}.1.16.9.0") + r" = Gauge32: (\d+)", line)
            text = re.search(re.escape(f".{BASE}.1.16.8.0") + r' = STRING: "?([^"\t]*)', line)
            out.append((int(number.group(1)), int(event.group(1)), text.group(1)))
    return out


def sequence(b, log="traps.log"):
    """elNotifySequence of each notification."""
    return [int(n) for n in re.findall(re.escape(f".{BASE}.1.16.1.0") + r" = Gauge32: (\d+)", (b.dir / log).read_text(errors="replace"))]


# Raw client: enough BER to send what no tool sends.

def tlv(tag, body):
    n = len(body)
    length = bytes([n]) if n < 128 else bytes([0x83]) + n.to_bytes(3, "big")
    return bytes([tag]) + length + body


def integer(v):
    return tlv(2, v.to_bytes(max(1, (v.bit_length() + 8) // 8), "big", signed=True))


def oid(ids):
    body = bytearray([ids[0] * 40 + ids[1]])
    for i in ids[2:]:
        part = [i & 127]
        while i > 127:
            i >>= 7
            part.append(128 | i & 127)
        body += bytes(reversed(part))
    return tlv(6, bytes(body))


GET, NEXT, SET, BULK = 0xA0, 0xA1, 0xA3, 0xA5


def message(kind, oids, first=0, second=0, request=1, community=COMMUNITY):
    """v2c. first, second: error status and index, or non-repeaters and max-repetitions."""
    binds = b"".join(tlv(0x30, oid(o) + tlv(5, b"")) for o in oids)
    return tlv(0x30, integer(1) + tlv(4, community.encode()) +
               tlv(kind, integer(request) + integer(first) + integer(second) + tlv(0x30, binds)))


def message3(kind, oids, request=1, user="monitor", engine=b"", flags=7, auth=b"\0" * 24, priv=b"\0" * 8):
    """v3 with security parameters that cannot be right."""
    binds = b"".join(tlv(0x30, oid(o) + tlv(5, b"")) for o in oids)
    security = tlv(0x30, tlv(4, engine) + integer(1) + integer(1) + tlv(4, user.encode()) + tlv(4, auth) + tlv(4, priv))
    scoped = tlv(0x30, tlv(4, engine) + tlv(4, b"") + tlv(kind, integer(request) + integer(0) + integer(0) + tlv(0x30, binds)))
    return tlv(0x30, integer(3) + tlv(0x30, integer(request) + integer(65507) + tlv(4, bytes([flags])) + integer(3)) + tlv(4, security) +
               (tlv(4, scoped) if flags & 2 else scoped))


def parse(data):
    """One TLV: (tag, body, rest)."""
    n, at = data[1], 2
    if n & 128:
        at += n & 127
        n = int.from_bytes(data[2:at], "big")
    return data[0], data[at:at + n], data[at + n:]


def bindings(answer):
    """(error status, [(oid bytes, tag, value bytes)]) of a v2c answer."""
    _, body, _ = parse(answer)
    _, _, body = parse(body)
    _, _, body = parse(body)
    _, pdu, _ = parse(body)
    _, _, pdu = parse(pdu)
    _, status, pdu = parse(pdu)
    _, _, pdu = parse(pdu)
    _, binds, _ = parse(pdu)
    out = []
    while binds:
        _, one, binds = parse(binds)
        _, name, value = parse(one)
        tag, value, _ = parse(value)
        out.append((name, tag, value))
    return int.from_bytes(status, "big"), out


def oid_of(body):
    """The OID of encoded bytes, as a tuple."""
    ids, v = [body[0] // 40, body[0] % 40], 0
    for byte in body[1:]:
        v = v << 7 | byte & 127
        if byte < 128:
            ids.append(v)
            v = 0
    return tuple(ids)


class Client:
    def __init__(self, port, timeout=1.0):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))

    def send(self, data):
        self.socket.send(data)

    def ask(self, data):
        self.socket.send(data)
        return self.socket.recv(65536)

    def settle(self, oid):
        """Until a question is answered that was asked last: all before it were read. Asked again when the queue was full."""
        data, want = message(GET, [oid], request=0x5e771e), integer(0x5e771e)
        for _ in range(60):
            self.socket.settimeout(1.0)
            with contextlib.suppress(OSError):
                self.socket.send(data)
                while want not in self.socket.recv(65536)[:40]:
                    pass
                return
        raise AssertionError("no answer within a minute")
