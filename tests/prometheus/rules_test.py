#!/usr/bin/env python3
"""Each alert fires when it should, stays quiet just inside its limit, and survives vanishing series, reboots and drive swaps.

usage: rules_test.py [check|alerts|runbooks|self-test]

Writes promtool unit tests from the table below and runs them over the shipped rules. A series is written as
`name{labels}` with its family's place labels added: element_drive_* get card and slot, other element_* with a card get card.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/rules"
PLACE = 'job="elementd",instance="h1:10450"'
SLOT = PLACE + ',card="c0",slot="3"'
CARD = PLACE + ',card="c0"'
C, H = "_x60", "+0x60"  # one sample a minute for an hour: absent; constant

# alert: (series that make it fire, minutes until then, series just inside that must not)
# A value is promtool's notation over one-minute steps.
CASES = {
    "ElementDriveLost": ([("S element_drive_up", "1x5 0x60")], 10, [("S element_drive_up", "1x60")]),
    "ElementDriveReplaced": ([("S element_drive_replaced_total", "0x9 1x60")], 12, [("S element_drive_replaced_total", "4x60")]),
    "ElementSlotsMissing": (
        [("C element_slots_expected", "2x60"), ("S element_slot_occupied", "1x60"), ('K element_slot_occupied{slot="4"}', "0x60")], 20,
        [("C element_slots_expected", "1x60"), ("S element_slot_occupied", "1x60")]),
    "ElementDriveTemperatureHigh": (
        [('S element_drive_temperature_celsius{sensor="composite"}', "75x60"), ("S element_drive_warning_temperature_threshold_celsius", "75x60")], 5,
        [('S element_drive_temperature_celsius{sensor="composite"}', "74.9x60"), ("S element_drive_warning_temperature_threshold_celsius", "75x60"),
         ('S element_drive_temperature_celsius{sensor="2"}', "90x60")]),
    "ElementDriveTemperatureCritical": (
        [('S element_drive_temperature_celsius{sensor="composite"}', "80x60"), ("S element_drive_critical_temperature_threshold_celsius", "80x60")], 5,
        [('S element_drive_temperature_celsius{sensor="composite"}', "79x60"), ("S element_drive_critical_temperature_threshold_celsius", "80x60")]),
    "ElementDriveHeadroomShrinking": (
        [("S element_drive_headroom_celsius", "12-0.02x500")], 480, [("S element_drive_headroom_celsius", "12-0.0002x500")]),
    "ElementDriveThrottledLong": ([("S element_drive_cap_ratio", "0.6x60")], 40, [("S element_drive_cap_ratio", "0.6x20 1x60")]),
    "ElementDriveFirmwareThrottling": (
        [('S element_drive_thermal_management_transitions_total{level="1"}', "5x20 6x60")], 25,
        [('S element_drive_thermal_management_transitions_total{level="1"}', "5x90")]),
    "ElementDriveReliabilityDegraded": (
        [('S element_drive_critical_warning{warning="reliability"}', "0x5 1x60")], 10, [('S element_drive_critical_warning{warning="temperature"}', "1x60")]),
    "ElementDriveReadOnly": (
        [('S element_drive_critical_warning{warning="read_only"}', "0x5 1x60")], 10, [('S element_drive_critical_warning{warning="read_only"}', "0x60")]),
    "ElementDrivePowerLossProtectionFailing": (
        [('S element_drive_critical_warning{warning="volatile_backup"}', "1x60")], 10, [('S element_drive_critical_warning{warning="volatile_backup"}', "0x60")]),
    "ElementDriveSpareLow": (
        [("S element_drive_available_spare_ratio", "0.09x60"), ("S element_drive_available_spare_threshold_ratio", "0.1x60")], 10,
        [("S element_drive_available_spare_ratio", "0.1x60"), ("S element_drive_available_spare_threshold_ratio", "0.1x60")]),
    "ElementDriveLocked": ([("S element_drive_locked", "0x5 1x60")], 15, [("S element_drive_locked", "0x60")]),
    "ElementDriveMediaErrorsGrowing": (
        [("S element_drive_media_errors_total", "7x20 9x60")], 30, [("S element_drive_media_errors_total", "4294967296x60")]),
    "ElementDriveSelfTestFailed": (
        [("S element_drive_self_test_last_result", "7x60")], 10, [("S element_drive_self_test_last_result", "2x60")]),
    "ElementDrivePollErrors": (
        [('S element_drive_poll_errors_total{log="smart",reason="timeout"}', "0+2x60"), ('S element_drive_poll_errors_total{log="smart",reason="io"}', "0+2x60")], 40,
        [('S element_drive_poll_errors_total{log="smart",reason="timeout"}', "0x20 1x60")]),
    "ElementDriveEnduranceExceeded": (
        [("S element_drive_percentage_used_ratio", "1.03x60")], 10, [("S element_drive_percentage_used_ratio", "0.99x60")]),
    "ElementDriveWearsOutIn30Days": (
        [('S element_drive_wear_remaining_seconds{basis="rated_bytes"}', "2505600x400")], 370, [('S element_drive_wear_remaining_seconds{basis="rated_bytes"}', "7862400x400")]),
    "ElementDriveWearsOutIn90Days": (
        [('S element_drive_wear_remaining_seconds{basis="rated_bytes"}', "2678400x400")], 370,
        [('S element_drive_wear_remaining_seconds{basis="rated_bytes"}', "7689600x100 7862400x300")]),
    "ElementWarrantyEnding": (
        [("C element_card_warranty_remaining_seconds", "7000000x100")], 70, [("C element_card_warranty_remaining_seconds", "8000000x100")]),
    "ElementLinkDegraded": (
        [('C element_link_degraded{address="0000:01:00.0"}', "1x60")], 5, [('C element_link_degraded{address="0000:01:00.0"}', "0x60")]),
    "ElementLinkErrors": (
        [('C element_link_errors_total{address="0000:01:00.0",severity="correctable"}', "0+1x100")], 80,
        [('C element_link_errors_total{address="0000:01:00.0",severity="correctable"}', "5x100")]),
    "ElementLinkUncorrectableErrors": (
        [('C element_link_errors_total{address="0000:01:00.0",severity="uncorrectable"}', "0x20 1x100")], 30,
        [('C element_link_errors_total{address="0000:01:00.0",severity="uncorrectable"}', "3x100")]),
    "ElementFailsafe": (
        [('C element_governor_failsafe{level="hold"}', "1x60"), ('C element_governor_failsafe{level="none"}', "0x60")], 5,
        [('C element_governor_failsafe{level="hold"}', "0x60"), ('C element_governor_failsafe{level="none"}', "1x60")]),
    "ElementAirFailing": ([("C element_governor_air_failing", "1x60")], 5, [("C element_governor_air_failing", "0x60")]),
    "ElementAirflowLow": (
        [('C element_board_airflow_lfm{source="assumed"}', "390x60"), ("C element_card_airflow_min_lfm", "400x60")], 10,
        [('C element_board_airflow_lfm{source="assumed"}', "400x60"), ("C element_card_airflow_min_lfm", "400x60")]),
    "ElementInletOutOfRange": (
        [('C element_board_inlet_celsius{source="measured"}', "56x60"), ('C element_card_inlet_max_celsius', "55x60"), ('C element_card_inlet_min_celsius', "0x60")], 10,
        [('C element_board_inlet_celsius{source="measured"}', "55x60"), ('C element_card_inlet_max_celsius', "55x60"), ('C element_card_inlet_min_celsius', "0x60")]),
    "ElementHumidityOutOfRange": (
        [('C element_card_humidity_ratio{source="measured"}', "0.03x60"), ('C element_card_humidity_max_ratio', "0.95x60"), ('C element_card_humidity_min_ratio', "0.05x60")], 20,
        [('C element_card_humidity_ratio{source="measured"}', "0.5x60"), ('C element_card_humidity_max_ratio', "0.95x60"), ('C element_card_humidity_min_ratio', "0.05x60")]),
    "ElementSwitchTemperatureHigh": (
        [("C element_switch_temperature_celsius", "100x60"), ("C element_switch_limit_celsius", "100x60")], 5,
        [("C element_switch_temperature_celsius", "99x60"), ("C element_switch_limit_celsius", "100x60")]),
    "ElementCardPowerHigh": (
        [('C element_card_power_watts{source="estimated"}', "43x60"), ("C element_card_limit_watts", "40x60")], 5,
        [('C element_card_power_watts{source="estimated"}', "41x60"), ("C element_card_limit_watts", "40x60")]),
    "ElementFanFailed": (
        [('P element_board_fan_rpm{sensor="fan1"}', "3000x5 0x60")], 10, [('P element_board_fan_rpm{sensor="fan1"}', "0x60")]),
    "ElementActuatorMismatch": (
        [('S element_drive_actuator_mismatch_total', "0+1x60")], 20, [('S element_drive_actuator_mismatch_total', "5x60")]),
    "ElementBudgetEscape": (
        [("S element_drive_budget_escape_bytes_total", "0+600000000x60")], 30, [("S element_drive_budget_escape_bytes_total", "0+600000x60")]),
    "ElementSensorInvalid": ([("S element_drive_sensor_valid", "0x60")], 15, [("S element_drive_sensor_valid", "1x60")]),
    "ElementGovernorPaused": ([("C element_governor_paused", "1x400")], 260, [("C element_governor_paused", "1x100 0x300")]),
    "ElementDown": ([("P up", "1x5 0x60")], 10, [("P up", "1x60")]),
    "ElementDaemonStale": ([("P element_snapshot_age_seconds", "1x5 31+60x60")], 10, [("P element_snapshot_age_seconds", "2x60")]),
    "ElementExporterRestarting": (
        [('P process_start_time_seconds{process="elementd-exporter"}', "100x5 200x5 300x5 400x40")], 20, [('P process_start_time_seconds{process="elementd-exporter"}', "100x5 200x60")]),
    "ElementConfigReloadFailed": (
        [("P element_config_last_reload_successful", "0x60")], 10, [("P element_config_last_reload_successful", "1x60")]),
    "ElementTicksLate": ([("P element_ticks_late_total", "0+10x60")], 40, [("P element_ticks_late_total", "3x60")]),
}
# Others that rightly fire with it.
ALSO = {}

# What a healthy drive exports, for the stories below.
HEALTHY = [("P up", "1"), ("S element_drive_up", "1"), ("S element_drive_replaced_total", "0"), ("S element_drive_media_errors_total", "3"),
           ('S element_drive_thermal_management_transitions_total{level="1"}', "11"), ("S element_drive_percentage_used_ratio", "0.4"),
           ('S element_drive_critical_warning{warning="reliability"}', "0"), ("S element_drive_cap_ratio", "1"),
           ('P process_start_time_seconds{process="elementd-exporter"}', "1000"), ('C element_governor_failsafe{level="none"}', "1")]


def series(key, values):
    family, text = key.split(" ", 1)
    labels = {"S": SLOT, "C": CARD, "P": PLACE, "K": CARD}[family]
    name, _, own = text.partition("{")
    return {"series": f"{name}{{{labels}{',' + own.rstrip('}') if own else ''}}}", "values": values}


def fired(minutes, *names):
    return {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minutes}m",
            "exp_samples": [{"labels": f'{{alertname="{n}"}}', "value": 1} for n in sorted(names)]}


def one(inputs, *expected):
    return {"interval": "1m", "input_series": [series(k, v) for k, v in inputs], "promql_expr_test": list(expected)}


def story(change):
    """HEALTHY over two hours, `change` maps a series to its own values."""
    return [(k, change.get(k, f"{v}x120")) for k, v in HEALTHY]


def stories():
    # A reboot: everything is gone for three minutes, the drive's own counters go on, the daemon's begin anew.
    gap = {k: f"{v}x30 _x3 {v}x90" for k, v in HEALTHY}
    gap["S element_drive_replaced_total"] = "2x30 _x3 0x90"
    gap['P process_start_time_seconds{process="elementd-exporter"}'] = "1000x30 _x3 3000x90"
    gap["P up"] = "1x30 0x1 1x90"
    yield "reboot", one(story(gap), fired(34), fired(60), fired(110))
    # A swap: another drive with other counters; the slot is empty for two minutes.
    swap = {"S element_drive_up": "1x30 0x2 1x90", "S element_drive_replaced_total": "0x32 1x90",
            "S element_drive_media_errors_total": "3x30 _x2 9000x90", "S element_drive_percentage_used_ratio": "0.4x30 _x2 0.9x90",
            'S element_drive_thermal_management_transitions_total{level="1"}': "11x30 _x2 4000x90"}
    serials = [('S element_drive_info{serial="OLD"}', "1x30 stale"), ('S element_drive_info{serial="NEW"}', "_x33 1x90")]
    yield "swap", one(story(swap) + serials, fired(29), fired(36, "ElementDriveReplaced"), fired(60), fired(119))
    # A drive dies: `up` stays as 0, its values vanish; nothing but its loss is told.
    dies = {k: f"{v}x30 stale" for k, v in HEALTHY if k.startswith("S ")}
    dies["S element_drive_up"] = "1x30 0x90"
    dies["S element_drive_replaced_total"] = "0x120"
    yield "death", one(story(dies), fired(29), fired(40, "ElementDriveLost"), fired(110, "ElementDriveLost"))
    # A load begins and stays, or a host has just started: the headroom steps down, which is no trend.
    steps_down = [("S element_drive_headroom_celsius", "30x300 11x600")]
    yield "load begins", one(steps_down, *(fired(at) for at in range(310, 880, 30)))
    yield "first hours", one([("S element_drive_headroom_celsius", "20-0.2x50 10x300")], *(fired(at) for at in range(10, 340, 30)))
    # Both ends of a link see it slow: one alert. The drive's and the card's own link stand one below the other: two links.
    ends = [("00:01.0", "", "root_port"), ("01:00.0", "00:01.0", "switch_upstream"),
            ("02:00.0", "01:00.0", "switch_downstream"), ("03:00.0", "02:00.0", "drive")]
    for name, slow in (("drive", ends[2:]), ("card", ends[:2]), ("port", ends[2:3]), ("both", ends)):
        links = [(f'C element_link_info{{address="{a}",parent="{p}",role="{r}"}}', "1x20") for a, p, r in ends]
        links += [(f'C element_link_degraded{{address="{e[0]}"}}', f"{int(e in slow)}x20") for e in ends]
        told = {"drive": ["03:00.0"], "card": ["01:00.0"], "port": ["02:00.0"], "both": ["01:00.0", "03:00.0"]}[name]
        yield f"slow link: {name}", one(links, {
            "expr": 'count by (address) (ALERTS{alertname="ElementLinkDegraded",alertstate="firing"})', "eval_time": "10m",
            "exp_samples": [{"labels": f'{{address="{a}"}}', "value": 1} for a in told]})
    # The exporter dies: only that is told.
    down = {k: f"{v}x30 stale" for k, v in HEALTHY}
    down["P up"] = "1x30 0x90"
    yield "exporter down", one(story(down), fired(40, "ElementDown"), fired(110, "ElementDown"))


# Counters that the drive keeps itself: they outlive a reboot and change with the drive. All others begin anew with the daemon.
DRIVE_KEEPS = {"element_drive_media_errors_total", "element_drive_thermal_management_transitions_total"}
OVER_TIME = r"\b(?:increase|rate|changes|deriv|predict_linear|\w+_over_time)\((\w+)"


def over_time():
    """{alert: the metrics that it looks back at}; new alerts come in by themselves."""
    found = {n: set(re.findall(OVER_TIME, r["expr"])) - {"element_drive_info"} for n, r in alerts().items()}
    return {n: metrics for n, metrics in found.items() if metrics}


def metric(key):
    return key.split(" ", 1)[1].split("{")[0]


def looked_back_at():
    """{series: value that a healthy host shows}"""
    wanted = set().union(*over_time().values())
    keys = {k for fire, _at, quiet in CASES.values() for k, _v in fire + quiet if metric(k) in wanted}
    return {k: 9 for k in keys if metric(k) != "element_drive_replaced_total"} | {"S element_drive_replaced_total": 2}


def interruptions():
    """Every alert that looks back, through a reboot, through swaps that elementd sees and that it does not, and after a reset."""
    def all_with(before, gap, kept, anew, info):
        inputs = [(k, f"{v}x{before} _x{gap} {kept(v) if metric(k) in DRIVE_KEEPS else anew(k, v)}x200") for k, v in looked_back_at().items()]
        return inputs + [(f'S element_drive_info{{serial="{serial}"}}', values) for serial, values in info.items()]

    at = (89, 93, 96, 101, 106, 115, 125, 140, 160, 200, 280)
    gauge = {"element_board_fan_rpm": 9, "element_drive_headroom_celsius": 9, "process_start_time_seconds": 5000}
    same = {"OLD": "1x90 _x3 1x200"}
    yield "all counters, reboot", one(all_with(90, 3, lambda v: v, lambda k, v: gauge.get(metric(k), 0), same), *(fired(m) for m in at))
    for name, other in (("more", 90000), ("fewer", 4)):
        seen = all_with(90, 2, lambda v: other, lambda k, v: 3 if "replaced" in k else v, {"OLD": "1x90 stale", "NEW": "_x93 1x200"})
        yield f"all counters, swap, {name}", one(seen, fired(89), fired(96, "ElementDriveReplaced"), *(fired(m) for m in at if m > 110))
        off = all_with(90, 20, lambda v: other, lambda k, v: gauge.get(metric(k), 0), {"OLD": "1x90 stale", "NEW": "_x111 1x200"})
        yield f"all counters, swap while off, {name}", one(off, fired(89), fired(115, "ElementDriveReplaced"), *(fired(m) for m in at if m > 126))
    # A reset must not blind an alert: what makes it fire fires it afterwards too.
    for name, metrics in over_time().items():
        fire, minutes, _quiet = CASES[name]
        inputs = [(k, f"9x30 _x3 {v}" if metric(k) in metrics else f"_x34 {v}") for k, v in fire]
        yield f"{name} after a reset", one(inputs, fired(34 + minutes, name))


def steps(values):
    return sum(int(n) for n in re.findall(r"x(\d+)", values))


def together(cases):
    """Merges tests that must stay quiet and share no metric into few: (names, inputs)."""
    bins = []
    for name, inputs in cases:
        metrics = {k.split(" ", 1)[1].split("{")[0] for k, _v in inputs}
        for b in bins:
            if not metrics & b[2]:
                break
        else:
            b = ([], [], set())
            bins.append(b)
        b[0].append(name)
        b[1].extend(inputs)
        b[2].update(metrics)
    return [(", ".join(names), inputs) for names, inputs, _m in bins]


def links():
    """The page of an alert: the package's, or where the external label says."""
    fire, at, _quiet = CASES["ElementDriveLost"]
    rule = alerts()["ElementDriveLost"]
    labels = {"job": "elementd", "instance": "h1:10450", "card": "c0", "slot": "3", "severity": "critical", "alarm": "drive_lost"}
    said = {k: re.sub(r"{{ \$labels\.(\w+) }}", lambda m: labels[m.group(1)], rule["annotations"][k]) for k in ("summary", "description")}
    for external, base in (({}, "file:///usr/share/elementd/runbooks"), ({"runbooks": "https://wiki/x"}, "https://wiki/x")):
        test = one(fire)
        del test["promql_expr_test"]
        yield f"runbook_url {external}", test | {"external_labels": external, "alert_rule_test": [{
            "eval_time": f"{at}m", "alertname": "ElementDriveLost",
            "exp_alerts": [{"exp_labels": labels, "exp_annotations": said | {"runbook_url": f"{base}/ElementDriveLost.md"}}]}]}


