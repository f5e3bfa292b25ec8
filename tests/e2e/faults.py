"""Faults of a scenario as the exporter tells them: a drive removed, one swapped, one that hangs, and their return."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import tempfile
import termios
import time

from e2e import ELEMENTD, SLOW, Run, check, command, wait_for

SCENARIO = """
title: "Three drives in trouble"
card: element-aic
workload: sql
events:
  - {at: 3, for: 8, event: drive-gone, slot: 1}
  - {at: 3, event: drive-swapped, slot: 2}
  - {at: 3, for: 40, event: drive-hung, slot: 3}
"""


def watch(columns, seconds, **env):
    """What `status --watch` says to a terminal of this width, with what colours it in visible form."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(env)
        os.execv(ELEMENTD, [ELEMENTD, "status", "--watch", "--runtime-dir", run.runtime])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    text, end = "", time.monotonic() + seconds * SLOW
    while text.count("\033[2J") < 3 and time.monotonic() < end:  # the first may have been drawn before the width was set
        if select.select([fd], [], [], 0.2)[0]:
            text += os.read(fd, 65536).decode()
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(fd)
    return text.split("\033[H\033[2J")[2].replace("\r", "").replace("\033", "<").splitlines()


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
        wide, narrow = watch(200, 60, TERM="xterm", NO_COLOR=""), watch(80, 60, TERM="xterm", NO_COLOR="1")
        check(any(re.match(r"<\[1;31m +3 nvme3 +SIM.* failed ", line) for line in wide), f"a failed drive is red: {wide}")
        check(any(re.match(r" +0 nvme0 .*B/s", line) for line in wide), f"a good one is not: {wide}")
        check(any(re.match(r" +3 nvme3 +failed ", line) for line in narrow) and "<" not in "".join(narrow), f"no colour, no serial: {narrow}")
        check(all(len(line) <= 80 for line in narrow if re.match(r" +(slot|\d) ", line)), f"no longer than the terminal: {narrow}")
        text = run.metrics()
        check(up(text, 0) == 1 and up(text, 2) == 1 and up(text, 3) == 0, "the others are up")
        check('last_serial="SIM' in text or "gone" in text, "the one that went is named")
        events = [e["text"] for e in run.snapshot()["events"]]
        check(any("is gone" in e for e in events) and sum("replaced by" in e for e in events) == 1, str(events))
        wait_for("all four back", lambda: sum(run.samples("element_drive_up")) == 4, 60)
        check(run.value('element_drive_replaced_total{card="element-aic-0",slot="1"}') == 0, "the same drive came back")
