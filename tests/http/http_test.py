#!/usr/bin/env python3
"""http_test.py BUILD PART: the exporter as a process, over the network, on loopback."""
import base64
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from harness import Authority, Exporter, free_port, value, wait_until

BUILD = sys.argv[1]
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def series_of(body):
    return [line.rsplit(" ", 1)[0] for line in body.decode().splitlines() if line and not line.startswith("#")]


def exposition():
    """Both forms are valid, say the same, and survive hostile names and another locale."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    with Exporter(BUILD, make=["--odd", "--alarms", "3", "--events", "5"], env={"LC_ALL": "de_DE.UTF-8"}) as x:
        status, headers, text = x.get()
        expect(status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
        check = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
        expect(check.returncode == 0 and not check.stdout and not check.stderr, check.stdout, check.stderr)
        expect(len(series_of(text)) == len(set(series_of(text))), "duplicate series")
        status, headers, om = x.get(headers={"Accept": "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"})
        expect(headers["Content-Type"] == OPENMETRICS, headers)
        expect(list(text_string_to_metric_families(om.decode())), "no metric family")
        status, headers, packed = x.get(headers={"Accept-Encoding": "gzip"})
        expect(headers["Content-Encoding"] == "gzip" and len(packed) < len(text) / 4, headers)
        expect(series_of(gzip.decompress(packed)) == series_of(text), "gzip says something else")
        status, headers, body = x.get("/api/v1/snapshot")
        expect(status == 200 and headers["Content-Type"].startswith("application/json") and json.loads(body), headers)
        expect(x.get("/api/v1/snapshot", headers={"If-None-Match": headers["ETag"]})[0] == 304, "no 304")
        expect(x.get("/-/healthy")[0] == 200 and x.get("/-/ready")[0] == 200, "health")
        expect(x.get("/", "HEAD")[2] == b"" and x.get("/nothing")[0] == 404, "HEAD, 404")
        status, headers, body = x.get(method="POST")
        expect(status == 405 and headers["Allow"] == "GET, HEAD", status, headers)
        x.publish()
        expect(value(x.get()[2], 'element_http_rejects_total{reason="method"}') == 1, "405 was not counted")


def staleness():
    """Without elementd it serves on, says so, drops what is no longer true, and recovers. A broken file changes nothing."""
    with Exporter(BUILD, snapshot=False) as x:
        status, _, body = x.get()
        expect(status == 200 and value(body, "element_snapshot_stale") == 1, "no snapshot yet, and no word of it")
        expect(x.get("/-/ready")[0] == 503 and b"is not there" in x.get("/-/ready")[2], "ready without a snapshot")
        expect(b"No data" in x.get("/")[2], "page")
        x.publish()
        fresh = x.get()[2]
        expect(value(fresh, "element_snapshot_stale") == 0 and b"element_drive_temperature_celsius" in fresh, "not fresh")
        good = x.snapshot.read_bytes()
        for broken in (b"", good[:-8], good[:100] + bytes([good[100] ^ 255]) + good[101:], b"x" * len(good)):
            x.snapshot.write_bytes(broken)
            expect(value(x.get()[2], "element_snapshot_stale") == 0, "believed a broken file")
        wait_until("stale", lambda: value(x.get()[2], "element_snapshot_stale") == 1)
        body = x.get()[2]
        age = value(body, "element_snapshot_age_seconds")
        expect(age > 5, "age", age)
        expect(b"element_drive_temperature_celsius{" not in body, "a temperature outlived its truth")
        expect(b"Stale" in x.get("/")[2] and x.get("/-/ready")[0] == 503 and x.get("/-/healthy")[0] == 200, "page, ready")
        wait_until("age moves", lambda: value(x.get()[2], "element_snapshot_age_seconds") > age + 0.9)
        x.publish()
        expect(value(x.get()[2], "element_snapshot_stale") == 0, "did not recover")
        expect(value(x.get()[2], "element_snapshots_refused_total") == 4, "refusals were not counted")


def late():
    """A snapshot directory that is made after the exporter has closed its sandbox; one that is made anew."""
    x = Exporter(BUILD, snapshot=False)
    x.run_dir.rmdir()
    with x:
        expect(x.get("/-/ready")[0] == 503, "ready without a directory")
        x.run_dir.mkdir()
        x.publish()
        expect(x.get("/-/ready")[0] == 200, x.get("/-/ready"))
    x = Exporter(BUILD)
    with x:
        expect(x.get("/-/ready")[0] == 200, "not ready")
        x.keep_fresh.clear()
        x.snapshot.unlink()
        x.run_dir.rmdir()
        x.run_dir.mkdir()
        x.publish()
        wait_until("stale", lambda: x.get("/-/ready")[0] == 503 or "--sandbox" in x.command)
        expect(b"restart elementd-exporter" in x.get("/-/ready")[2] or "--sandbox" in x.command, x.get("/-/ready")[2])


def service():
    """Signals, readiness notices, passed sockets, errors that name what is wrong."""
    program = str(pathlib.Path(BUILD) / "elementd-exporter")

    def run(*args):
        return subprocess.run([program, *args], capture_output=True, text=True, timeout=60)

    with tempfile.TemporaryDirectory(prefix="el-notify-") as d:
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(f"{d}/notify")
        notify.settimeout(60)
        config = pathlib.Path(d) / "elementd.yaml"
        config.write_text("web:\n  telemetry_path: /one\n")
        os.chmod(d, 0o755)
        with Exporter(BUILD, "--config", str(config), env={"NOTIFY_SOCKET": f"{d}/notify", "WATCHDOG_USEC": "3000000"}) as x:
            first = notify.recv(4096).decode()
            expect("READY=1" in first and "STATUS=serving on" in first, first)
            signs = [notify.recv(4096) for _ in range(3)]
            expect(signs == [b"WATCHDOG=1"] * 3, signs)
            taken = run("--snapshot", str(x.snapshot), "--web.listen-address", f"127.0.0.1:{x.port}")
            expect(taken.returncode == 1 and f"127.0.0.1:{x.port}" in taken.stderr and "another program" in taken.stderr, taken)
            expect(x.get("/one")[0] == 200 and x.get("/metrics")[0] == 404, "telemetry path of the file")
            config.write_text("web:\n  telemetry_path: /two\n  colour: red\n")
            expect("colour" in x.reload() and x.get("/one")[0] == 200, "a bad reload was taken")
            config.write_text("web:\n  telemetry_path: /two\n")
            x.publish()
            ok = "element_exporter_config_last_reload_successful"
            expect(value(x.get("/one")[2], ok) == 0, "the refusal is not told")
            x.reload()
            expect(value(x.get("/two")[2], ok) == 1, "the recovery is not told")
            expect(x.get("/two")[0] == 200 and x.get("/one")[0] == 404, "a good reload was not taken")
            said = ""
            while "RELOADING=1" not in said:
                said += notify.recv(4096).decode()
            x.process.send_signal(signal.SIGTERM)
            expect(x.process.wait(60) == 0, "SIGTERM")
            while "STOPPING=1" not in said:
                said += notify.recv(4096).decode()
    expect(run("--nonsense").returncode == 2 and run("stray").returncode == 2, "usage")
    expect(run("--help").returncode == 0 and "--web.listen-address" in run("--help").stdout, "help")
    bad = run("--web.listen-address", "nowhere")
    expect(bad.returncode == 1 and '"nowhere"' in bad.stderr, bad)
    bad = run("--collect", "smart,fancy", "--web.listen-address", "127.0.0.1:0")
    expect(bad.returncode == 1 and "fancy" in bad.stderr, bad)

    # Both families, apart and together.
    v6, both = free_port(), free_port()
    with Exporter(BUILD, "--web.listen-address", f"[::1]:{v6}", "--web.listen-address", f":{both}") as x:
        for host, port in (("127.0.0.1", x.port), ("::1", v6), ("127.0.0.1", both), ("::1", both)):
            socket.create_connection((host, port), 2).close()
        expect(fails(lambda: socket.create_connection(("127.0.0.1", v6), 2)), "IPv4 on an IPv6 address")

    # A socket passed by a service manager.
    x = Exporter(BUILD, listen=False)
    s = socket.socket()
    s.bind(("127.0.0.1", x.port))
    s.listen(16)
    os.dup2(s.fileno(), 3)
    os.set_inheritable(3, True)
    for n in ("-1", "33"):
        r = subprocess.run(["sh", "-c", f'LISTEN_PID=$$ LISTEN_FDS={n} exec "$@"', "sh", *x.command], capture_output=True, text=True)
        expect(r.returncode == 1 and f"LISTEN_FDS={n}" in r.stderr, r)
    x.command = ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", *x.command]
    import functools
    popen = subprocess.Popen
    subprocess.Popen = functools.partial(popen, pass_fds=(3,))
    try:
        with x:
            expect(x.get()[0] == 200 and f"127.0.0.1:{x.port}" in x.log(), "passed socket")
    finally:
        subprocess.Popen = popen



def fails(f):
    try:
        f()
    except (ssl.SSLError, ConnectionError, OSError, ZeroDivisionError):
        return True
    return False


def tls():
    """TLS as configured: versions, client certificates, names, ciphers, renewal under load."""
    with tempfile.TemporaryDirectory(prefix="el-tls-") as d:
        os.chmod(d, 0o755)
        ca, other = Authority(d), Authority(d, "other")
        ca.issue("server")
        client, stranger = ca.issue("client", "DNS:scraper.example", "clientAuth"), other.issue("stranger", "DNS:scraper.example", "clientAuth")
        unnamed, wrong_use = ca.issue("unnamed", "DNS:else.example", "clientAuth"), ca.issue("wrong-use", "DNS:scraper.example", "serverAuth")
        web = pathlib.Path(d) / "web.yml"
        base = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"

        web.write_text(base)
        with Exporter(BUILD, "--web.config.file", str(web)) as x:
            expect(x.get(tls=ca.context())[0] == 200, "TLS")
            expect(fails(lambda: x.get()), "plain HTTP on a TLS port")
            expect(fails(lambda: x.get(tls=ca.context(maximum=ssl.TLSVersion.TLSv1_1))), "TLS 1.1")
            expect(x.get(tls=ca.context(maximum=ssl.TLSVersion.TLSv1_2))[0] == 200, "TLS 1.2")
            expect(x.get(tls=ca.context(minimum=ssl.TLSVersion.TLSv1_3))[0] == 200, "TLS 1.3")
            for dear in ("AES128-GCM-SHA256", "DHE-RSA-AES128-GCM-SHA256"):
                asking = ca.context(maximum=ssl.TLSVersion.TLSv1_2)
                asking.set_ciphers(dear)
                expect(fails(lambda: x.get(tls=asking)), dear)
            for group, status in (("X25519", 0), ("P-521", 0), ("ffdhe2048", 1), ("ffdhe8192", 1)):
                r = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{x.port}", "-tls1_3", "-groups", group],
                                   stdin=subprocess.DEVNULL, capture_output=True)
                expect(r.returncode == status, group, r.returncode)

            def serial():
                with socket.create_connection(("127.0.0.1", x.port)) as raw, ca.context().wrap_socket(raw, server_hostname="127.0.0.1") as s:
                    return s.getpeercert()["serialNumber"]

            # Renewal without a word to the daemon.
            before = serial()
            ca.issue("server")
            wait_until("new certificate", lambda: serial() != before)
            good = pathlib.Path(d, "server.crt").read_bytes()
            said = "the old ones stay in force"
            before = x.log().count(said)  # a certificate without its key may have been met meanwhile
            pathlib.Path(d, "rubbish").write_text("rubbish")
            pathlib.Path(d, "rubbish").rename(pathlib.Path(d, "server.crt"))
            wait_until("complaint", lambda: x.log().count(said) > before)
            time.sleep(2.5)  # it looks each second
            expect(x.log().count(said) == before + 1, "one bad certificate, several complaints")
            expect(x.get(tls=ca.context())[0] == 200, "a bad certificate was taken")
            ok = "element_exporter_config_last_reload_successful"
            wait_until("the refusal is told", lambda: value(x.get(tls=ca.context())[2], ok) == 0)
            pathlib.Path(d, "server.crt").write_bytes(good)
            wait_until("the recovery is told", lambda: value(x.get(tls=ca.context())[2], ok) == 1)

            web.write_text(base + "  min_version: TLS13\n  curve_preferences: [CurveP384]\n")
            wait_until("TLS 1.3 only", lambda: fails(lambda: x.get(tls=ca.context(maximum=ssl.TLSVersion.TLSv1_2))))
            expect(x.get(tls=ca.context())[0] == 200, "TLS 1.3 with P-384")

            web.write_text(base + "  max_version: TLS12\n  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n")
            x.reload()
            with socket.create_connection(("127.0.0.1", x.port)) as raw, ca.context().wrap_socket(raw, server_hostname="127.0.0.1") as s:
                expect(s.cipher()[0] == "ECDHE-RSA-AES256-GCM-SHA384", s.cipher())
            web.write_text(base + "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]\n")
            expect("would offer" in x.reload(), "suites that cannot be honoured were taken")

            mutual = base + "  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n"
            if_given = base + "  client_ca_file: ca.crt\n  client_auth_type: VerifyClientCertIfGiven\n"

            def ends_who_is_there(text):
                kept = http.client.HTTPSConnection("127.0.0.1", x.port, timeout=60, context=ca.context())
                kept.request("GET", "/metrics")
                expect(kept.getresponse().read() and kept.sock, "kept alive")
                web.write_text(text)
                x.reload()
                expect(fails(lambda: (kept.sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), kept.sock.recv(1) or 1 / 0)), "a session from before")

            ends_who_is_there(if_given)
            ends_who_is_there(mutual)
            expect(x.get(tls=ca.context(client))[0] == 200, "client certificate")
            expect(fails(lambda: x.get(tls=ca.context())), "no client certificate")
            expect(fails(lambda: x.get(tls=ca.context(stranger))), "certificate of another authority")
            expect(fails(lambda: x.get(tls=ca.context(wrong_use))), "certificate for servers")
            web.write_text(mutual + "  client_allowed_sans: [scraper.example]\n")
            x.reload()
            expect(x.get(tls=ca.context(client))[0] == 200, "allowed name")
            expect(fails(lambda: x.get(tls=ca.context(unnamed))), "name that is not allowed")
            # Other authorities, without a word to the daemon.
            shutil.copy(ca.cert, pathlib.Path(d, "clients.crt"))
            web.write_text(mutual.replace("ca.crt", "clients.crt"))
            x.reload()
            expect(x.get(tls=ca.context(client))[0] == 200 and fails(lambda: x.get(tls=ca.context(stranger))), "the first authority")
            shutil.copy(other.cert, pathlib.Path(d, "fresh"))
            pathlib.Path(d, "fresh").rename(pathlib.Path(d, "clients.crt"))
            wait_until("the other authority", lambda: x.get(tls=ca.context(stranger))[0] == 200)
            expect(fails(lambda: x.get(tls=ca.context(client))), "an authority that is none any more")
            web.write_text(if_given)
            x.reload()
            expect(x.get(tls=ca.context())[0] == 200 and fails(lambda: x.get(tls=ca.context(stranger))), "VerifyClientCertIfGiven")
            web.write_text(base + "  client_auth_type: RequireAnyClientCert\n")
            x.reload()
            expect(x.get(tls=ca.context(stranger))[0] == 200 and fails(lambda: x.get(tls=ca.context())), "RequireAnyClientCert")

            web.write_text(base + "  client_auth_type: RequireAnyClientCert\n  client_allowed_sans: [scraper.example]\n")
            x.reload()
            expect(x.get(tls=ca.context(stranger))[0] == 200 and fails(lambda: x.get(tls=ca.context(unnamed))), "a name that nobody vouches for")
            web.write_text(base + "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]\n")
            expect("this kind of key" in x.reload(), "suites for another key were taken")

            web.write_text("http_server_config:\n  headers:\n    X-Frame-Options: DENY\n")
            expect("protected the pages is gone" in x.reload(), x.log())
            expect(x.get()[1]["X-Frame-Options"] == "DENY" and x.get("/none")[1]["X-Frame-Options"] == "DENY", "headers, and TLS off")


def renewal():
    """What a reload does not change ends nothing; renewed certificates are taken whatever else was refused; a new directory is told of."""
    ok = "element_exporter_config_last_reload_successful"
    with tempfile.TemporaryDirectory(prefix="el-renewal-") as d, tempfile.TemporaryDirectory(prefix="el-elsewhere-") as elsewhere:
        os.chmod(d, 0o755)
        os.chmod(elsewhere, 0o755)
        ca = Authority(d)
        ca.issue("server")
        web = pathlib.Path(d) / "web.yml"
        secured = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
        web.write_text(secured)
        with Exporter(BUILD, "--web.config.file", str(web)) as x:
            def connect():
                c = http.client.HTTPSConnection("127.0.0.1", x.port, timeout=60, context=ca.context())
                c.connect()
                return c

            def scrape(c):
                sock = c.sock
                c.request("GET", "/metrics")
                r = c.getresponse()
                body = r.read()
                expect(r.status == 200 and c.sock is sock, "another connection", r.status)
                return r, body

            def serial(c):
                return c.sock.getpeercert()["serialNumber"]

            # Idle, and with a request on its way when the reload comes.
            idle, kept = [connect() for _ in range(20)], connect()
            for c in [*idle, kept]:
                scrape(c)
            for i in range(20):
                web.write_text(f"{secured}http_server_config: {{headers: {{Strict-Transport-Security: max-age={i}}}}}\n")
                kept.request("GET", "/metrics")
                x.process.send_signal(signal.SIGHUP)
                expect(kept.getresponse().read(), "a scrape beside a reload")
                wait_until("reload", lambda: x.log().count("reload: done") == i + 1, 60)
            for c in idle:
                expect(scrape(c)[0].getheader("Strict-Transport-Security") == "max-age=19", "the new header")
            # A renewed certificate is for who comes; who is there stays.
            before = serial(kept)
            ca.issue("server")
            wait_until("new certificate", lambda: serial(connect()) != before, 60)
            scrape(kept)
            # A file that is refused does not hold up the certificates of the one in force.
            web.write_text(secured + "  colour: red\n")
            wait_until("refusal", lambda: "colour" in x.log(), 60)
            before = serial(connect())
            ca.issue("server")
            wait_until("new certificate beside a refused file", lambda: serial(connect()) != before, 60)
            expect(value(scrape(kept)[1], ok) == 0 and "which changed, are taken" in x.log(), x.log())
            scrape(idle[0])
            # Certificates that move to where the sandbox lets nobody in.
            for name in ("server.crt", "server.key"):
                shutil.copy(pathlib.Path(d, name), elsewhere)
                os.chmod(pathlib.Path(elsewhere, name), 0o644)
            web.write_text(f"tls_server_config:\n  cert_file: {elsewhere}/server.crt\n  key_file: {elsewhere}/server.key\n")
            said = x.reload()
            if "--sandbox" not in x.command:
                expect(f"cannot read {elsewhere}/server.crt" in said and "systemctl restart elementd-exporter" in said, said)
            scrape(kept)
            # Other checks end who is idle.
            web.write_text(secured + "  min_version: TLS13\n")
            expect("done" in x.reload(), x.log())
            expect(fails(lambda: (idle[1].sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), idle[1].sock.recv(1) or 1 / 0)), "a session from before")


def unasked():
    """What was emptied, is half written or has lost a protection is not taken by itself, nor without anything in it; once a loss is asked for it is."""
    hashed = "$2y$04$zVHmKQtGGQob.b/Nc7l9NO8UlrYcW05FiuCj/SxsFO/ZtiN9.mNzy"  # of a password that is not needed
    ok = "element_exporter_config_last_reload_successful"
    with tempfile.TemporaryDirectory(prefix="el-unasked-") as d:
        os.chmod(d, 0o755)
        ca = Authority(d)
        ca.issue("server")
        context = ca.context(ca.issue("client", "DNS:scraper", "clientAuth"))
        web = pathlib.Path(d) / "web.yml"
        secured = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
        mutual = secured + "  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n"
        users = f"basic_auth_users:\n  alice: {hashed}\n"
        web.write_text(mutual + "http_server_config: {headers: {X-Frame-Options: deny}}\n")
        with Exporter(BUILD, "--web.config.file", str(web)) as x:
            for text in ("", "# later\n", secured, mutual[:40], "http_server_config: {http2: false}\n", mutual[:-1]):
                seen = len(x.log())
                web.write_text(text)
                wait_until(f"refusal of {text!r}", lambda: "the old ones stay in force" in x.log()[seen:], 60)
                status, headers, body = x.get(tls=context)
                expect(status == 200 and headers["X-Frame-Options"] == "deny" and fails(lambda: x.get(tls=ca.context())), "a protection less:", text)
                wait_until("the refusal is told", lambda: value(x.get(tls=context)[2], ok) == 0, 60)
                time.sleep(1.2)  # a second look at it says nothing new
                expect(x.log()[seen:].count("the old ones stay in force") == 1, x.log()[seen:])
            for text in ("", mutual[:-1]):
                web.write_text(text)
                expect("half written?" in x.reload() and fails(lambda: x.get()), "nothing was taken for a wish")
            web.write_text(users)
            expect("is gone: TLS" in x.reload() and x.get()[0] == 401, "asked for")
            web.write_text("http_server_config: {http2: false}\n")
            wait_until("refusal", lambda: "without all users" in x.log(), 60)
            expect(x.get()[0] == 401, "users are gone")
            web.write_text(users)
            wait_until("recovery", lambda: x.log().rstrip().endswith("taken"), 60)
        config = pathlib.Path(d) / "elementd.yaml"
        config.write_text(f"web: {{config_file: {web}}}\n")
        with Exporter(BUILD, "--config", str(config)) as x:
            config.write_text(f"web: {{config_file: {d}/none.yml}}\n")
            expect("is bad" in x.reload() and x.get()[0] == 401, "another file that is not there")
            time.sleep(1.2)  # the one in force did not change meanwhile
            expect("taken" not in x.log(), x.log())


def auth():
    """Users: right, wrong, unknown, many at once; a rate limit."""
    import warnings
    warnings.simplefilter('ignore')
    import crypt
    hashed = crypt.crypt("wonderland", crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=2**10)).replace("$2b$", "$2y$")

    def basic(user, password):
        return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}

    with tempfile.TemporaryDirectory(prefix="el-auth-") as d:
        os.chmod(d, 0o755)
        web = pathlib.Path(d) / "web.yml"
        web.write_text(f"basic_auth_users:\n  alice: {hashed}\n")
        with Exporter(BUILD, "--web.config.file", str(web)) as x:
            status, headers, _ = x.get()
            expect(status == 401 and "Basic" in headers["WWW-Authenticate"], status, headers)
            expect(x.get(headers=basic("alice", "wonderland"))[0] == 200, "the right password")
            for user, password in (("alice", "wrong"), ("bob", "wonderland"), ("", ""), ("alice", "w" * 200), ("a:b", "c")):
                expect(x.get(headers=basic(user, password))[0] == 401, "let in", user, password)
            expect(x.get(headers={"Authorization": "Basic !!!"})[0] == 401, "rubbish")
            expect(x.get("/", headers=basic("alice", "wonderland"))[0] == 200 and x.get("/-/healthy")[0] == 401, "other paths")
            # Guessing does not hold up who is known, nor when the users were changed meanwhile: who was known and still is, is.
            def guesses():
                all_of = [socket.create_connection(("127.0.0.1", x.port)) for _ in range(60)]
                for i, s in enumerate(all_of):
                    token = base64.b64encode(f"alice:{i}".encode()).decode()
                    s.sendall(f"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {token}\r\nConnection: close\r\n\r\n".encode())
                return all_of

            for i in range(3):
                crowd = guesses()
                status = x.get(headers=basic("alice", "wonderland"))[0]
                answers = {s.recv(12)[-3:] for s in crowd}
                expect(status == 200 and answers <= {b"401", b"503"} and b"401" in answers, status, answers)
                for s in crowd:
                    s.close()
                web.write_text(f"basic_auth_users:\n  alice: {hashed}\n  user{i}: {hashed}\n")
                x.reload()
            # A limit is used up by those who are let in, not by those who are not.
            limit = "rate_limit:\n  interval: 100s\n  burst: 3\n"
            web.write_text(f"basic_auth_users:\n  alice: {hashed}\n{limit}")
            x.reload()
            expect([x.get()[0] for _ in range(10)] == [401] * 10, "401")
            codes = [x.get(headers=basic("alice", "wonderland"))[0] for _ in range(6)]
            expect(codes == [200] * 3 + [429] * 3, codes)
            web.write_text(limit.replace("3", "5"))
            x.reload()
            codes = [x.get()[0] for _ in range(4)]
            expect(codes == [200] * 2 + [429] * 2, codes)


def prometheus():
    """The real Prometheus scrapes over TLS with a client certificate and a password: up 1, nothing dropped."""
    import warnings
    warnings.simplefilter('ignore')
    import crypt
    hashed = crypt.crypt("s3cret", crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=2**8))
    with tempfile.TemporaryDirectory(prefix="el-prom-") as d:
        os.chmod(d, 0o755)
        ca = Authority(d)
        ca.issue("server")
        ca.issue("client", "DNS:scraper", "clientAuth")
        web, port = pathlib.Path(d) / "web.yml", free_port()
        web.write_text("tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_ca_file: ca.crt\n"
                       f"  client_auth_type: RequireAndVerifyClientCert\nbasic_auth_users:\n  prom: {hashed}\n")
        with Exporter(BUILD, "--web.config.file", str(web)) as x:
            config = pathlib.Path(d) / "prometheus.yml"
            config.write_text("global: {scrape_interval: 3s, scrape_timeout: 3s}\nscrape_configs:\n"
                              f"- job_name: elementd\n  scheme: https\n  static_configs: [{{targets: ['127.0.0.1:{x.port}']}}]\n"
                              "  basic_auth: {username: prom, password: s3cret}\n"
                              f"  tls_config: {{ca_file: {d}/ca.crt, cert_file: {d}/client.crt, key_file: {d}/client.key}}\n")
            p = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={d}/data", f"--web.listen-address=127.0.0.1:{port}",
                                  "--log.level=warn"], stderr=subprocess.DEVNULL)
            try:
                import urllib.parse
                import urllib.request

                def query(q):
                    url = f"http://127.0.0.1:{port}/api/v1/query?query=" + urllib.parse.quote(q)
                    try:
                        with urllib.request.urlopen(url, timeout=60) as r:
                            return json.load(r)["data"]["result"]
                    except OSError:
                        return []

                wait_until("Prometheus scrapes", lambda: query("count_over_time(up[1h]) >= 5"), 120)
                expect([r["value"][1] for r in query("min_over_time(up[1h])")] == ["1"], "not up throughout")
                expect(query("element_drive_temperature_celsius") and query("scrape_samples_scraped > 100"), "no samples")
                expect(not query("scrape_samples_scraped != scrape_samples_post_metric_relabeling"), "dropped samples")
            finally:
                p.terminate()
                p.wait()


def descriptors():
    """Fewer than the connections that are asked for: who stalls is displaced all the same, and nobody waits for it."""
    import resource
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
    x = Exporter(BUILD)
    x.command = ["sh", "-c", 'ulimit -n 128 && exec "$@"', "sh", *x.command]
    with x:
        expect("only 128 descriptors" in x.log(), x.log())
        stalled = [socket.create_connection(("127.0.0.1", x.port), 60) for _ in range(1000)]
        for s in stalled:
            with contextlib.suppress(OSError):  # displaced before it spoke
                s.sendall(b"GET / HT")
        expect([x.get()[0] for _ in range(10)] == [200] * 10, "not served")
        for s in stalled:
            s.close()


def smuggling():
    """Two lengths of one body: whichever a proxy believed, what follows is no request."""
    with Exporter(BUILD) as x:
        with socket.create_connection(("127.0.0.1", x.port), 60) as s:
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n")
            expect(s.recv(100).startswith(b"HTTP/1.1 400 "), "two hosts")
    with Exporter(BUILD) as x, socket.create_connection(("127.0.0.1", x.port), 60) as s:
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 44\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            expect(s.recv(100) == b"", "answered")


def memory():
    """Resident under 14 MB at 8 drives after every kind of request, and flat."""
    with Exporter(BUILD) as x:
        def all_kinds():
            for path in ("/metrics", "/", "/api/v1/snapshot", "/-/ready", "/none"):
                for encoding in ("gzip", "identity"):
                    for accept in ("*/*", OPENMETRICS):
                        x.get(path, headers={"Accept-Encoding": encoding, "Accept": accept})

        def snapshots(n):
            for _ in range(n):
                x.publish()
                all_kinds()

        snapshots(30)
        first = x.resident_kb()
        snapshots(120)
        last, anonymous = x.resident_kb(), x.resident_kb("RssAnon")
        print(f"resident {last} kB, anonymous {anonymous} kB, descriptors {x.descriptors()}")
        expect(last < 14 * 1024, "resident", last)
        expect(last <= first + 256, "grew from", first, "to", last)


def main():
    parts = {f.__name__: f for f in (exposition, staleness, late, service, tls, renewal, unasked, auth, prometheus, descriptors, smuggling, memory)}
    parts[sys.argv[2]]()


if __name__ == "__main__":
    main()
