#!/usr/bin/env python3
"""The product itself, sandbox and all: its walk against its own /metrics, and the files of deploy/snmp with the real programs.

usage: test_kit.py SOURCE_DIR BUILD_DIR [CASE...]
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

import test_agent
from kit import BASE, COMMUNITY, USER, free_port, oid_tuple, received, sequence, until

# What both tell: column: (metric, label that tells its series from others of the same thing, decimal places; FLAG: TruthValue against 1 and 0).
FLAG = None
SHARED = {
    "elReady": ("element_ready", {}, FLAG), "elConfigOk": ("element_config_last_reload_successful", {}, FLAG),
    "elTicks": ("element_ticks_total", {}, 0), "elTicksLate": ("element_ticks_late_total", {}, 0),
    "elEventsLost": ("element_events_lost_total", {}, 0), "elCardSlots": ("element_slots_expected", {}, 0),
    "elCardInlet": ("element_board_inlet_celsius", {}, 3), "elCardPower": ("element_card_power_watts", {}, 3),
    "elCardSwitchTemperature": ("element_switch_temperature_celsius", {}, 3), "elCardPowerLimit": ("element_card_limit_watts", {}, 3),
    "elCardSwitchLimit": ("element_switch_limit_celsius", {}, 3), "elCardInletMin": ("element_card_inlet_min_celsius", {}, 3),
    "elCardInletMax": ("element_card_inlet_max_celsius", {}, 3), "elCardAirflowMin": ("element_card_airflow_min_lfm", {}, 3),
    "elCardHumidityMin": ("element_card_humidity_min_ratio", {}, 6), "elCardHumidityMax": ("element_card_humidity_max_ratio", {}, 6),
    "elSlotUp": ("element_drive_up", {}, FLAG), "elSlotReplaced": ("element_drive_replaced_total", {}, 0),
    "elSlotPolls": ("element_drive_polls_total", {}, 0), "elSlotPollDuration": ("element_drive_poll_duration_seconds", {}, 6),
    "elSlotPollPeriod": ("element_drive_poll_period_seconds", {}, 3), "elSlotReadBytes": ("element_drive_io_bytes_total", {"direction": "read"}, 0),
    "elSlotWriteBytes": ("element_drive_io_bytes_total", {"direction": "write"}, 0),
    "elSlotReadOps": ("element_drive_io_operations_total", {"direction": "read"}, 0),
    "elSlotWriteOps": ("element_drive_io_operations_total", {"direction": "write"}, 0),
    "elIdentityCapacity": ("element_drive_total_capacity_bytes", {}, 0),
    "elIdentityWarningTemperature": ("element_drive_warning_temperature_threshold_celsius", {}, 3),
    "elIdentityCriticalTemperature": ("element_drive_critical_temperature_threshold_celsius", {}, 3),
    "elHealthTemperature": ("element_drive_temperature_celsius", {"sensor": "composite"}, 3),
    "elHealthSpare": ("element_drive_available_spare_ratio", {}, 2),
    "elHealthSpareThreshold": ("element_drive_available_spare_threshold_ratio", {}, 2),
    "elHealthUsed": ("element_drive_percentage_used_ratio", {}, 2), "elHealthDataRead": ("element_drive_data_read_bytes_total", {}, 0),
    "elHealthDataWritten": ("element_drive_data_written_bytes_total", {}, 0), "elHealthHostReads": ("element_drive_host_read_commands_total", {}, 0),
    "elHealthHostWrites": ("element_drive_host_write_commands_total", {}, 0),
    "elHealthBusyTime": ("element_drive_controller_busy_seconds_total", {}, 0), "elHealthPowerCycles": ("element_drive_power_cycles_total", {}, 0),
    "elHealthPowerOnTime": ("element_drive_power_on_seconds_total", {}, 0),
    "elHealthUnsafeShutdowns": ("element_drive_unsafe_shutdowns_total", {}, 0), "elHealthMediaErrors": ("element_drive_media_errors_total", {}, 0),
    "elHealthErrorLogEntries": ("element_drive_error_log_entries_total", {}, 0),
    "elHealthWarningTime": ("element_drive_warning_temperature_seconds_total", {}, 0),
    "elHealthCriticalTime": ("element_drive_critical_temperature_seconds_total", {}, 0),
    "elHealthLightThrottles": ("element_drive_thermal_management_transitions_total", {"level": "1"}, 0),
    "elHealthHeavyThrottles": ("element_drive_thermal_management_transitions_total", {"level": "2"}, 0),
    "elHealthLightThrottleTime": ("element_drive_thermal_management_seconds_total", {"level": "1"}, 0),
    "elHealthHeavyThrottleTime": ("element_drive_thermal_management_seconds_total", {"level": "2"}, 0),
    "elHealthPower": ("element_drive_power_watts", {}, 3), "elHealthPowerState": ("element_drive_power_state", {}, 0),
    "elHealthWriteCache": ("element_drive_write_cache_enabled", {}, FLAG), "elDriveSensorTemperature": ("element_drive_temperature_celsius", {}, 3),
    "elDriveSensorOver": ("element_drive_temperature_threshold_celsius", {"bound": "over"}, 3),
    "elDriveSensorUnder": ("element_drive_temperature_threshold_celsius", {"bound": "under"}, 3), "elLinkUp": ("element_link_up", {}, FLAG),
    "elLinkDegraded": ("element_link_degraded", {}, FLAG), "elLinkSpeed": ("element_link_transfers_per_second", {"kind": "current"}, -6),
    "elLinkWidth": ("element_link_width_lanes", {"kind": "current"}, 0), "elLinkSpeedMax": ("element_link_transfers_per_second", {"kind": "max"}, -6),
    "elLinkWidthMax": ("element_link_width_lanes", {"kind": "max"}, 0), "elLinkPathRate": ("element_link_path_bottleneck_bytes_per_second", {}, 0),
    "elLinkPowerLimit": ("element_link_slot_power_limit_watts", {}, 3), "elBoardSensorAlarm": ("element_board_sensor_alarm", {}, FLAG),
    "elBoardSensorFault": ("element_board_sensor_fault", {}, FLAG), "elGovernorCardPaused": ("element_governor_paused", {}, FLAG),
    "elGovernorCardFailsafes": ("element_governor_failsafe_entries_total", {}, 0),
    "elGovernorCardAirFailing": ("element_governor_air_failing", {}, FLAG), "elGovernorCardPower": ("element_card_power_estimate_watts", {}, 3),
    "elGovernorCardResistance": ("element_governor_thermal_resistance_celsius_per_watt", {}, 3),
    "elGovernorCardUnknownHeat": ("element_governor_unknown_heat_watts", {}, 3),
    "elGovernorCardAirflow": ("element_governor_airflow_estimate_lfm", {}, 3),
    "elGovernorCardAirflowWish": ("element_governor_airflow_wish_lfm", {}, 3),
    "elGovernorCardSwitchHeadroom": ("element_switch_headroom_celsius", {}, 3), "elGovernorCardFan": ("element_governor_fan_pwm_ratio", {}, 6),
    "elGovernorSlotCap": ("element_drive_cap_ratio", {}, 6), "elGovernorSlotBudget": ("element_drive_budget_watts", {}, 3),
    "elGovernorSlotLimit": ("element_drive_limit_celsius", {}, 3), "elGovernorSlotHeadroom": ("element_drive_headroom_celsius", {}, 3),
    "elGovernorSlotTemperature": ("element_drive_temperature_estimate_celsius", {}, 3),
    "elGovernorSlotPower": ("element_drive_power_estimate_watts", {}, 3),
    "elGovernorSlotWithheld": ("element_drive_throughput_withheld_ratio", {}, 6),
    "elGovernorSlotCapInForce": ("element_drive_cap_in_force_ratio", {}, 6),
    "elGovernorSlotMismatches": ("element_drive_actuator_mismatch_total", {}, 0),
    "elGovernorSlotFailures": ("element_drive_action_failures_total", {}, 0),
    "elGovernorSlotEscaped": ("element_drive_budget_escape_bytes_total", {}, 0),
    "elGovernorSlotSensorValid": ("element_drive_sensor_valid", {}, FLAG), "elEnduranceRated": ("element_drive_rated_endurance_bytes", {}, 0),
    "elEnduranceRateDay": ("element_drive_write_rate_bytes_per_second", {"window": "1d"}, 0),
    "elEnduranceRateMonth": ("element_drive_write_rate_bytes_per_second", {"window": "30d"}, 0),
    "elWarrantyRated": ("element_card_rated_endurance_bytes", {}, 0), "elWarrantyRemaining": ("element_card_warranty_remaining_seconds", {}, 0),
    "elWarrantyEnduranceRemaining": ("element_card_warranty_endurance_remaining_ratio", {}, 6),
}
# How the index of each table becomes labels: of the card, its slot, the sensor of a drive, a link by its address, a sensor of the board by its name.
CARD, SLOT, DRIVE_SENSOR, LINK, BOARD = {3, 10, 13}, {4, 5, 6, 7, 11, 12}, {7}, {8}, {9}


os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")  # which the sandbox forbids


def exporter(b, web, *flags, prefix=()):
    """elementd-exporter on the scratch snapshot, as it ships: sandboxed."""
    b.dir.chmod(0o777)
    p = b.start(*prefix, b.build / "elementd-exporter", "--snapshot", b.dir / "snapshot", "--state-dir", b.dir, "--web.listen-address", f"127.0.0.1:{web}",
                "--collect", "all", "--snmp.users-file", b.dir / "users", *flags, log="exporter.log")
    until(lambda: metrics(web) is not None, 60, "serves " + (b.dir / "exporter.log").read_text())
    return p


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as r:
            return r.read().decode()
    except OSError:
        return None


def metrics(web):
    """{(name, frozenset of labels): number}"""
    text = fetch(f"http://127.0.0.1:{web}/metrics?collect=all") or fetch(f"http://127.0.0.1:{web}/metrics")
    if text is None:
        return None
    out = {}
    for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.M):
        out[name, frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels))] = float(value)
    return out


def columns(b):
    """{name: (table, column)}, and the names of those whose value the catalog of metrics gives."""
    done = subprocess.run([b.build / "tests/snmp-columns"], capture_output=True, text=True, check=True).stdout
    where = {}
    for oid, name, _ in map(str.split, done.splitlines()):
        if oid.startswith(BASE + "."):
            part = oid[len(BASE) + 1:].split(".")
            where[name] = int(part[1]), int(part[-1])
    source = (b.source / "src/exporter/snmp_tables.c").read_text()
    return where, set(re.findall(r'"(\w+)", (?:METRIC|FLAG|SENSOR|MEGA)\(', source))


def walk_equals_metrics(b):
    """Every shared value of a walk is that of /metrics of the same snapshot, and none is missing on either side."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    where, shared = columns(b)
    assert shared <= set(SHARED), shared - set(SHARED)
    b.snapshot("--drives", 21, "--sensors", 2, "--odd", "--seq", 41)
    exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off")
    b.snapshot("--drives", 21, "--sensors", 2, "--odd", "--seq", 42)
    cells = {}  # {(table, column): {index: text}}
    for key, text in b.walk(port):
        place = 13 if key[11] >= 3 else 12  # of the column: groups of scalars have no row
        cells.setdefault((key[11], key[place]), {})[key[place + 1:]] = (text.split(": ", 1) + [""])[1].strip('"')
    page = metrics(web)
    assert cells[1, 1] == {(0,): "42"}

    def labels(table, index):
        out = {}
        if table in CARD | SLOT | LINK:
            out["card"] = cells[3, 2][index[:1]]
        if table in SLOT:
            out["slot"] = str(index[1] - 1)
        if table in DRIVE_SENSOR:
            out["sensor"] = "composite" if index[2] == 1 else str(index[2] - 1)
        if table in LINK:
            out["address"] = cells[8, 4][index]
        if table in BOARD:
            out["sensor"] = cells[9, 2][index]
        return out
    compared = 0
    for name, (metric, extra, decimals) in SHARED.items():
        series = {k: v for k, v in page.items() if k[0] == metric and extra.items() <= dict(k[1]).items()}
        column = cells.get(where[name], {})
        assert len(series) == len(column), (name, len(series), len(column))
        for index, text in column.items():
            want = dict(extra, **labels(where[name][0], index))
            got = [v for (_, have), v in series.items() if want.items() <= dict(have).items()]
            value = {"1": 1, "2": 0}[text] if decimals is FLAG else int(text)
            assert len(got) == 1, (name, want, got)
            scaled = min(round(got[0] * 10 ** (decimals or 0)), 2**64 - 1)
            assert value == scaled or abs(value - scaled) <= abs(scaled) * 1e-15, (name, want, value, got[0])
            compared += 1
    told = sum(1 for n in SHARED if cells.get(where[n]))
    assert told > len(SHARED) - 6, [n for n in SHARED if not cells.get(where[n])]
    return f"{compared} values of {told} columns"


