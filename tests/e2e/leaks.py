"""Nothing is left at any exit: a whole run that is scraped in every form, reloaded (well and badly) and ended by SIGTERM, and each subcommand's
ways out: done, wrong usage, a bad file, nothing to work on. In a build with AddressSanitizer its leak check watches, else valgrind does (leaks, and
reads of what was never written)."""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import e2e
from e2e import BUILD, ELEMENTD, EXPORTER, check, free_port, wait_for

FLAGS = open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8").read()
WATCH = [] if "-fsanitize=address" in FLAGS else [
    "valgrind", "--quiet", "--error-exitcode=99", "--exit-on-first-error=no", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible",
    "--show-leak-kinds=definite,indirect,possible", "--trace-children=yes", "--child-silent-after-fork=no"]
ENV = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:exitcode=99:" + os.environ.get("ASAN_OPTIONS", ""))
FIXTURES = os.path.join(os.path.dirname(__file__), "..", "fixtures")
e2e.SLOW = 10
bad = []


def judge(what, code, expected, said):
    if code not in expected or "LeakSanitizer" in said or "\n==" in "\n" + said:
        bad.append(what)
        print(f"{what}: code {code}, expected {expected}\n{said[-3000:]}")


def leaves(*args, expected, program=ELEMENTD, stdin=""):
    r = subprocess.run([*WATCH, program, *map(str, args)], input=stdin, capture_output=True, text=True, errors="replace", timeout=300, check=False, env=ENV)
    judge(" ".join(map(str, args)), r.returncode, expected, r.stderr)


def scrape(port):
    for path, accept in (("/metrics", "text/plain"), ("/metrics", "application/openmetrics-text"), ("/", "*/*"), ("/api/v1/snapshot", "*/*"), ("/x", "*/*"), ("/-/ready", "*/*")):
        for encoding in ("gzip", "identity"):
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Accept": accept, "Accept-Encoding": encoding})
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(request, timeout=60).read()


def whole_run(base):
    """Both programs, as two units would start them."""
    config, port = os.path.join(base, "elementd.yaml"), free_port()
    said = {name: open(os.path.join(base, name + ".log"), "w+", encoding="utf-8") for name in ("elementd", "exporter")}
    started = {}

    def start(name, *args):
        started[name] = subprocess.Popen([*WATCH, *args], stdout=said[name], stderr=subprocess.STDOUT, env=ENV)

    def write(text):
        with open(config, "w", encoding="utf-8") as f:
            f.write(text)

    def log(name):
        with open(said[name].name, encoding="utf-8", errors="replace") as f:
            return f.read()

    def reload_and_wait(text, *words):
        write(text)
        for (name, child), word in zip(started.items(), words):
            seen = len(log(name))
            child.send_signal(signal.SIGHUP)
            wait_for(f"{name}: {word}", lambda: word in log(name)[seen:], 12)

    def ready():
        ended = [name for name, child in started.items() if child.poll() is not None]
        if ended:
            raise SystemExit(f"{ended} ended: " + log(ended[0]))
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=20).status == 200

    write("poll: {tick_ms: 1000}\n")
    users = os.path.join(base, "users")
    with open(users, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write('user monitor SHA-256 "correct horse" AES "battery staple"\n')
    start("elementd", ELEMENTD, "govern", "--simulate", "element-aic", "--airflow", "150", "--inlet", "40", "--config", config, "--runtime-dir",
          f"{base}/run", "--state-dir", f"{base}/state", "--sandbox", "off")
    start("exporter", EXPORTER, "--config", config, "--snapshot", f"{base}/run/snapshot", "--state-dir", f"{base}/state", "--sandbox", "off", "--snmp.agentx", "off",
          "--snmp.standalone", f"udp:127.0.0.1:{free_port()}", "--snmp.users-file", users, "--web.listen-address", f"127.0.0.1:{port}")
    try:
        wait_for("readiness", ready, 12)
        scrape(port)
        reload_and_wait("colour: red\n", "not reloaded", "stays in force")
        reload_and_wait("poll: {tick_ms: 500}\n", "settings reloaded", "reload: done")
        scrape(port)
        for name, child in started.items():
            child.send_signal(signal.SIGTERM)
            judge(f"whole run: {name}", child.wait(timeout=120), (0,), log(name))
    except AssertionError:
        print(log("elementd"), log("exporter"))
        raise
    finally:
        for child in started.values():
            child.kill()


def launched(base):
    """Both programs as children of the launcher, watched with it."""
    port = free_port()
    with open(os.path.join(base, "run.log"), "w+", encoding="utf-8") as said:
        child = subprocess.Popen([*WATCH, ELEMENTD, "run", "--simulate", "element-aic", "--runtime-dir", f"{base}/run2", "--state-dir", f"{base}/state2",
                                  "--sandbox", "off", "--web.listen-address", f"127.0.0.1:{port}"], stdout=said, stderr=subprocess.STDOUT, env=ENV)

        def ready():
            if child.poll() is not None:
                raise SystemExit("run ended: " + open(said.name, encoding="utf-8").read())
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=20).status == 200

        try:
            wait_for("readiness of both", ready, 12)
            scrape(port)
            child.send_signal(signal.SIGHUP)
            scrape(port)
            child.send_signal(signal.SIGTERM)
            judge("run with its children", child.wait(timeout=120), (0,), open(said.name, encoding="utf-8", errors="replace").read())
        finally:
            child.kill()


