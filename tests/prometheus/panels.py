#!/usr/bin/env python3
"""Every query of every panel against a real Prometheus that scrapes a simulated card with faults, the alerts that these faults
must fire, and their way through a real Alertmanager to a webhook.

usage: panels.py BUILD-DIR
"""
import glob
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/support"))
from waiting import free_port, wait_for

BUILD = pathlib.Path(sys.argv[1]).resolve()
SCRAPES = 20  # before panels are asked: their rates look back 15 s
# Queries that may be empty although their panel is not: what a simulated card of minutes cannot have.
MAY_BE_EMPTY = {"element_governor_airflow_estimate_lfm", "element_drive_budget_watts"}
# Faults of the scenario, and the alerts of the short sort that must come of them.
SCENARIO = {
    "title": "one of everything", "card": "lqd4500-ent-25t6", "workload": "random-read-4k", "inlet": 57, "airflow": 200,
    "events": [
        {"at": 12, "event": "drive-gone", "slot": 1},
        {"at": 12, "event": "link-downtrained", "slot": 2, "value": 1},
        {"at": 14, "event": "drive-swapped", "slot": 3},
    ],
}
ALERTS = {"ElementDriveLost", "ElementLinkDegraded", "ElementDriveReplaced", "ElementInletOutOfRange"}


def get(url, seconds=10):
    with urllib.request.urlopen(url, timeout=seconds) as r:
        return r.read().decode()


class World:
    def __init__(self, scratch):
        self.dir, self.children = pathlib.Path(scratch), []
        self.web, self.prometheus, self.alertmanager, self.hook = (free_port() for _ in range(4))
        self.notes = []

    def start(self, *args, **kw):
        log = open(self.dir / (pathlib.Path(args[0]).name + ".log"), "ab")
        child = subprocess.Popen([str(a) for a in args], stdout=log, stderr=log, **kw)
        self.children.append(child)
        return child

    def stop(self, child):
        child.terminate()
        child.wait(10)
        self.children.remove(child)

    def settings(self):
        for name in ("run", "state", "exporter"):
            (self.dir / name).mkdir()
        os.chmod(self.dir, 0o755)
        os.chmod(self.dir / "exporter", 0o777)
        (self.dir / "elementd.yaml").write_text(yaml.safe_dump({
            "runtime_dir": str(self.dir / "run"), "state_dir": str(self.dir / "state"),
            "poll": {"tick_ms": 500, "hot_ms": 500, "normal_ms": 500, "idle_ms": 500},
            "cards": [{"card": "*", "card_limit_w": 60, "warranty_start": "2026-01-01"}]}))
        (self.dir / "scenario.yaml").write_text(yaml.safe_dump(SCENARIO))

    def govern(self):
        return self.start(BUILD / "elementd", "govern", "--config", self.dir / "elementd.yaml", "--simulate", SCENARIO["card"],
                          "--scenario", self.dir / "scenario.yaml")

    def history(self):
        """A run of seconds leaves a wear history; make it two days old, so that forecasts have something to go by."""
        child = self.govern()
        wait_for("first snapshot", lambda: (self.dir / "run/snapshot").exists())
        time.sleep(2)
        self.stop(child)
        path = self.dir / "state/endurance"
        lines = []
        for line in path.read_text().splitlines():
            words = line.split()
            if words[0] == "clock":
                line = f"clock {int(words[1]) + 172800} {words[2]}"
            elif words[0] == "drive":
                line += "\n0 80000 0 0\n1 0 0 0"
            elif words[0] in ("0", "1", "2"):
                continue
            lines.append(line)
        path.write_text("\n".join(lines) + "\n")

    def serve_hook(self):
        notes = self.notes

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                notes.append((self.path, body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.hook), Hook)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def monitor(self):
        """The shipped examples, with ports and periods of this test. `for` is cut short: it is tested by promtool."""
        config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{self.alertmanager}"]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{self.web}"]
        (self.dir / "rules").mkdir()
        for path in glob.glob(str(ROOT / "deploy/prometheus/rules/*.yml")):
            (self.dir / "rules" / os.path.basename(path)).write_text(re.sub(r"^( +for:) .*", r"\1 2s", pathlib.Path(path).read_text(), flags=re.M))
        (self.dir / "prometheus.yml").write_text(yaml.safe_dump(config))
        alerts = (ROOT / "deploy/prometheus/alertmanager.yml").read_text()
        alerts = alerts.replace("127.0.0.1:9999", f"127.0.0.1:{self.hook}")
        (self.dir / "alertmanager.yml").write_text(re.sub(r"(group_wait|group_interval): \S+", r"\1: 1s", alerts))
        self.serve_hook()
        self.start("prometheus-alertmanager", f"--config.file={self.dir}/alertmanager.yml", f"--storage.path={self.dir}/am",
                   f"--web.listen-address=127.0.0.1:{self.alertmanager}", "--cluster.listen-address=")
        self.start("prometheus", f"--config.file={self.dir}/prometheus.yml", f"--storage.tsdb.path={self.dir}/tsdb",
                   f"--web.listen-address=127.0.0.1:{self.prometheus}")

    def query(self, expr):
        url = f"http://127.0.0.1:{self.prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": expr})
        try:
            answer = json.loads(get(url))
        except urllib.error.HTTPError as e:
            answer = json.loads(e.read())
        if answer["status"] != "success":
            raise ValueError(answer.get("error"))
        return answer["data"]["result"]

    def told(self):
        """What reached the webhook, by the name of the alert."""
        return {a["labels"]["alertname"]: a for _path, body in self.notes for a in body["alerts"]}

    def end(self):
        for child in self.children:
            child.terminate()
        for child in self.children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()