def entities_as_managers_read_them(b):
    """ENTITY-SENSOR-MIB by the rules of the strictest reader known (LibreNMS): names from entPhysicalName of what has an entPhysicalDescr, scale and
    then precision, nothing unavailable, over 200 C, at -127 or at the end of the range. What it shows is what /metrics says; nothing is left out but
    what is no good reading and the two kinds it has no word for."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    b.snapshot("--drives", 21, "--sensors", 2, "--odd")
    exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off")
    page = metrics(web)
    column = {}
    for key, text in b.walk(port, "1.3.6.1.2.1.47.1.1.1.1") + b.walk(port, "1.3.6.1.2.1.99.1.1.1"):
        column.setdefault(key[6:-1][0:1] + key[-2:-1], {})[key[-1]] = text.split(": ", 1)[1].strip('"') if ": " in text else ""
    descr, inside, name = column[47, 2], column[47, 4], column[47, 7]
    kinds = {"4": "voltage", "5": "current", "6": "power", "8": "temperature", "9": "humidity", "10": "fanspeed"}
    shown, left_out = {}, []
    for index, kind in column[99, 1].items():
        scale = {"8": 1000, "9": 1}[column[99, 2][index]] * 10 ** int(column[99, 3][index])
        raw, status = int(column[99, 4][index]), column[99, 5][index]
        value = raw / scale
        assert descr[index] and name[index], "it would have no name"
        if kind not in kinds or status != "1" or raw == -10**9 or (kinds[kind] == "temperature" and value > 200) or value == -127:
            left_out.append((kind, status))
            continue
        assert name[index] not in shown, "two of one name: " + name[index]
        shown[name[index]] = (kinds[kind], value)
        way = [index]
        while inside[way[-1]] != "0":
            way.append(int(inside[way[-1]]))
        assert len(way) <= 5 and all(descr[w] for w in way)
    found = 0
    for (metric, labels), v in page.items():
        l = dict(labels)
        if metric == "element_drive_temperature_celsius":
            sensor = l["sensor"] if l["sensor"] == "composite" else f"sensor {l['sensor']}"
            assert shown.get(f"{l['card']} slot {l['slot']} {sensor}") == ("temperature", v), (l, v)
            found += 1
        elif metric == "element_switch_temperature_celsius":
            assert shown[f"{l['card']} switch temperature"] == ("temperature", v), (l, v)
            found += 1
    assert found == sum(1 for n in shown if re.search(r" (slot \d+ (composite|sensor \d)|switch temperature)$", n)) and found > 50, found
    assert {s for k, s in left_out if k in kinds} <= {"2", "3"} and {k for k, s in left_out if s == "1"} <= {"1"}, left_out
    return f"{len(shown)} sensors shown, {len(left_out)} left out"


def broken_updates(b):
    """A snapshot that is torn, empty, of something else or gone takes no sub-tree away: scalars answer, and rows are back with the next good one."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    good = b.snapshot("--drives", 8, "--seq", 2).read_bytes()
    (b.dir / "snapshot").unlink()
    exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off")
    none = len(b.walk(port))
    assert none > 10 and b.own(port, "1.2.3.0") is not None and b.own(port, "1.4.1.4.1.1") is None
    seq = 10
    for bad in good[:len(good) // 2], b"", os.urandom(len(good)), good[:100] + bytes(len(good) - 100), None:
        seq += 1
        b.snapshot("--drives", 8, "--seq", seq)
        until(lambda: b.own(port, "1.1.1.0") == str(seq), 60, "a good one")
        assert len(b.walk(port)) > 1000
        if bad is None:
            (b.dir / "snapshot").unlink()
        else:
            (b.dir / "snapshot.new").write_bytes(bad)
            (b.dir / "snapshot.new").rename(b.dir / "snapshot")
        for _ in range(5):
            assert len(b.walk(port)) >= none and b.own(port, "1.2.3.0") in ("1", "2"), "the sub-tree is gone"
    b.snapshot("--drives", 8, "--seq", 99)
    until(lambda: b.own(port, "1.1.1.0") == "99" and len(b.walk(port)) > 1000, 60, "all is back")


def sandboxed_all_at_once(b):
    """The exporter in its sandbox as subagent, agent of its own and sender of v3 traps; a master that comes back is found again."""
    web, port, alone, trap = free_port(socket.SOCK_STREAM), free_port(), free_port(), free_port()
    b.snapshot("--events", 3)
    engine = "80001f8805aabbccddeeff0011"
    (b.dir / "snmp-engine").write_text(f"{engine} 4\n")
    (b.dir / "snmp-engine").chmod(0o666)
    b.trapd(trap, f'createUser -e 0x{engine} monitor SHA-256 "correct horse" AES "battery staple"', "authUser log monitor priv")
    master = b.snmpd(port, "agentXPerms 0666 0755")  # root becomes nobody here
    p = exporter(b, web, "--snmp.agentx", "on", "--snmp.agentx-socket", b.dir / "agentx", "--snmp.standalone", f"udp:127.0.0.1:{alone}", "--snmp.sink",
                 f"v3:monitor@udp:127.0.0.1:{trap}")
    until(lambda: (b.dir / "traps.log").read_text().count("of a test") == 3, 60, "traps")
    until(lambda: b.own(port, "1.2.4.0") == "3", 60, "connected")
    master.kill()
    master.wait()
    until(lambda: b.own(alone, "1.2.4.0", auth=USER) == "2", 60, "the loss is noticed")
    for i in range(4):  # it dies at every moment of a conversation
        master = b.snmpd(port, "agentXPerms 0666 0755")
        if i % 2:
            until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back")
        master.kill()
        master.wait()
    b.snmpd(port, "agentXPerms 0666 0755")
    until(lambda: b.own(port, "1.1.1.0") == "1", 60, "rows are back")
    b.snapshot("--events", 3)
    until(lambda: (b.dir / "traps.log").read_text().count("of a test") == 6, 60, "traps of another start of the daemon")
    assert (b.dir / "snmp-notified").read_text().startswith("3 "), "where it stood is kept"
    page = metrics(web)
    assert page["element_agentx_connected", frozenset()] == 1 and page["element_snmp_notifications_total", frozenset()] == 7
    p.terminate()
    assert p.wait(60) == 0


def opened_later(b):
    """An address that is taken and a receiver that is not found keep nothing else: both are tried until they work, and no event is lost."""
    web, port, trap, hosts = free_port(socket.SOCK_STREAM), free_port(), free_port(), b.dir / "hosts"
    hosts.write_text("127.0.0.1 localhost\n")
    private = ["unshare", "-m", *([] if os.geteuid() == 0 else ["-r"]), "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh"]
    if subprocess.run([*private, "true"], capture_output=True).returncode:
        return "no mount namespaces here"
    b.snapshot("--events", 3)
    b.trapd(trap)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", port))
        exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off", "--snmp.sink",
                 f"v2c:{COMMUNITY}@udp:nms.invalid:{trap}", prefix=private)
        log = b.dir / "exporter.log"
        until(lambda: "cannot find" in log.read_text(), 60, "the host is asked for")
        until(lambda: metrics(web)["element_snmp_addresses_waiting", frozenset()] == 2, 60, "both wait")
        assert "of a test" not in (b.dir / "traps.log").read_text()
    with open(hosts, "a") as f:
        f.write("127.0.0.1 nms.invalid\n")
    took = until(lambda: metrics(web)["element_snmp_addresses_waiting", frozenset()] == 0, 120, "both are open")
    print(f"  opened {took:.1f} s after they could be")
    until(lambda: (b.dir / "traps.log").read_text().count("of a test") == 3, 60, "the events that waited")
    assert b.own(port, "1.1.1.0") == "1" and len(b.walk(port, "1.3.6.1.2.1.99")) > 50
    for said in "Address already in use; trying again", "cannot find", "sinks: found":
        assert log.read_text().count(said) == 1, log.read_text()


