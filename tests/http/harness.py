"""An exporter under test: started on free loopback ports in a directory of its own, fed with snapshots by make-snapshot."""
import contextlib
import http.client
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import free_port, wait_for as wait_until


class Exporter:
    def __init__(self, build, *flags, drives=8, env=None, snapshot=True, keep_fresh=True, listen=True, make=()):
        self.build = pathlib.Path(build)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="el-http-"))
        self.dir.chmod(0o755)
        self.run_dir = self.dir / "run"
        self.state_dir = self.dir / "state"
        self.run_dir.mkdir()
        self.state_dir.mkdir()
        self.state_dir.chmod(0o777)
        self.snapshot = self.run_dir / "snapshot"
        self.port = free_port()
        self.drives, self.make, self.seq = drives, list(make), 0
        self.log_path = self.dir / "log"
        self.keep_fresh = threading.Event()
        self.stopping = threading.Event()
        self.one_at_a_time = threading.Lock()
        if snapshot:
            self.publish()
        if keep_fresh and snapshot:
            self.keep_fresh.set()
        threading.Thread(target=self._publisher, daemon=True).start()
        self.command = [str(self.build / "elementd-exporter"), "--snapshot", str(self.snapshot), "--state-dir", str(self.state_dir),
                        "--snmp.agentx", "off", "--user", "nobody", *flags]
        if listen:
            self.command += ["--web.listen-address", f"127.0.0.1:{self.port}"]
        self.sanitized = "-fsanitize" in (self.build / "CMakeCache.txt").read_text()  # its memory means nothing then
        if self.sanitized:
            self.command += ["--sandbox", "off"]  # the sanitizers' own work at exit does not fit into it
        self.env = {**os.environ, **(env or {})}
        self.process = None

    def _publisher(self):
        while not self.stopping.wait(1.5):
            if self.keep_fresh.is_set():
                self.publish()

    def publish(self):
        with self.one_at_a_time:
            self.seq += 1
            subprocess.run([str(self.build / "tests/make-snapshot"), "--drives", str(self.drives), "--seq", str(self.seq), *self.make,
                            str(self.snapshot)], check=True)

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=open(self.log_path, "wb"), env=self.env)
        wait_until("exporter serves", lambda: "serving on" in self.log() or self.process.poll() is not None)
        assert self.process.poll() is None, f"exporter ended: {self.log()}"
        return self

    def __exit__(self, *error):
        self.stopping.set()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise AssertionError("did not end within a minute of SIGTERM")
        if error[0]:
            print(self.log())
        log = self.log()
        shutil.rmtree(self.dir, ignore_errors=True)
        assert self.process.returncode == 0, f"exit code {self.process.returncode}: {log}"
        assert "Sanitizer" not in log, log

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def reload(self):
        seen = len(self.log())
        self.process.send_signal(signal.SIGHUP)
        wait_until("reload", lambda: "reload:" in self.log()[seen:])
        return self.log()[seen:]

    def resident_kb(self, field="VmRSS"):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split(f"{field}:")[1].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def get(self, path="/metrics", method="GET", headers=None, tls=None, timeout=60):
        """(status, headers, body)"""
        if tls:
            c = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=tls)
        else:
            c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(c):
            c.request(method, path, headers=headers or {})
            r = c.getresponse()
            return r.status, dict(r.getheaders()), r.read()


def value(body, series):
    """The value of one series of an exposition, or None."""
    for line in body.decode().splitlines():
        if line.rsplit(" ", 1)[0] == series:
            return float(line.rsplit(" ", 1)[1])
    return None


class Authority:
    """A certificate authority for a test, made by openssl."""

    def __init__(self, directory, name="ca"):
        self.dir = pathlib.Path(directory)
        self.cert, self.key = self.dir / f"{name}.crt", self.dir / f"{name}.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                      "-keyout", self.key, "-out", self.cert, "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign")

    @staticmethod
    def _openssl(*args):
        subprocess.run(["openssl", *map(str, args)], check=True, stderr=subprocess.DEVNULL)

    def issue(self, name, san="IP:127.0.0.1", purpose="serverAuth", key="rsa"):
        """(cert, key) paths"""
        cert, key_path, csr, ext = (self.dir / f"{name}.{e}" for e in ("crt", "key", "csr", "ext"))
        kind = ["rsa:2048"] if key == "rsa" else ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        self._openssl("req", "-newkey", *kind, "-nodes", "-subj", f"/CN={name}", "-keyout", key_path, "-out", csr)
        ext.write_text(f"subjectAltName={san}\nextendedKeyUsage={purpose}\n")
        self._openssl("x509", "-req", "-in", csr, "-CA", self.cert, "-CAkey", self.key, "-CAcreateserial", "-days", "2", "-extfile", ext, "-out", cert)
        key_path.chmod(0o644)
        return cert, key_path

    def context(self, client=None, maximum=None, minimum=None):
        c = ssl.create_default_context(cafile=str(self.cert))
        if client:
            c.load_cert_chain(*map(str, client))
        if maximum:
            c.maximum_version = maximum
        if minimum:
            c.minimum_version = minimum
        return c