def ways_out(base):
    def put(name, text):
        path = os.path.join(base, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    wrong, good, scenario = put("wrong.yaml", "poll: {tick_ms: x\n"), put("good.yaml", "poll: {tick_ms: 1000}\n"), put("s.yaml", "events:\n  - {at: 1, event: nothing}\n")
    odd, web = put("odd.yaml", "governor: {mode: sometimes}\npoll: {tick_ms: -3}\nfoo: [1]\n"), put("web.yml", "tls_server_config: {cert_file: none}\n")
    empty = os.path.join(base, "empty")
    os.mkdir(empty)
    machine = sorted(glob.glob(os.path.join(FIXTURES, "machines", "*")) + [empty])[0]
    smart, nowhere = sorted(glob.glob(os.path.join(FIXTURES, "pages", "*.smart.bin")))[0], os.path.join(base, "nowhere")
    twin = ("--simulate", "element-aic")
    dirs = ("--runtime-dir", f"{base}/r", "--state-dir", f"{base}/s")

    leaves(expected=(2,))
    leaves("nothing", expected=(2,))
    for command in ("govern", "run", "scan", "status", "simulate", "envelope", "decode", "check", "mib", "metrics", "capture", "pause", "restore", "doctor"):
        leaves(command, "--help", expected=(0,))
        leaves(command, "--bogus", expected=(2,))
    for command in ("scan", "govern", "restore"):
        for config in (wrong, odd, nowhere):
            leaves(command, *twin, "--config", config, expected=(1, 2))
        leaves(command, *twin, "--scenario", scenario, expected=(1, 2))
        leaves(command, "--root", nowhere, expected=(1, 2))
    for config in (wrong, odd, nowhere, good, *glob.glob(os.path.join(FIXTURES, "..", "fuzz/corpus/config_settings/*"))):
        leaves("check", config, expected=(0, 1))
    leaves("check", "--example", expected=(0,))
    leaves("scan", *twin, "--json", expected=(0, 1))
    leaves("scan", "--root", machine, "--json", expected=(0, 1))
    leaves("scan", expected=(0, 1))
    leaves("doctor", expected=(0, 1))
    leaves("doctor", "--config", wrong, expected=(0, 1, 2))
    leaves("govern", *twin, "--runtime-dir", "/proc/x", "--state-dir", f"{base}/s", "--sandbox", "off", expected=(1,))
    leaves("govern", *twin, "--runtime-dir", f"{base}/r", "--state-dir", "/proc/x", "--sandbox", "off", expected=(1,))
    leaves("restore", *twin, "--state-dir", f"{base}/s", expected=(0, 1))
    leaves("run", *twin, *dirs, "--web.listen-address", "nonsense", "--sandbox", "off", expected=(1, 2))
    leaves("run", *twin, *dirs, "--config", wrong, "--web.listen-address", f"127.0.0.1:{free_port()}", "--sandbox", "off", expected=(1, 2))
    for flags in (("--runtime-dir", nowhere), ("--json", "--runtime-dir", nowhere), ("--config", wrong)):
        leaves("status", *flags, expected=(1, 2))
    leaves("pause", "soon", expected=(2,))
    leaves("pause", "1m", "--runtime-dir", nowhere, expected=(1,))
    leaves("capture", "/proc/x", expected=(1,))
    leaves("capture", f"{base}/captured", expected=(0, 1))
    leaves("decode", "--smart", smart, "--prometheus", expected=(0,))
    leaves("decode", "--smart", smart, "--json", expected=(0,))
    leaves("decode", "--smart", wrong, expected=(1, 2))
    leaves("decode", "--smart", nowhere, expected=(1, 2))
    leaves("mib", "--base", "1.2.x", expected=(2,))
    leaves("mib", expected=(0,))
    leaves("metrics", "--json", expected=(0,))
    leaves("metrics", "--markdown", expected=(0,))
    leaves("simulate", "--card", "element-aic", "--hours", "0.01", "--seeds", "2", "--json", expected=(0, 1))
    leaves("simulate", "--card", "element-aic", "--hours", "0.01", "--csv", f"{base}/t.csv", "--plot", f"{base}/t.svg", expected=(0,))
    leaves("simulate", "--card", "element-aic", "--replay", f"{base}/t.csv", expected=(0, 1))
    leaves("simulate", "--card", "element-aic", "--replay", wrong, expected=(1, 2))
    leaves("simulate", "--card", "element-aic", "--plant", "true", expected=(1, 2))
    leaves("simulate", "--card", "none", expected=(1, 2))
    leaves("simulate", "--card", "element-aic", "--scenario", scenario, expected=(1, 2))
    leaves("envelope", "--card", "none", expected=(1, 2))
    listen = ("--web.listen-address", f"127.0.0.1:{free_port()}", "--snmp.agentx", "off", "--sandbox", "off", "--state-dir", f"{base}/s")
    for flags, codes in ((("--bogus",), (2,)), (("--help",), (0,)), (("--config", wrong), (1, 2)), (("--config", odd), (1, 2)), (("--web.config.file", web, *listen), (1,)),
                         (("--web.config.file", wrong, *listen), (1,)), (("--collect", "x", *listen), (1, 2)), (("--web.listen-address", "x"), (1, 2)),
                         (("--snmp.users-file", wrong, "--snmp.standalone", f"udp:127.0.0.1:{free_port()}", *listen), (1, 2)), (("--snmp.sink", "x", *listen), (1, 2))):
        leaves(*flags, expected=codes, program=EXPORTER)


with tempfile.TemporaryDirectory(prefix="el-leaks-") as scratch:
    os.chmod(scratch, 0o755)
    if len(sys.argv) < 3 or sys.argv[2] != "exits":
        whole_run(scratch)
        launched(scratch)
    if len(sys.argv) < 3 or sys.argv[2] != "run":
        ways_out(scratch)
check(not bad, f"{len(bad)} exits are not clean: {bad}")