class Lossy:
    """A way to the receiver on which notifications are lost, by their place in the order of arrival."""

    def __init__(self, to, lost):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port, self.to, self.lost, self.seen = self.socket.getsockname()[1], to, lost, 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            data = self.socket.recv(65536)
            self.seen += 1
            if self.seen not in self.lost:
                self.socket.sendto(data, ("127.0.0.1", self.to))


def resynchronise(b):
    """Notifications are lost on the way: elNotifySequence shows the gap, elEventTable has what was lost, and elAlarmTable is what the exporter says holds."""
    web, port, trap = free_port(socket.SOCK_STREAM), free_port(), free_port()
    b.snapshot("--events", 12, "--alarms", 11, "--drives", 8)
    b.trapd(trap)
    way = Lossy(trap, {4, 5, 9})  # the start is the first; then event n is n + 1
    exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--snmp.agentx", "off", "--snmp.sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{way.port}")
    until(lambda: way.seen >= 13, 60, "all were sent")
    until(lambda: len(received(b)) >= 10, 60, "all that were not lost arrived")
    got = [seq for _, seq, _ in received(b)[1:]]
    missing = sorted(set(range(got[0], got[-1] + 1)) - set(got))
    assert missing == [3, 4, 8], missing
    assert sorted(set(range(1, 14)) - set(sequence(b))) == [4, 5, 9], "the gap does not show"
    walk, state = dict(b.walk(port)), json.loads(fetch(f"http://127.0.0.1:{web}/api/v1/snapshot"))

    def cell(table, column, *index):
        return walk[oid_tuple(f"{BASE}.1.{table}.1.{column}." + ".".join(map(str, index)))].split(": ", 1)[1].strip('"')
    for e in (e for e in state["events"] if e["seq"] in missing):
        assert cell(15, 8, e["seq"]) == e["text"] == f"event {e['seq']} of a test"
        assert cell(15, 5, e["seq"]) == {"raised": "1", "cleared": "2"}[e["change"]] and cell(15, 6, e["seq"]) == e["card"] and cell(15, 7, e["seq"]) == str(e["slot"])
    texts = [k[14:] for k in walk if k[:14] == oid_tuple(BASE + ".1.14.1.12")]
    table = sorted((i[0], cell(14, 8, *i), int(cell(14, 9, *i)), cell(14, 12, *i)) for i in texts)
    want = sorted((a["id"], a["card"], a["slot"], a["text"]) for a in state["alarms"])
    assert table == want and len(table) == 11, (table, want)
    assert walk[oid_tuple(BASE + ".1.1.16.0")] == "Gauge32: 11"


