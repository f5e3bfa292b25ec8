#!/usr/bin/env python3
"""shortage.py BUILD LIBRARY [all]: each command, the daemon on a recorded machine, and the exporter's start, with each of its own calls for memory or a descriptor failing once. None
may crash or hang; the exporter ends with a reason or serves what it should. Without `all` some of the calls, spread over them."""
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BUILD, LIBRARY, ALL = sys.argv[1], sys.argv[2], sys.argv[3:] == ["all"]
ELEMENTD, EXPORTER = os.path.join(BUILD, "elementd"), os.path.join(BUILD, "elementd-exporter")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
from e2e import unpack  # noqa: E402
FIXTURES = os.path.join(HERE, "..", "fixtures")
SMART = sorted(os.path.join(FIXTURES, "pages", f) for f in os.listdir(os.path.join(FIXTURES, "pages")) if f.endswith(".smart.bin"))[0]
sys.path.append(os.path.join(HERE, "..", "support"))
from waiting import free_port, wait_for

bad = []


def env(n):
    return dict(os.environ, LD_PRELOAD=LIBRARY, SHORTAGE=str(n), EL_SLOW="1")


def numbers():
    n = 1
    while True:
        yield n
        n += 1 if ALL or n < 40 else max(1, n // 20)


def complain(what, n, code, said):
    bad.append(what)
    print(f"{what}: with call {n} failing: {code}\n{said[-1500:]}")


def commands(base):
    out = os.path.join(base, "out")
    twin = ("--simulate", "element-aic")
    record = os.path.join(base, "record")
    subprocess.run([ELEMENTD, "capture", record], capture_output=True, check=False)
    for args in (("scan", *twin), ("scan", "--root", record, "--json"), ("status", "--runtime-dir", os.path.join(base, "run"), "--json"),
                 ("check", os.path.join(HERE, "../../deploy/elementd.yaml")), ("check", "--example"), ("metrics", "--json"), ("mib",), ("decode", "--smart", SMART, "--json"),
                 ("simulate", "--card", "element-aic", "--hours", "0.01", "--csv", out, "--plot", out + ".svg"), ("restore", *twin, "--state-dir", os.path.join(base, "state")),
                 ("envelope", "--card", "element-aic", "--json")):
        refused = tried = 0
        for n in numbers():
            r = subprocess.run([ELEMENTD, *args], capture_output=True, text=True, errors="replace", env=env(n), timeout=300, check=False)
            if "shortage: felt" not in r.stderr:
                break
            tried += 1
            refused += r.returncode != 0
            said = r.stderr.replace("shortage: felt\n", "")
            if r.returncode not in (0, 1, 2) or (r.returncode and not said and args[0] != "status"):
                complain(" ".join(args), n, r.returncode, r.stderr)
        print(f"elementd {' '.join(args)[:60]}: {tried} of {n - 1} calls, {refused} ended it", flush=True)


def addresses(runtime):
    r = subprocess.run([ELEMENTD, "status", "--runtime-dir", runtime, "--json"], capture_output=True, text=True, check=False)
    return r.stdout.count('"address"') if r.returncode in (0, 1) else None


def governor_of_a_record(base):
    """On a recorded machine: its start, a round and a reload. It ends with a reason, or knows all it would have known."""
    root, config, runtime, state = (os.path.join(base, name) for name in ("machine", "c.yaml", "mrun", "mstate"))
    os.mkdir(root)
    unpack(os.path.join(FIXTURES, "machines", "card-of-four.txt"), root)
    with open(config, "w", encoding="utf-8") as f:
        f.write("poll: {tick_ms: 250}\ncards: [{card: '*', limit_c: 70}]\n")
    usual, ended = None, 0
    for n in itertools.chain([0], numbers()):
        log = os.path.join(base, "glog")
        with open(log, "w", encoding="utf-8") as out:
            child = subprocess.Popen([ELEMENTD, "govern", "--root", root, "--config", config, "--runtime-dir", runtime, "--state-dir", state, "--sandbox", "off"],
                                     stdout=out, stderr=out, env=env(n))

        def until(done):
            end = time.monotonic() + 60
            while child.poll() is None and time.monotonic() < end:
                if done():
                    return True
                time.sleep(0.02)
            return False

        def said():
            with open(log, encoding="utf-8", errors="replace") as f:
                return f.read()

        until(lambda: os.path.exists(runtime + "/snapshot"))
        if child.poll() is None:
            child.send_signal(signal.SIGHUP)
            until(lambda: "reloaded" in said())
        full = until(lambda: addresses(runtime) == usual) if usual else until(lambda: addresses(runtime))
        usual = usual or addresses(runtime)
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
        code = child.wait(timeout=60)
        told = said()
        ended += code != 0
        if not usual or code not in (0, 1) or (code == 0 and not full) or (code and not told.replace("shortage: felt\n", "")):
            complain("govern --root", n, code, f"{usual} addresses, {addresses(runtime)}\n{told}")
        if n and "shortage: felt" not in told.split("reloaded")[0] + told.partition("reloaded")[1]:
            break
    print(f"elementd govern --root: {usual} addresses; {n - 1} calls, {ended} ended it with a reason", flush=True)


def exporter(base, port):
    """0 it serves, 1 it has ended with a reason."""
    ended = served = 0
    usual = None
    for n in [0, *range(1, 400 if ALL else 400, 1 if ALL else 9)]:
        with open(os.path.join(base, "log"), "w+", encoding="utf-8") as log:
            child = subprocess.Popen([EXPORTER, "--snapshot", os.path.join(base, "run/snapshot"), "--state-dir", os.path.join(base, "estate"), "--snmp.agentx", "off",
                                      "--sandbox", "off", "--web.listen-address", f"127.0.0.1:{port}"], stdout=log, stderr=log, env=env(n))
            names, until = None, time.monotonic() + 60
            while child.poll() is None and time.monotonic() < until:
                try:
                    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
                    names = sorted(set(re.findall(r"^(element_\w+)", text, re.M)))
                    if usual is None or names == usual:
                        break
                except OSError:
                    time.sleep(0.02)
            usual = usual or names
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
            code = child.wait(timeout=60)
            log.seek(0)
            said = log.read()
            served += names == usual
            ended += names != usual
            if code not in (0, 1, 2) or (names != usual and not (code and re.search("error|out of memory", said))):
                complain("exporter", n, code, said)
            if n and "shortage: felt" not in said:
                break
    print(f"elementd-exporter: {served} served all, {ended} ended with a reason; last call {n}", flush=True)


with tempfile.TemporaryDirectory(prefix="el-shortage-") as scratch:
    os.chmod(scratch, 0o755)
    governor = subprocess.Popen([ELEMENTD, "govern", "--simulate", "element-aic", "--runtime-dir", scratch + "/run", "--state-dir", scratch + "/gstate", "--sandbox", "off"],
                                stderr=subprocess.DEVNULL)
    try:
        wait_for("a snapshot", lambda: os.path.exists(scratch + "/run/snapshot"))
        governor_of_a_record(scratch)
        commands(scratch)
        exporter(scratch, free_port())
    finally:
        governor.terminate()
        governor.wait()
if bad:
    sys.exit(f"{len(bad)} broken: {sorted(set(bad))}")
