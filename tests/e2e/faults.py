"""Faults of a scenario as the exporter tells them: a drive removed, one swapped, one that hangs, and their return."""
import os
import re
import tempfile

from e2e import Run, check, command, wait_for

SCENARIO = """
title: "Three drives in trouble"
card: element-aic
workload: sql
events:
  - {at: 3, for: 8, event: drive-gone, slot: 1}
  - {at: 3, event: drive-swapped, slot: 2}
  - {at: 3, for: 14, event: drive-hung, slot: 3}
"""


def up(text, slot):
    return run.value(f'element_drive_up{{card="element-aic-0",slot="{slot}"}}', text)


with tempfile.TemporaryDirectory(prefix="el-e2e-") as base:
    path, config = os.path.join(base, "faults.yaml"), os.path.join(base, "elementd.yaml")
    os.chmod(base, 0o755)
    with open(path, "w", encoding="utf-8") as f:
        f.write(SCENARIO)
    with open(config, "w", encoding="utf-8") as f:
        f.write("poll: {tick_ms: 500, hot_ms: 500, normal_ms: 1000, idle_ms: 1000}\n")
    with Run("--simulate", "element-aic", "--scenario", path, "--config", config) as run:
        wait_for("the removal", lambda: up(run.metrics(), 1) == 0, 10)
        wait_for("the swap", lambda: run.value('element_drive_replaced_total{card="element-aic-0",slot="2"}') == 1, 10)
        wait_for("the hang", lambda: run.value('element_drives{state="failed"}') == 1, 10)
        rows = {line.split()[0]: line for line in command("status", "--runtime-dir", run.runtime).stdout.splitlines() if "SIM" in line}
        check(re.search(r" \d+\.\d C ", rows["0"]) and "~" not in rows["0"].split(" W ")[0].rsplit("~", 1)[0], f"measured: {rows['0']}")
        check(" failed " in rows["3"] and not re.search(r" \d+\.\d C .* \d+\.\d C ", rows["3"]), f"no temperature of a silent drive but an estimated one: {rows['3']}")
        text = run.metrics()
        check(up(text, 0) == 1 and up(text, 2) == 1 and up(text, 3) == 0, "the others are up")
        check('last_serial="SIM' in text or "gone" in text, "the one that went is named")
        events = [e["text"] for e in run.snapshot()["events"]]
        check(any("is gone" in e for e in events) and sum("replaced by" in e for e in events) == 1, str(events))
        wait_for("all four back", lambda: sum(run.samples("element_drive_up")) == 4, 30)
        check(run.value('element_drive_replaced_total{card="element-aic-0",slot="1"}') == 0, "the same drive came back")