def debian_snmpd_with_drop_in(b):
    """Debian's own snmpd.conf hides everything; with our drop-in it is seen."""
    port = free_port()
    b.snapshot()
    debian = [line for line in open("/etc/snmp/snmpd.conf").read().splitlines()
              if line and not line.startswith("#") and not re.match(r"agentaddress|includeDir|master|rocommunity6", line)]
    assert any("systemonly" in line for line in debian), "not Debian's snmpd.conf"
    drop_in = (b.source / "deploy/snmp/snmpd-elementd.conf").read_text()
    drop_in = drop_in.replace("/run/agentx/master", f"{b.dir}/agentx").replace("Debian-snmp elementd-exporter", "")
    for extra, visible in ([f"agentXSocket {b.dir}/agentx"], False), (drop_in.splitlines(), True):
        (b.dir / "debian.conf").write_text("\n".join([f"agentaddress udp:127.0.0.1:{port}", "master agentx", f"rocommunity {COMMUNITY} 127.0.0.1", *debian, *extra]) + "\n")
        master = b.start("snmpd", "-f", "-Lf", b.dir / "snmpd.log", "-C", "-c", b.dir / "debian.conf")
        agent = b.agent("--agentx", "auto", "--socket", b.dir / "agentx")
        public = ("-v2c", "-c", "public")
        until(lambda: b.get(port, "1.3.6.1.2.1.1.3.0", auth=public), 60, "snmpd answers")
        for oid in BASE + ".1.1.1.0", "1.3.6.1.2.1.47.1.4.1.0", "1.3.6.1.2.1.99.1.1.1.1.671105281":
            until(lambda: b.get(port, oid) is not None, 60, "snmpd has it, for one who may see everything")
            assert (b.get(port, oid, auth=public) is not None) == visible, (oid, visible)
        for p in agent, master:
            p.terminate()
            p.wait(60)
    for directive in "agentXPerms  0660 0755 Debian-snmp elementd-exporter", ".1.3.6.1.2.1.47":
        assert re.sub(r" +", " ", directive) in re.sub(r" +", " ", (b.source / "deploy/snmp/snmpd-elementd.conf").read_text())