def quiet_tests():
    for names, inputs in together([(n, q) for n, (_f, _at, q) in CASES.items()]):
        yield names + " quiet", one(inputs, *(fired(at) for at in sorted({CASES[n][1] for n in names.split(", ")})))
    # Whatever made it fire vanishes: no alert may live on without its series (75: longer than the longest range of a counter).
    for names, inputs in together([(n, f) for n, (f, _at, _q) in CASES.items()]):
        end = max(steps(v) for _k, v in inputs) + 75
        yield names + " vanish", one([(k, v + " stale") for k, v in inputs], fired(end))


def alerts():
    rules = yaml.safe_load((RULES / "elementd-alerts.yml").read_text())
    return {r["alert"]: r for g in rules["groups"] for r in g["rules"]}


def promtool(tests):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "tests.yml"
        path.write_text(yaml.safe_dump({"rule_files": [str(RULES / "elementd-alerts.yml"), str(RULES / "elementd-recording.yml")],
                                        "evaluation_interval": "1m", "tests": tests}))
        return subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True)


def run_alerts():
    have, bad = alerts(), 0
    for missing in sorted(set(have) ^ set(CASES)):
        print(f"{missing}: has no case, or a case and no rule")
        bad += 1
    tests = [*links()]
    tests += [(n, one(f, fired(at, n, *ALSO.get(n, ())))) for n, (f, at, _q) in CASES.items()]
    tests += [*quiet_tests(), *stories(), *interruptions()]
    result = promtool([t for _n, t in tests])
    if result.returncode:
        for name, test in tests:  # which one
            result = promtool([test])
            if result.returncode:
                print(f"{name}:\n{result.stdout}{result.stderr}")
                bad += 1
    print(f"{len(tests)} rule tests over {len(have)} alerts, {bad} bad")
    return bad


