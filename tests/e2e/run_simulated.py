"""`elementd run --simulate lqd4500` shows the whole card, its exposition holds for two strict readers, and its figures of memory
and time are within what is promised."""
import json
import os
import socket
import subprocess
import tempfile

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from e2e import Run, SLOW, check, command, wait_for

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def rss_kib(pid, field="VmRSS"):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(field))


with Run("--simulate", "lqd4500", "--workload", "random-read-4k") as run:
    text = run.metrics()
    check(len(run.samples("element_drive_up", text)) == 8 and sum(run.samples("element_drive_up", text)) == 8, "8 drives up")
    snapshot = run.snapshot()
    check(len(snapshot["cards"]) == 1, "one card")

    promtool = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    check(promtool.returncode == 0 and not promtool.stdout + promtool.stderr, f"promtool: {promtool.stdout}{promtool.stderr}")
    families = list(text_string_to_metric_families(run.get("/metrics", accept=OPENMETRICS)))
    check(len(families) > 40, f"{len(families)} families")
    series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
    check(len(series) == len(set(series)), "no series twice")

    scan = command("scan", "--simulate", "lqd4500", "--json")
    check(scan.returncode == 0, scan.stderr)
    card = json.loads(scan.stdout)["cards"][0]
    check(len(card["slots"]) == 8 and len(card["links"]) >= 10, "slots and links of the scan")
    check(all("limit_celsius" in s and "link" in s for s in card["slots"]), "limits and links of the slots")

    status = command("status", "--runtime-dir", run.runtime)
    check(status.returncode == 0 and status.stdout.count(" up ") == 8, status.stdout + status.stderr)

    status = command("status", "--json", "--runtime-dir", run.runtime)
    check(status.returncode == 0 and len(json.loads(status.stdout)["cards"]) == 1, status.stderr)

    wait_for("eight rounds", lambda: run.value("element_ticks_total") >= 8, 30)
    govern, exporter = run.child("govern"), run.child("exporter")
    if SLOW == 1:
        check(rss_kib(govern) < 4 * 1024, f"elementd has {rss_kib(govern)} KiB resident")
        check(rss_kib(exporter) < 14 * 1024, f"the exporter has {rss_kib(exporter)} KiB resident")
        anonymous = rss_kib(govern, "RssAnon") + rss_kib(exporter, "RssAnon")
        check(anonymous < 5 * 1024, f"both have {anonymous} KiB of anonymous memory")
        print(f"resident: elementd {rss_kib(govern)} KiB, exporter {rss_kib(exporter)} KiB; anonymous together {anonymous} KiB")
    print(f"round: {run.value('element_tick_cpu_seconds') * 1e6:.0f} us of CPU")
    code, took = run.terminate()
    check(code == 0 and took < 2 * SLOW, f"SIGTERM: code {code} after {took:.2f} s")
    check(not os.path.exists(os.path.join(run.runtime, "snapshot")), "no snapshot left behind")

# SNMP beside it: the exporter keeps its engine in the state directory that was named, and a socket behind --snmp.agentx means on, there.
with tempfile.TemporaryDirectory() as d:
    users = os.path.join(d, "users")
    with open(os.open(users, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as f:
        f.write('user monitor SHA-256 "correct horse" AES "battery staple"\n')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with Run("--simulate", "element-aic", "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.users-file", users,
             f"--snmp.agentx={d}/master") as run:
        check(run.value("element_agentx_connected") == 0, "waits for the master")
        with open(os.path.join(run.state, "exporter", "snmp-engine"), encoding="utf-8") as f:
            check(f.read().split()[1] == "1", "one start is counted")
