#!/usr/bin/env python3
"""Scale with real parts: one large machine, and a fleet, each beside a real Prometheus.

usage: scale.py hold  BUILD-DIR [--seconds N] [--cards N] [--json FILE]
       scale.py fleet BUILD-DIR [--seconds N] [--daemons N] [--json FILE]
       scale.py soak  BUILD-DIR [--seconds N] [--json FILE]

hold:  one daemon and its exporter with 128 simulated cards (1,024 drives), scraped every 5 s. No scrape fails or is left out for
       us, the snapshot never grows old, memory does not grow.
fleet: 50 daemons of one simulated card each, found through a file, the shipped recording and alert rules, and one drive that dies:
       its alert reaches a webhook through Alertmanager. Prints what a drive costs Prometheus.
soak:  8 drives of which one or another is gone, swapped, hung or reset all the time, scraped in every form, reloaded each 20 s, with
       clients that never finish. Memory and descriptors of both programs in the last quarter are within 1 % of those in the first. --seconds 7300 watches an hour.
Everything on loopback, on free ports. Ends with 0 when all of it held, 1 otherwise.
"""
import argparse
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/support"))
from waiting import free_port

RULES = ROOT / "deploy/prometheus/rules"
FOUND, BAD = {}, []
LATE = "element_ticks_late_total"
INTERVAL, TIMEOUT = 5, 4  # seconds: between two scrapes of a machine that is held, and until one has failed


def say(name, value, good=True, note=""):
    FOUND[name] = value
    shown = f"{value:.3f}" if isinstance(value, float) else value
    print(f"{name:52} {shown:>14} {'' if good else ' FAILED'} {note}", flush=True)
    if not good:
        BAD.append(name)


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as r:
        return r.read().decode()