def memory_of_a_large_machine(b):
    """1,024 drives, a new snapshot at each scrape, walked between: blocks that large are given back."""
    web, port = free_port(socket.SOCK_STREAM), free_port()
    flags = "--drives", 1024, "--sensors", 2
    b.snapshot(*flags)
    p = exporter(b, web, "--snmp.standalone", f"udp:127.0.0.1:{port}", "--collect", "default")
    for seq in range(2, 6):
        b.snapshot(*flags, "--seq", seq)
        metrics(web)
        if seq % 2:
            assert len(b.walk(port)) > 10000  # all of it, unless this machine is so slow that the snapshot goes stale
    most = resident_most_kb(p)
    print(f"  resident at most: {most} kB")
    assert b.sanitized or most < 39000, most  # 34 MB; 44 when they are kept


def resident_most_kb(p):
    with open(f"/proc/{p.pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def doctor(b):
    """Each reason why a walk shows nothing is told by its name, and nothing is told when it shows all."""
    port, conf, etc, socket_at = free_port(), b.dir / "doctor.yaml", b.dir / "etc", b.dir / "agentx"
    etc.mkdir()
    b.dir.chmod(0o755)
    private = ["unshare", "-m", *([] if os.geteuid() == 0 else ["-r"]), "sh", "-c", f'mount --bind {etc} /etc/snmp && exec "$@"', "sh"]
    if os.geteuid() != 0 or subprocess.run([*private, "true"], capture_output=True).returncode:
        return "no mount namespaces here"

    def told(*settings):
        conf.write_text("\n".join(["snmp:", f"  agentx_socket: {socket_at}", *(f"  {s}" for s in settings)]) + "\n")
        done = subprocess.run([*private, b.build / "elementd", "doctor", "--json", "--config", conf], capture_output=True, text=True, timeout=60)
        return [(f["level"], f["text"], f.get("fix", "")) for f in json.loads(done.stdout)["findings"] if f["topic"] == "snmp"]

    def expect(words, *settings, level="note"):
        got = told(*settings)
        assert len(got) == 1 and got[0][0] == level and words in got[0][1] + got[0][2], (words, got)
    drop_in = (b.source / "deploy/snmp/snmpd-elementd.conf").read_text().replace("/run/agentx/master", str(socket_at))
    (etc / "snmpd.conf").write_text(drop_in.replace(str(socket_at), "/run/agentx/other"))
    assert [f[2] for f in told()] == ["", f"agentXSocket {socket_at}\n"], told()
    (etc / "snmpd.conf").write_text("rocommunity public default -V systemonly\n" + drop_in)
    expect("off: neither", "agentx: off")
    assert told("agentx: off", "standalone: udp:127.0.0.1:1161", "users_file: x") == []
    expect("no AgentX socket")
    master = b.snmpd(port, "agentXPerms 0666 0755")
    expect("shows what they say", level="good")
    (etc / "snmpd.conf").write_text(drop_in.replace(".1.3.6.1.2.1.99", ".1.3.6.1.2.1.1"))
    expect("view systemonly included .1.3.6.1.2.1.99")
    (etc / "snmpd.conf").write_text(drop_in)
    socket_at.chmod(0o660)
    expect("may not connect")
    socket_at.chmod(0o666)
    b.dir.chmod(0o700)
    expect("may not connect")
    b.dir.chmod(0o755)
    master.send_signal(signal.SIGSTOP)
    expect("does not answer")
    master.kill()
    master.wait()
    expect("has ended")
    expect("no-such-host.invalid", "agentx: off", "standalone: udp:127.0.0.1:1161", 'sinks: ["v2c:public@udp:no-such-host.invalid:162"]')


def doctor_misses_ours(b):
    """A walk shows nothing because the exporter does not run, or no daemon does, or it hangs: each is told, and only then."""
    conf = b.dir / "doctor.yaml"
    conf.write_text(f"runtime_dir: {b.dir}\n")
    alone = ["unshare", "-p", "-f", "-m", "--mount-proc"]
    if os.geteuid() != 0 or subprocess.run([*alone, "true"], capture_output=True).returncode:
        return "no process namespaces here"

    def told(*prefix):
        done = subprocess.run([*prefix, b.build / "elementd", "doctor", "--json", "--config", conf], capture_output=True, text=True, timeout=60)
        return " ".join(f["text"] for f in json.loads(done.stdout)["findings"] if f["topic"] == "running")
    assert "elementd-exporter does not run" in told(*alone) and "no snapshot" in told(*alone), told(*alone)
    b.snapshot()
    exporter(b, free_port(socket.SOCK_STREAM), "--snmp.agentx", "off")
    assert "elementd-exporter" not in told(), told()
    b.snapshot("--seq", 2)
    assert told() == "" or "old" in told(), told()  # a slow machine lets it grow old at once
    until(lambda: "an old snapshot" in told(), 60, "the snapshot is too old")


def snmptrapd_example(b):
    """Our snmptrapd.conf prints one readable line for each notification, by name."""
    port, alone = free_port(), free_port()
    b.snapshot("--events", 2)
    conf = (b.source / "deploy/snmp/snmptrapd-elementd.conf").read_text().replace("#authCommunity", "authCommunity").replace("COMMUNITY", COMMUNITY)
    (b.dir / "trapd.conf").write_text(conf)
    b.env.update(MIBDIRS=f"{b.source}/mibs:{b.source}/tests/snmp/mibs", MIBS="ELEMENT-MIB")
    b.start("snmptrapd", "-f", "-Lf", b.dir / "traps.log", "-C", "-c", b.dir / "trapd.conf", f"udp:127.0.0.1:{port}")
    until(lambda: (b.dir / "traps.log").exists() and "NET-SNMP" in (b.dir / "traps.log").read_text(), 60, "snmptrapd listens")
    b.agent("--standalone", f"udp:127.0.0.1:{alone}", "--sink", f"v2c:{COMMUNITY}@udp:127.0.0.1:{port}")
    until(lambda: (b.dir / "traps.log").exists() and "event 2 of a test" in (b.dir / "traps.log").read_text(), 60, "two events")
    lines = [line for line in (b.dir / "traps.log").read_text().splitlines() if "elNotify" in line]
    assert len(lines) == 3 and "elDriveTemperatureRaised" in lines[1] and "elDriveTemperatureCriticalCleared" in lines[2], lines


def scraped_by_prometheus(b, web, port, temperatures):
    """With the scrape job that the project itself gives for snmp_exporter."""
    at = free_port(socket.SOCK_STREAM)
    (b.dir / "prometheus.yml").write_text(f"""global: {{scrape_interval: 2s, scrape_timeout: 2s}}
scrape_configs:
  - job_name: snmp
    metrics_path: /snmp
    params: {{module: [elementd]}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
    relabel_configs:
      - {{source_labels: [__address__], target_label: __param_target}}
      - {{source_labels: [__param_target], target_label: instance}}
      - {{target_label: __address__, replacement: "127.0.0.1:{web}"}}
""")
    b.start("prometheus", f"--config.file={b.dir}/prometheus.yml", f"--storage.tsdb.path={b.dir}/tsdb", f"--web.listen-address=127.0.0.1:{at}", log="prometheus.log")

    def count():
        text = fetch(f"http://127.0.0.1:{at}/api/v1/query?query=count(elHealthTemperature)")
        result = text and json.loads(text)["data"]["result"]
        return result and result[0]["value"][1]
    until(lambda: count() == str(temperatures), 120, "Prometheus has the temperatures")


def snmp_exporter(b):
    """prometheus-snmp-exporter with our snmp.yml; and snmp.yml is what the generator makes of generator.yml."""
    port, web = free_port(), free_port(socket.SOCK_STREAM)
    b.snapshot("--drives", 13, "--odd", "--alarms", 3)
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    shipped = (b.source / "deploy/snmp/snmp.yml").read_text()
    (b.dir / "snmp.yml").write_text(shipped.replace("community: public", f"community: {COMMUNITY}"))
    b.start("prometheus-snmp-exporter", "--config.file", b.dir / "snmp.yml", "--web.listen-address", f"127.0.0.1:{web}", log="snmp_exporter.log")
    url = f"http://127.0.0.1:{web}/snmp?target=127.0.0.1:{port}&module=elementd"
    until(lambda: fetch(f"http://127.0.0.1:{web}/"), 60, "snmp_exporter starts")
    text = fetch(url)
    assert text and "elHealthTemperature{" in text, text
    walk = dict(b.walk(port))
    got = re.findall(r'^elHealthTemperature\{(.*)\} (\S+)$', text, re.M)
    assert len(got) == sum(1 for k in walk if k[:14] == oid_tuple(BASE + ".1.6.1.2")), got
    for labels, value in got:
        l = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        want = walk[oid_tuple(f"{BASE}.1.6.1.2.{l['elCardIndex']}.{l['elSlotIndex']}")]
        assert want == f"INTEGER: {int(float(value))}" and l["elCardName"].startswith("lqd4500-") and l["elSlotNumber"] == str(int(l["elSlotIndex"]) - 1)
    scraped_by_prometheus(b, web, port, len(got))
    (b.dir / "generator.yml").write_text((b.source / "deploy/snmp/generator.yml").read_text())
    (b.dir / "snmp.yml").unlink()
    subprocess.run(["prometheus-snmp-generator", "generate"], cwd=b.dir, check=True, capture_output=True,
                   env=dict(b.env, MIBDIRS=f"{b.source}/mibs:{b.source}/tests/snmp/mibs", MIBS="ALL"))
    assert (b.dir / "snmp.yml").read_text() == shipped, "deploy/snmp/snmp.yml: generate it again (see the head of generator.yml)"


def plugin(b):
    """check_element: each exit code for its reason, performance data that a monitor can read."""
    port = free_port()

    def run(*flags, auth=("-C", COMMUNITY), at=None):
        done = subprocess.run([sys.executable, b.source / "deploy/snmp/check_element", "-H", "127.0.0.1", "-p", str(at or port), *auth, *flags], env=b.env,
                              capture_output=True, text=True)
        return done.returncode, done.stdout.strip()
    b.snapshot("--drives", 8)
    b.agent("--standalone", f"udp:127.0.0.1:{port}")
    code, text = run("-s", "8")
    assert code == 0 and text.startswith("ELEMENT OK - 8 drives up on 1 cards | "), text
    perf = re.findall(r"'([^']+)'=(-?[\d.]+)(%?)(;[\d.]*)*", text.split(" | ")[1])
    assert len(perf) == 17, perf
    assert run(auth=[w for pair in zip(("-U", "-A", "-X"), ("monitor", "correct horse", "battery staple")) for w in pair])[0] == 0
    assert run("-s", "9")[0] == 2
    assert run("-t", "1", at=free_port())[0] == 3 and run(auth=())[0] == 3
    assert run("--nonsense")[0] == 3
    b.snapshot("--drives", 8, "--alarms", 1)
    code, text = run()
    assert code == 1 and "alarm 1 of a test" in text, text
    b.snapshot("--drives", 8, "--odd")
    code, text = run()
    assert code == 2 and "slot 3 failed: no answer for 3 periods" in text, text
    until(lambda: run("-m", "1")[0] == 3, 60, "too old")


CASES = [memory_of_a_large_machine, walk_equals_metrics, entities_as_managers_read_them, broken_updates, sandboxed_all_at_once, opened_later, resynchronise, debian_snmpd_with_drop_in, doctor, doctor_misses_ours, snmptrapd_example, snmp_exporter, plugin]

if __name__ == "__main__":
    sys.exit(test_agent.main(CASES))
