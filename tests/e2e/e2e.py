"""Shared by the end-to-end tests: starts the built programs on free ports in a private directory, looks at what they serve, and
takes everything down again. Each test is a file that is run with the directory of the programs as its argument."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import waiting
from waiting import free_port

BUILD = sys.argv[1] if len(sys.argv) > 1 else "build/dev"
ELEMENTD, EXPORTER = os.path.join(BUILD, "elementd"), os.path.join(BUILD, "elementd-exporter")
SLOW = 5 if os.environ.get("EL_SLOW") else 1  # how much longer things may take; memory is judged at 1 only
# What sanitizers do at exit does not fit into a sandbox.
SANDBOX = []
if "-fsanitize" in open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8").read():
    SANDBOX = ["--sandbox", "off"]
    SLOW = 5


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_for(what, predicate, seconds=10):
    return waiting.wait_for(what, predicate, seconds * SLOW)


class Run:
    """`elementd run` with these flags."""

    def __init__(self, *flags, env=None, user=None, wait=True):
        self.dir = tempfile.mkdtemp(prefix="el-e2e-")
        os.chmod(self.dir, 0o755)
        self.runtime = os.path.join(self.dir, "run")
        self.state = os.path.join(self.dir, "state")
        if user:
            for d in (self.dir, self.runtime, self.state):
                os.makedirs(d, exist_ok=True)
                os.chown(d, user, user)
        self.port = free_port()
        self.log = open(os.path.join(self.dir, "log"), "w+", encoding="utf-8")
        args = [ELEMENTD, "run", "--web.listen-address", f"127.0.0.1:{self.port}", "--runtime-dir", self.runtime,
                "--state-dir", self.state, *SANDBOX, *flags]
        environment = dict(os.environ, **(env or {}))
        self.process = subprocess.Popen(args, stdout=self.log, stderr=subprocess.STDOUT, env=environment,
                                        stdin=subprocess.DEVNULL, user=user, group=user,
                                        extra_groups=[] if user else None)
        if wait:
            try:
                wait_for("the first snapshot over HTTP", lambda: self.value("element_ready") == 1, 15)
            except AssertionError:
                sys.stderr.write(self.read_log())
                self.end()
                raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if exc[0]:
            sys.stderr.write(self.read_log())
        self.end()

    def read_log(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def get(self, path, accept=None, timeout=5):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Accept": accept} if accept else {})
        with urllib.request.urlopen(request, timeout=timeout * SLOW) as r:
            return r.read().decode()

    def metrics(self):
        return self.get("/metrics")

    def value(self, name, text=None):
        """The one sample of this name (with its labels, exactly), or None."""
        for line in (text or self.metrics()).splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def samples(self, name, text=None):
        pattern = re.compile(rf"{name}(\{{.*\}})? (\S+)$")
        return [float(m.group(2)) for m in map(pattern.match, (text or self.metrics()).splitlines()) if m]

    def snapshot(self):
        return json.loads(self.get("/api/v1/snapshot"))

    def child(self, name):
        """Process id of the child with this name; None when it is not there."""
        out = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout
        for pid in map(int, out.split()):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as f:
                args = f.read().split(b"\0")
                if (name == "exporter") == args[0].endswith(b"exporter"):
                    return pid
        return None

    def terminate(self, sig=signal.SIGTERM):
        """Ends it; the exit code and how long it took."""
        start = time.monotonic()
        self.process.send_signal(sig)
        code = self.process.wait(timeout=20 * SLOW)
        return code, time.monotonic() - start

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        time.sleep(0.05)
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)


def unpack(path, root):
    """A machine of tests/fixtures/machines as a directory. The [tree] section: `path -> target`, `path = text`, other forms are left out (any subset of files is a machine)."""
    inside = False
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("["):
                inside = line == "[tree]"
            elif inside and " -> " in line or inside and " = " in line:
                link = " -> " in line and (" = " not in line or line.index(" -> ") < line.index(" = "))
                name, value = line.split(" -> " if link else " = ", 1)
                full = os.path.join(root, name.strip())
                os.makedirs(os.path.dirname(full), exist_ok=True)
                if link and not os.path.lexists(full):
                    os.symlink(value, full)
                elif not link and not os.path.isdir(full):
                    with open(full, "w", encoding="utf-8", errors="surrogateescape") as out:
                        out.write(value + "\n")


def command(*args, **kw):
    return subprocess.run([ELEMENTD, *args], capture_output=True, text=True, check=False, **kw)
