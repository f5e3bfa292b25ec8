#!/usr/bin/env python3
"""misbehave.py BUILD [plain|tls|tls_rsa|passwords|ATTACK...]: clients that misbehave, on loopback, and a good scraper among them. The good one is never refused, its
p99 stays within 5 x the quiet one, memory stays bounded, and all is free again 5 s later.

Quiet is the quietest that was measured with nothing going on; what else runs on the machine can only make a ratio worse, so the best of a few tries
counts.
Where that is not enough, a bare libmicrohttpd under the same attack is the measure, in turns: attackers take the same processors on a test machine as
the server does, and what the kernel spends on their connections is not the server's doing."""
import base64
import contextlib
import http.client
import multiprocessing
import os
import pathlib
import random
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from harness import Authority, Exporter, free_port, wait_until

FLOOR = 0.004  # below this it is the scheduler that is measured
SCRAPES = 300
LONG, FEWEST = 30, 20  # s; on a machine that has no time to sign, fewer scrapes must do
TRIES = 8
RIVAL = 2  # x the bare server, whose turn comes right after: what runs beside changes by the second
MEMORY_KB = 24 * 1024  # at most, under attack: 256 connections of 16 KB and what the library keeps of each

HASH = "$2y$10$AFzpgz07s2NQ.OBqgmmsg.PxtDFPPX2TauruU3ozq6fzRKw.hiCaq"
PASSWORD = {"Authorization": "Basic " + base64.b64encode(b"alice:wonderland").decode()}


def dial(port, source=None):
    s = socket.socket()
    s.setblocking(False)
    if source:
        s.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        s.bind((source, 0))
    s.connect_ex(("127.0.0.1", port))
    return s


def send(s, data):
    try:
        s.send(data)
        return True
    except OSError:
        return False


# Each attack runs in a process of its own until it is killed.

def slow_sockets(port):
    """1,000 sockets, each a byte now and then, redialled when cut."""
    sockets = [dial(port) for _ in range(1000)]
    while True:
        for i, s in enumerate(sockets):
            if not send(s, b"G"):
                s.close()
                sockets[i] = dial(port)
        time.sleep(0.5)


