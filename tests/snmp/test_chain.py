#!/usr/bin/env python3
"""From the drive to the manager, nothing left out: faults of a simulated card become alarms of the daemon, and these the notifications, the active
alarms and the metric that say the same.

usage: test_chain.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import json
import signal
import socket
import sys

import test_agent
from kit import COMMUNITY, BASE, free_port, oid_tuple, received, sequence, until
from test_kit import fetch, metrics

LOST, REPLACED, LINK, RESTARTED, RELOAD = 8, 9, 10, 13, 23
SCENARIO = """
title: "Faults that end"
card: lqd4500
workload: idle
events:
  - {at: 6, for: 10, event: drive-gone, slot: 1}
  - {at: 6, event: drive-swapped, slot: 2}
  - {at: 6, for: 20, event: link-downtrained, slot: 4, value: 1}
"""


def from_drive_to_manager(b):
    web, port, trap = free_port(socket.SOCK_STREAM), free_port(), free_port()
    settings, scenario = b.dir / "elementd.yaml", b.dir / "scenario.yaml"
    scenario.write_text(SCENARIO)
    settings.write_text("poll: {tick_ms: 1000}\n")
    b.trapd(trap)
    run = b.start(b.build / "elementd", "run", "--simulate", "lqd4500", "--scenario", scenario, "--config", settings, "--web.listen-address",
                  f"127.0.0.1:{web}", "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off", "--snmp.users-file", b.dir / "users",
                  "--snmp.sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{trap}", log="run.log")

    def told(*numbers):
        return set(numbers) <= {number for number, _, _ in received(b)}

    def the_same():
        """Of one moment: active alarms by SNMP, by JSON, and the number of them as a metric."""
        rows = [(k[14], v.split('"')[1]) for k, v in b.walk(port, BASE + ".1.14.1.5") if k[:14] == oid_tuple(BASE + ".1.14.1.5")]
        state, page = json.loads(fetch(f"http://127.0.0.1:{web}/api/v1/snapshot")), metrics(web)
        active = sum(v for (name, _), v in page.items() if name == "element_alarms_active")
        return sorted(rows) == sorted((a["id"], a["alarm"]) for a in state["alarms"]) and active == len(rows)
    until(lambda: told(RESTARTED), 60, "the start")
    until(lambda: told(LOST, REPLACED, LINK), 120, f"raised: {received(b)}")
    until(the_same, 60, "the same alarms everywhere")
    settings.write_text("poll: {tick_ms: fast}\n")
    run.send_signal(signal.SIGHUP)
    until(lambda: told(RELOAD), 60, "a bad settings file")
    settings.write_text("poll: {tick_ms: 1000}\n")
    run.send_signal(signal.SIGHUP)
    until(lambda: told(LOST + 100, LINK + 100, RELOAD + 100), 180, f"cleared: {received(b)}")
    until(lambda: the_same() and b.own(port, "1.1.16.0") == "0", 60, "no alarm is left")
    assert sequence(b) == list(range(1, len(received(b)) + 1)), sequence(b)  # though events that notify nobody came between
    events = [event for _, event, _ in received(b)[1:]]
    assert events == sorted(set(events)) and events[-1] > len(events), events
    texts = {number: text for number, _, text in received(b)}
    assert all(texts.values()), texts
    run.terminate()
    assert run.wait(60) == 0
    return ", ".join(f"{n}: {t}" for n, t in sorted(texts.items()))


if __name__ == "__main__":
    sys.exit(test_agent.main([from_drive_to_manager]))