def fill(expr):
    for name in ("job", "instance", "card", "slot"):
        expr = expr.replace(f"${name}", ".*")
    return expr.replace("$__rate_interval", "15s")


def panels():
    for path in sorted((ROOT / "dashboards").glob("*.json")):
        board = json.loads(path.read_text())
        assert "__inputs" not in board and board["uid"] == path.stem, path
        assert board["templating"]["list"][0]["type"] == "datasource", path
        for panel in board["panels"]:
            if panel["type"] != "row":
                yield path.name, panel
        for v in board["templating"]["list"][1:]:
            metric = re.match(r"label_values\((.*), \w+\)$", v["query"]["query"]).group(1)
            yield path.name, {"title": "variable " + v["name"], "description": "-", "targets": [{"expr": metric}],
                              "fieldConfig": {"defaults": {"unit": "-"}}}


def check_panels(world):
    bad = asked = 0
    for board, panel in panels():
        where = f"{board}: {panel['title']}"
        if not panel["description"] or not panel["fieldConfig"]["defaults"].get("unit"):
            print(f"{where}: no description or unit")
            bad += 1
        empty = []
        for target in panel["targets"]:
            asked += 1
            try:
                if not world.query(fill(target["expr"])):
                    empty.append(target["expr"])
            except ValueError as e:
                print(f"{where}: {target['expr']}: {e}")
                bad += 1
        hard = [e for e in empty if not any(name in e for name in MAY_BE_EMPTY)]
        if hard or len(empty) == len(panel["targets"]):
            print(f"{where}: no data: {hard or empty}")
            bad += 1
    print(f"{asked} queries, {bad} bad")
    return bad


def check_alerts(world):
    bad = 0
    firing = {r["metric"]["alertname"] for r in world.query('ALERTS{alertstate="firing"}')}
    for name in sorted(ALERTS - firing):
        print(f"{name} does not fire; firing are {sorted(firing)}")
        bad += 1
    for name, alert in world.told().items():
        text = " ".join(alert["annotations"].values())
        if "<no value>" in text or "%!" in text or "<error" in text:
            print(f"{name}: its text has holes: {text}")
            bad += 1
    if any(path == "/on-call" for path, body in world.notes for a in body["alerts"] if a["labels"]["severity"] != "critical"):
        print("an alert that is not critical went to on-call")
        bad += 1
    # No recording rule may be without result, and no rule may fail.
    rules = json.loads(get(f"http://127.0.0.1:{world.prometheus}/api/v1/rules"))["data"]["groups"]
    for rule in (r for g in rules for r in g["rules"]):
        if rule["health"] != "ok":
            print(f"{rule['name']}: {rule.get('lastError')}")
            bad += 1
        if rule["type"] == "recording" and not world.query(rule["name"]):
            print(f"{rule['name']}: no result")
            bad += 1
    print(f"firing: {', '.join(sorted(firing))}")
    return bad


def main():
    with tempfile.TemporaryDirectory() as scratch:
        world = World(scratch)
        try:
            world.settings()
            world.history()
            world.govern()
            world.start(BUILD / "elementd-exporter", "--config", world.dir / "elementd.yaml", "--state-dir", world.dir / "exporter",
                        "--web.listen-address", f"127.0.0.1:{world.web}", "--snmp.agentx", "off")
            wait_for("exporter ready", lambda: get(f"http://127.0.0.1:{world.web}/-/ready"))
            world.monitor()
            wait_for("Prometheus ready", lambda: get(f"http://127.0.0.1:{world.prometheus}/-/ready"))
            wait_for(f"{sorted(ALERTS)} at the webhook", lambda: ALERTS <= set(world.told()), 120)
            wait_for("scrapes", lambda: world.query(f"count_over_time(up[1h]) >= {SCRAPES}"), 120)
            bad = check_panels(world) + check_alerts(world)
            if world.query("min_over_time(up[1h]) < 1"):
                print("a scrape failed")
                bad += 1
        finally:
            world.end()
            if "KEEP" in os.environ:
                shutil.copytree(scratch, os.environ["KEEP"], dirs_exist_ok=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