def half_requests(port):
    """10,000 requests that stop half way, as fast as they can be opened, kept open."""
    kept = []
    while True:
        s = dial(port)
        kept.append(s)
        if len(kept) >= 100:
            for one in kept[-100:-50]:
                send(one, b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-")
        if len(kept) >= 10000:
            for one in kept:
                one.close()
            kept.clear()
            time.sleep(0.5)
        time.sleep(0.0002)


def pipelining(port):
    """Hundreds of requests in one go, answers never read."""
    sockets = []
    while True:
        s = dial(port)
        time.sleep(0.002)
        send(s, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 400)
        sockets.append(s)
        if len(sockets) > 300:
            sockets.pop(0).close()


def giant_headers(port):
    sockets = []
    while True:
        s = dial(port)
        time.sleep(0.001)
        send(s, b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Pad: " + b"a" * random.choice((9000, 70000, 500000)))
        sockets.append(s)
        if len(sockets) > 500:
            sockets.pop(0).close()


def connect_flood(port):
    """Open and close, nothing said."""
    while True:
        for s in [dial(port) for _ in range(50)]:
            s.close()
        time.sleep(0.002)


def idle_crowd(port):
    """2,000 silent sockets of as many addresses."""
    kept = [dial(port, f"127.0.{i // 250}.{i % 250 + 2}") for i in range(2000)]
    while True:
        time.sleep(1)
        kept = [s for s in kept]


def rubbish(port):
    while True:
        s = dial(port)
        time.sleep(0.001)
        send(s, random.randbytes(random.randrange(1, 3000)) + b"\r\n\r\n")
        s.close()


# Under TLS, and with users.

def hello():
    """The first flight of a client that means it."""
    out = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="x")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return out.read()


def hello_flood(port):
    """Handshakes that are begun as fast as they can be and not followed: the server signs, the client does not even look."""
    sockets, first = [], hello()
    while True:
        s = dial(port)
        time.sleep(0.0005)
        send(s, first)
        sockets.append(s)
        if len(sockets) > 200:
            sockets.pop(0).close()


def bad_handshakes(port):
    """Records of TLS with anything in them, and a first flight with a few bytes changed."""
    first = hello()
    while True:
        s = dial(port)
        time.sleep(0.0005)
        if random.random() < 0.5:
            n = random.randrange(1, 2000)
            send(s, b"\x16\x03\x01" + n.to_bytes(2, "big") + random.randbytes(n))
        else:
            bent = bytearray(first)
            for _ in range(3):
                bent[random.randrange(5, len(bent))] = random.randrange(256)
            send(s, bytes(bent))
        s.close()


def stalled_handshakes(port):
    """1,000 sockets that said half of their first flight, or all of it, and then nothing; redialled when cut."""
    first = hello()
    sockets = [None] * 1000
    while True:
        for i, s in enumerate(sockets):
            if s and send(s, b""):
                with contextlib.suppress(BlockingIOError):
                    if s.recv(1 << 16):
                        continue
            elif s:
                s.close()
            sockets[i] = dial(port)
            time.sleep(0.0005)
            send(sockets[i], first if i % 2 else first[:len(first) // 2])
        time.sleep(0.5)


def renegotiation(port):
    """Clients that ask for new keys without end, in both versions; begun anew when cut, which is dearer for them than for the server."""
    def begin(version):
        return subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-no_ign_eof", version], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    clients = {v: begin(v) for v in ("-tls1_2", "-tls1_3")}
    while True:
        for version, c in clients.items():
            try:
                os.write(c.stdin.fileno(), b"R\n" if version == "-tls1_2" else b"k\n" * 50)
            except OSError:
                c.wait()
                clients[version] = begin(version)
        time.sleep(0.05)


def guess(port, addresses, tls=None):
    """Passwords, as fast as answers come and a little faster."""
    sockets = []
    while True:
        s = dial(port, random.choice(addresses))
        time.sleep(0.001)
        token = base64.b64encode(f"{random.choice(('alice', 'root', 'x' * 200))}:{random.random()}".encode()).decode()
        send(s, f"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {token}\r\n\r\n".encode())
        sockets.append(s)
        if len(sockets) > 200:
            sockets.pop(0).close()


def guesses(port):
    guess(port, ["127.0.0.1"])


def guesses_of_many(port):
    guess(port, [f"127.0.{i // 250}.{i % 250 + 2}" for i in range(500)])


ATTACKS = [slow_sockets, half_requests, pipelining, giant_headers, connect_flood, idle_crowd, rubbish]
TLS_ATTACKS = [slow_sockets, hello_flood, bad_handshakes, stalled_handshakes, renegotiation]
PASSWORD_ATTACKS = [guesses, guesses_of_many]


def scrape(x):
    begin = time.perf_counter()
    status, _, body = x.get(headers={"Accept-Encoding": "gzip"}, timeout=60)  # late is for p99 to judge, not a refusal
    assert status == 200 and len(body) > 1000, status
    return time.perf_counter() - begin


def p99(x, once=scrape):
    times, end = [], time.monotonic() + LONG
    while len(times) < SCRAPES and (len(times) < FEWEST or time.monotonic() < end):
        times.append(once(x))
        time.sleep(0.003)
    return sorted(times)[int(len(times) * 0.99)]


class Scraper:
    """A good one that keeps its connection, as Prometheus does, or makes a new one each time; from whichever address."""

    def __init__(self, source, keeps):
        self.source, self.keeps, self.c = source, keeps, None

    def __call__(self, x):
        begin = time.perf_counter()
        if not self.c:
            self.c = http.client.HTTPSConnection("127.0.0.1", x.port, timeout=60, context=x.tls, source_address=(self.source, 0))
            self.c.connect()
        sock = self.c.sock
        self.c.request("GET", "/metrics", headers={"Accept-Encoding": "gzip", **PASSWORD})
        r = self.c.getresponse()
        assert len(r.read()) > 1000 and r.status == 200 and self.c.sock is sock, (r.status, "or not kept")
        took = time.perf_counter() - begin
        if not self.keeps:
            self.c.close()
            self.c = None
        return took


CELLS = {"kept open": ("127.0.0.1", True), "kept open, another address": ("127.0.0.2", True), "another address": ("127.0.0.2", False)}


def cells(x, f, quiets):
    """Scrapers that TLS is no reason to be late for, whatever the bare server does: within 5 x the quiet p99 of a new connection."""
    for name, kind in CELLS.items():
        once, louds, quiet = Scraper(*kind), [], min(quiets)
        once(x)
        for _ in range(TRIES):
            louds.append(p99_during(x, f, x.port, once))
            if x.sanitized or louds[-1] <= max(5 * quiet, FLOOR):
                break
        print(f"{f.__name__:15} p99 {min(louds) * 1e3:6.2f} ms, {min(louds) / quiet:4.1f} x the quiet one: {name}", flush=True)
        assert x.sanitized or min(louds) <= max(5 * quiet, FLOOR), f"{f.__name__}, {name}: p99 {min(louds) * 1e3:.1f} ms"


def p99_during(x, f, port, once=scrape):
    p = multiprocessing.Process(target=f, args=(port,), daemon=True)
    p.start()
    try:
        time.sleep(1.5)
        return p99(x, once)
    finally:
        p.kill()
        p.join()


class Secured(Exporter):
    """One that wants a password, and has TLS if there is a certificate; its scraper's password is known."""

    def __init__(self, build, ca=None):
        self.tls = ca and ca.context()
        self.secrets = tempfile.TemporaryDirectory(prefix="el-secured-")
        web = pathlib.Path(self.secrets.name, "web.yml")
        os.chmod(self.secrets.name, 0o755)
        files = f"tls_server_config: {{cert_file: {ca.dir}/server.crt, key_file: {ca.dir}/server.key}}\n" if ca else ""
        web.write_text(f"{files}basic_auth_users: {{alice: {HASH}}}\n")
        super().__init__(build, "--web.config.file", str(web))

    def get(self, *args, headers=None, **more):
        return super().get(*args, headers={**(headers or {}), **PASSWORD}, tls=self.tls, **more)


class Bare:
    """The least server there is, with the same bytes."""

    def get(self, *args, **more):
        return Exporter.get(self, *args, tls=self.tls, **more)

    def __init__(self, x, build, ca=None):
        self.tls = ca and ca.context()
        self.port = free_port()
        files = {"TLS_CERT": f"{ca.dir}/server.crt", "TLS_KEY": f"{ca.dir}/server.key"} if ca else {}
        page = x.dir / "page.gz"
        page.write_bytes(x.get(headers={"Accept-Encoding": "gzip"})[2])
        self.process = subprocess.Popen([f"{build}/tests/speed_floor_http", str(self.port), str(page), "Content-Encoding: gzip"],
                                        env={**os.environ, **files})

    def __enter__(self):
        wait_until("the bare server serves", self.serves, 60)
        return self

    def serves(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.get()[0] == 200

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()


def rival_p99(x, bare, f):
    """Under the same attack; where that leaves nobody an answer, beside it, once it has got over it."""
    try:
        return p99_during(bare, f, bare.port)
    except (OSError, http.client.HTTPException):
        wait_until("the bare server serves again", bare.serves, 120)
        return p99_during(bare, f, x.port)


def attack(x, bare, f, descriptors, quiets):
    louds, rivals = [], []
    for _ in range(TRIES):
        quiets.append(p99(x))
        louds.append(p99_during(x, f, x.port))
        if x.sanitized or min(louds) <= max(5 * min(quiets), FLOOR):  # its time means nothing then
            break
        rivals.append(rival_p99(x, bare, f))
        if louds[-1] <= RIVAL * rivals[-1]:
            break
    loud, quiet, peak = min(louds), min(quiets), x.resident_kb("VmHWM")
    beside = f", {louds[-1] / rivals[-1]:.1f} x the bare server's in the same attack" if rivals else ""
    print(f"{f.__name__:15} p99 {loud * 1e3:6.2f} ms, {loud / quiet:4.1f} x the quiet one ({quiet * 1e3:.2f} ms){beside}, "
          f"peak resident {peak} kB, descriptors {x.descriptors()}", flush=True)
    assert x.sanitized or loud <= max(5 * quiet, FLOOR) or louds[-1] <= RIVAL * rivals[-1], f"{f.__name__}: p99 {loud * 1e3:.1f} ms"
    assert x.sanitized or peak < MEMORY_KB, f"{f.__name__}: {peak} kB"
    wait_until(f"{f.__name__}: free again", lambda: x.descriptors() <= descriptors + 1, 5)


def behind_a_crowd(x):
    """A request that comes after 400 connections which say nothing is answered before more than a handful of those were let in."""
    x.process.send_signal(signal.SIGSTOP)
    crowd = [dial(x.port) for _ in range(400)]
    with socket.create_connection(("127.0.0.1", x.port)) as s:
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        time.sleep(0.1)
        x.process.send_signal(signal.SIGCONT)
        s.settimeout(60)
        text = b"".join(iter(lambda: s.recv(65536), b"")).decode()
    let_in = sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                 if line.startswith(("element_http_connections ", 'element_http_rejects_total{reason="connections"}')))
    print(f"behind a crowd of {len(crowd)}: {let_in} of them were let in before", flush=True)
    assert 1 <= let_in <= 50, let_in
    for one in crowd:
        one.close()


def under(attacks, x, build, ca=None, before=lambda x: None):
    """Each of these attacks against this exporter."""
    quiets = []
    if not attacks:
        return
    with x, Bare(x, build, ca) as bare:
        p99(x)
        descriptors = x.descriptors()
        before(x)
        for f in attacks:
            quiets.append(p99(x))
            if ca:
                cells(x, f, quiets)
            attack(x, bare, f, descriptors, quiets)
        print("counted:", *[line for line in x.get()[2].decode().splitlines() if line.startswith("element_http_rejects")], sep="\n  ", flush=True)


def main():
    build, wanted = sys.argv[1], sys.argv[2:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)

    def chosen(kind, attacks):
        return [f for f in attacks if not wanted or kind in wanted or f.__name__ in wanted]

    under(chosen("plain", ATTACKS), Exporter(build), build, before=behind_a_crowd)
    for kind, key in (("tls", "ec"), ("tls_rsa", "rsa")):
        with tempfile.TemporaryDirectory(prefix="el-ca-") as d:
            os.chmod(d, 0o755)
            ca = Authority(d)
            ca.issue("server", key=key)
            under(chosen(kind, TLS_ATTACKS), Secured(build, ca), build, ca)
    under(chosen("passwords", PASSWORD_ATTACKS), Secured(build), build)


if __name__ == "__main__":
    main()