def status_kb(pid, key):
    return int(re.search(rf"^{key}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M).group(1))


def cpu_s(pid):
    return sum(int((t / "schedstat").read_text().split()[0]) for t in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


class Children:
    """What was started; ended again whatever happens."""

    def __init__(self, scratch):
        self.all, self.dir = [], pathlib.Path(scratch)

    def start(self, name, *args):
        log = open(self.dir / f"{name}.log", "w")
        child = subprocess.Popen([str(a) for a in args], stdout=log, stderr=subprocess.STDOUT, preexec_fn=lambda: os.nice(5))
        self.all.append(child)
        return child

    def stop(self):
        for child in self.all:
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in self.all:
            try:
                child.wait(15)
            except subprocess.TimeoutExpired:
                child.kill()


def wait_for(what, check, seconds):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            if check():
                return time.monotonic() - began
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise SystemExit(f"{what}: not within {seconds} s")


class Stage:
    def __init__(self, build, scratch):
        self.build, self.dir, self.children = build, pathlib.Path(scratch), Children(scratch)
        self.prometheus_port = free_port()

    def pair(self, name, cards, *flags):
        base = self.dir / name
        for d in ("run", "state", "exporter"):
            (base / d).mkdir(parents=True)
            os.chmod(base / d, 0o777)
        port = free_port()
        daemon = self.children.start(name, self.build / "elementd", "govern", "--simulate", "lqd4500", "--cards", cards, "--workload", "random-read-4k",
                                     "--inlet", "30", "--runtime-dir", base / "run", "--state-dir", base / "state", *flags)
        exporter = self.children.start(name + "-exporter", self.build / "elementd-exporter", "--snapshot", base / "run/snapshot", "--state-dir", base / "exporter",
                                       "--web.listen-address", f"127.0.0.1:{port}", "--snmp.agentx", "off")
        return daemon, exporter, port

    def prometheus(self, config):
        path = self.dir / "prometheus.yml"
        path.write_text(json.dumps(config))  # JSON is YAML
        child = self.children.start("prometheus", "prometheus", f"--config.file={path}", f"--storage.tsdb.path={self.dir / 'tsdb'}",
                                    f"--web.listen-address=127.0.0.1:{self.prometheus_port}", "--web.enable-lifecycle")
        wait_for("prometheus", lambda: get(self.prometheus_port, "/-/ready"), 60)
        return child

    def ask(self, query):
        """The values of an instant query."""
        answer = json.loads(get(self.prometheus_port, "/api/v1/query?query=" + urllib.parse.quote(query)))
        return [float(r["value"][1]) for r in answer["data"]["result"]]

    def one(self, query):
        values = self.ask(query)
        return values[0] if values else float("nan")

    def stored(self, series):
        """Every sample of one series as it was stored, by time: a range says how far back."""
        answer = json.loads(get(self.prometheus_port, "/api/v1/query?query=" + urllib.parse.quote(series)))
        return {float(at): float(v) for r in answer["data"]["result"] for at, v in r["values"]}

    def own(self, name):
        """A metric of Prometheus itself, all its labels together."""
        text = get(self.prometheus_port, "/metrics")
        return sum(float(v) for v in re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.M))


def mean(rows, column):
    return sum(r[column] for r in rows) / len(rows)


def scrapes(stage, seconds):
    """Each scrape by its beginning, as it was stored with how long it took, storing included. Prometheus leaves one out while it has the one
    before in hand. Where that was over within the timeout our answer was there and its time to spare: the gap is of its own making. After a
    longer one a gap counts as ours."""
    up, took = (stage.stored(f'{name}{{job="elementd"}}[{int(seconds)}s]') for name in ("up", "scrape_duration_seconds"))
    begun = sorted(up)
    gaps = [(round((b - a) / INTERVAL) - 1, took[a] > TIMEOUT) for a, b in zip(begun, begun[1:]) if b - a > 1.5 * INTERVAL]
    ours, own = (sum(n for n, long in gaps if long == which) for which in (True, False))
    say("scrapes", len(up), len(up) + ours + own >= seconds / INTERVAL - 2, f"of {int(seconds / INTERVAL)}")
    say("scrapes that failed", list(up.values()).count(0), 0 not in up.values())
    say("scrapes left out after a long one", ours, ours == 0)
    say("scrapes left out by Prometheus itself", own)
    say("longest scrape as Prometheus sees it, s", max(took.values()))


def hold(stage, args):
    daemon, exporter, port = stage.pair("large", args.cards)
    drives = 8 * args.cards
    say("start to first good scrape, s", wait_for("exporter", lambda: get(port, "/-/ready"), 60))
    stage.prometheus({"global": {"scrape_interval": f"{INTERVAL}s", "scrape_timeout": f"{TIMEOUT}s"},
                      "scrape_configs": [{"job_name": "elementd", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}]})
    settle = min(120, args.seconds // 3)
    time.sleep(settle)
    programs = {"elementd": daemon, "exporter": exporter}
    late, cpu, began, seen = stage.one(LATE), [cpu_s(p.pid) for p in programs.values()], time.monotonic(), []
    while (took := time.monotonic() - began) < args.seconds - settle:
        seen.append([status_kb(p.pid, "VmRSS") / 1024 for p in programs.values()] + [os.getloadavg()[0]])
        time.sleep(5)
    cpu = [100 * (cpu_s(p.pid) - c) / took for p, c in zip(programs.values(), cpu)]
    span = f"[{int(took)}s]"
    say("seconds watched", int(took))
    scrapes(stage, took)
    say("drives always there", int(stage.one(f"min_over_time(count(element_drive_up == 1){span[:-1]}:5s])")), stage.one(f"min_over_time(count(element_drive_up == 1){span[:-1]}:5s])") == drives)
    say("oldest snapshot that was scraped, s", stage.one(f"max_over_time(element_snapshot_age_seconds{span})"), not stage.one(f"max_over_time(element_snapshot_age_seconds{span})") > 6)
    say("rounds late", int(stage.one(LATE) - late), note=f"of {int(took / 2)}; load average {mean(seen, 2):.1f}, at most {max(r[2] for r in seen):.1f}, on {os.cpu_count()} cores")
    quarter = max(1, len(seen) // 4)
    for i, name in enumerate(programs):
        first, last = mean(seen[:quarter], i), mean(seen[-quarter:], i)
        say(f"{name}: resident, last quarter, MB", last, last <= 1.05 * first + 0.5, f"{first:.2f} in the first, {100 * (last - first) / first:+.2f} %")
        say(f"{name}: CPU, % of one core", cpu[i])
    say("both: resident, MB", sum(seen[-1][:2]), max(sum(r[:2]) for r in seen) < 48)
    say("both: the most there ever was, MB", sum(status_kb(p.pid, "VmHWM") for p in (daemon, exporter)) / 1024, note="reached at another time each")
    say("series", int(stage.one('count({job="elementd"})')))
    say("samples per scrape", int(stage.one("scrape_samples_scraped")))
    say("scrape duration as Prometheus sees it, s", stage.one(f"avg_over_time(scrape_duration_seconds{span})"))


class Hook(http.server.BaseHTTPRequestHandler):
    got = []

    def do_POST(self):
        Hook.got.append((time.monotonic(), json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


def alertmanager(stage, hook_port):
    port = free_port()
    path = stage.dir / "alertmanager.yml"
    path.write_text((ROOT / "deploy/prometheus/alertmanager.yml").read_text().replace("127.0.0.1:9999", f"127.0.0.1:{hook_port}"))
    stage.children.start("alertmanager", "prometheus-alertmanager", f"--config.file={path}", f"--storage.path={stage.dir / 'alertmanager'}",
                         f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=")
    wait_for("alertmanager", lambda: get(port, "/-/ready"), 30)
    return port


def fleet(stage, args):
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    manager = alertmanager(stage, hook.server_address[1])
    scenario = stage.dir / "dies.yaml"
    scenario.write_text("events:\n  - {at: 20, event: drive-hung, slot: 3}\n")
    pairs = [stage.pair(f"host{i:02}", 1, *(["--scenario", scenario] if i == 0 else [])) for i in range(args.daemons)]
    for _, _, port in pairs:
        wait_for(f"port {port}", lambda: get(port, "/-/ready"), 60)
    targets = stage.dir / "targets.json"
    targets.write_text(json.dumps([{"targets": [f"127.0.0.1:{p}"], "labels": {"rack": f"r{i // 10}"}} for i, (_, _, p) in enumerate(pairs)]))
    rules = [str(p) for p in sorted(RULES.glob("*.yml"))]
    prometheus = stage.prometheus({"global": {"scrape_interval": "5s", "evaluation_interval": "5s"}, "rule_files": rules,
                                   "alerting": {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{manager}"]}]}]},
                                   "scrape_configs": [{"job_name": "elementd", "file_sd_configs": [{"files": [str(targets)]}]}]})
    drives = 8 * args.daemons
    began = time.monotonic()
    rss = status_kb(prometheus.pid, "VmRSS")
    time.sleep(30)
    appended, cpu = stage.own("prometheus_tsdb_head_samples_appended_total"), cpu_s(prometheus.pid)
    at = time.monotonic()
    time.sleep(max(0, args.seconds - 30))
    took = time.monotonic() - at
    up = stage.one("sum(up)")
    say("targets up", int(up), up == args.daemons)
    say("series per drive, all of a host's over its drives", stage.one('count({job="elementd"})') / drives)
    say("series per drive, a drive's own", stage.one('count({job="elementd",slot!=""})') / drives, note="goal 90 by default")
    rate = (stage.own("prometheus_tsdb_head_samples_appended_total") - appended) / took
    say("samples per drive and scrape", rate * 5 / drives)
    say("ingest: CPU of Prometheus per sample, us", (cpu_s(prometheus.pid) - cpu) / took / rate * 1e6, note="scraping, rules and storing together")
    say("Prometheus: resident per series, KB", (status_kb(prometheus.pid, "VmRSS") - rss) / stage.own("prometheus_tsdb_head_series"))
    say("recorded series", int(stage.one('count({__name__=~"(rack|model_firmware):.+"})')), stage.one('count({__name__=~"(rack|model_firmware):.+"})') > 0)
    say("drives counted by the racks' rule", int(stage.one("sum(rack:element_drives:count)")), stage.one("sum(rack:element_drives:count)") in (drives, drives - 1))
    say("rule evaluations that failed", int(stage.own("prometheus_rule_evaluation_failures_total")), stage.own("prometheus_rule_evaluation_failures_total") == 0)
    lost = [t - began for t, m in Hook.got for a in m["alerts"] if a["labels"]["alertname"] == "ElementDriveLost"]
    others = sorted({a["labels"]["alertname"] for _, m in Hook.got for a in m["alerts"]} - {"ElementDriveLost"})
    say("alert of the dead drive at the webhook after, s", min(lost) if lost else float("nan"), bool(lost), f"20 s until it dies, 1 min of patience; also sent: {others or 'none'}")
    say("elementd, mean of the fleet: resident, MB", sum(status_kb(d.pid, "VmRSS") for d, _, _ in pairs) / 1024 / args.daemons)
    say("exporter, mean of the fleet: resident, MB", sum(status_kb(e.pid, "VmRSS") for _, e, _ in pairs) / 1024 / args.daemons)


def churn(path, seconds):
    """As many events as a scenario holds, over the whole time: each slot is hit by each of them."""
    kinds = ("drive-gone", "drive-swapped", "drive-hung", "drive-reset", "sensor-lost", "link-downtrained", "actuator-refused")
    step = max(1.0, (seconds - 10) / 64)
    events = [f"  - {{at: {2 + i * step:.1f}, for: {max(1, 0.8 * step):.1f}, event: {kinds[i % 7]}, slot: {i % 8}{', value: 1' if i % 7 == 5 else ''}}}\n" for i in range(64)]
    path.write_text("events:\n" + "".join(events))
    return path


def use(port, half_open, round_):
    for path, accept in (("/metrics", "text/plain"), ("/metrics", "application/openmetrics-text"), ("/api/v1/snapshot", "*/*"), ("/", "*/*"), ("/nowhere", "*/*")):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Accept": accept, "Accept-Encoding": "gzip" if round_ % 2 else ""})
        try:
            urllib.request.urlopen(request, timeout=20).read()
        except urllib.error.HTTPError:
            pass
    s = socket.create_connection(("127.0.0.1", port))
    s.send(b"GET /metr")
    half_open.append(s)
    while len(half_open) > 8:
        half_open.pop(0).close()


def soak(stage, args):
    """Each quarter's mean. The first begins when every kind of event was seen and the page shows a whole hour: until then it grows, half of a
    shorter time."""
    settle = min(3700, args.seconds / 2)
    daemon, exporter, port = stage.pair("soak", 1, "--scenario", churn(stage.dir / "churn.yaml", args.seconds))
    wait_for("exporter", lambda: get(port, "/-/ready"), 60)
    began, half_open, seen, round_ = time.monotonic(), [], [], 0
    while (now := time.monotonic() - began) < args.seconds:
        use(port, half_open, round_)
        round_ += 1
        if round_ % 10 == 0:
            daemon.send_signal(signal.SIGHUP)
            exporter.send_signal(signal.SIGHUP)
        if now > settle:
            seen.append([f(p.pid) for p in (daemon, exporter) for f in (lambda pid: status_kb(pid, "VmRSS"), lambda pid: status_kb(pid, "RssAnon"),
                                                                       lambda pid: len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())))])
        time.sleep(2)
    quarter = len(seen) // 4
    say("seconds", int(now))
    say("rounds of five requests", round_)
    for i, name in enumerate(f"{program}: {what}" for program in ("elementd", "exporter") for what in ("resident, KB", "of that its own, KB", "descriptors")):
        first, last = mean(seen[:quarter], i), mean(seen[-quarter:], i)
        say(name + ", first quarter", first)
        say(name + ", last quarter", last, last <= 1.01 * first, f"{100 * (last - first) / first:+.2f} %")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("hold", "fleet", "soak"))
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--seconds", type=int, default=150)
    p.add_argument("--cards", type=int, default=128)
    p.add_argument("--daemons", type=int, default=50)
    p.add_argument("--json", type=pathlib.Path)
    args = p.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        stage = Stage(args.build.resolve(), scratch)
        try:
            {"hold": hold, "fleet": fleet, "soak": soak}[args.what](stage, args)
        finally:
            stage.children.stop()
    if args.json:
        args.json.write_text(json.dumps(FOUND, indent=1) + "\n")
    print(f"{len(FOUND)} figures, {len(BAD)} failed")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