def run_check():
    files = sorted(RULES.glob("*.yml"))
    bad = subprocess.run(["promtool", "check", "rules", *files]).returncode
    bad += subprocess.run(["promtool", "check", "config", ROOT / "deploy/prometheus/prometheus.yml"]).returncode
    for name, rule in alerts().items():
        for part in ("summary", "description", "runbook_url"):
            if not rule["annotations"].get(part):
                print(f"{name}: no {part}")
                bad += 1
        if not rule["annotations"]["runbook_url"].endswith(f"/{name}.md"):
            print(f"{name}: runbook_url names another page")
            bad += 1
        if not name.startswith("Element") or rule["labels"].get("severity") not in ("critical", "warning", "info"):
            print(f"{name}: name or severity")
            bad += 1
    return bad


def run_runbooks():
    bad = 0
    pages = {p.stem: p.read_text() for p in (ROOT / "deploy/runbooks").glob("*.md")}
    for name in sorted(set(pages) ^ set(alerts())):
        print(f"{name}: a page without an alert, or an alert without a page")
        bad += 1
    for name, text in pages.items():
        if not (text.startswith(f"# {name}\n") and "## Look at" in text and "## Do" in text):
            print(f"{name}: not title, meaning, Look at, Do")
            bad += 1
    # Each alarm of the daemon's table has an alert with its id, and no alert names an id that is none.
    ids = set(re.findall(r"EL_ALARM_(\w+)", (ROOT / "src/model/alarm.h").read_text())) - {"NONE", "COUNT"}
    told = {r["labels"]["alarm"].upper() for r in alerts().values() if "alarm" in r["labels"]}
    for name in sorted(ids ^ told):
        print(f"{name}: an alarm without an alert, or an alert for no alarm")
        bad += 1
    return bad


def run_self_test():
    """A wrong expectation must be noticed."""
    inputs, at, _quiet = CASES["ElementDriveLost"]
    return 0 if promtool([one(inputs, fired(at))]).returncode else 1


if __name__ == "__main__":
    what = {"check": run_check, "alerts": run_alerts, "runbooks": run_runbooks, "self-test": run_self_test}
    if len(sys.argv) != 2 or sys.argv[1] not in what:
        sys.exit(__doc__)
    sys.exit(1 if what[sys.argv[1]]() else 0)
