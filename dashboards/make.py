#!/usr/bin/env python3
"""Writes the four dashboards beside this file. usage: dashboards/make.py [--check]: says whether they are up to date instead."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DS = {"type": "prometheus", "uid": "${datasource}"}
HOST = 'job=~"$job",instance=~"$instance"'
CARD = HOST + ',card=~"$card"'
SLOT = CARD + ',slot=~"$slot"'
STEP_BACK = "[$__rate_interval]"
GREEN, YELLOW, RED, BLUE = "green", "yellow", "red", "blue"


def steps(*pairs):
    return {"mode": "absolute", "steps": [{"color": c, "value": v} for c, v in pairs]}


class Board:
    def __init__(self, uid, title, description, variables):
        self.uid, self.title, self.description, self.variables = uid, title, description, variables
        self.panels, self.x, self.y, self.row_h = [], 0, 0, 0

    def row(self, title):
        self.y += self.row_h
        self.x = self.row_h = 0
        self.panels.append({"id": len(self.panels) + 1, "type": "row", "title": title, "collapsed": False, "panels": [],
                            "gridPos": {"h": 1, "w": 24, "x": 0, "y": self.y}})
        self.y += 1

    def add(self, kind, title, description, queries, unit="short", w=8, h=8, options=None, field=None, overrides=(), transformations=()):
        if self.x + w > 24:
            self.y += self.row_h
            self.x = self.row_h = 0
        targets = []
        for i, q in enumerate(queries if isinstance(queries, list) else [queries]):
            expr, legend = q if isinstance(q, tuple) else (q, "")
            table = kind == "table"
            targets.append({"refId": chr(ord("A") + i), "datasource": DS, "editorMode": "code", "expr": expr, "legendFormat": legend or "__auto",
                            "instant": table or kind == "stat", "range": not (table or kind == "stat"), "format": "table" if table else "time_series"})
        defaults = {"unit": unit, "custom": {}}
        if kind == "timeseries":
            defaults["custom"] = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 5, "showPoints": "never", "spanNulls": False}
        defaults.update(field or {})
        panel = {"id": len(self.panels) + 1, "type": kind, "title": title, "description": description, "datasource": DS, "targets": targets,
                 "gridPos": {"h": h, "w": w, "x": self.x, "y": self.y},
                 "fieldConfig": {"defaults": defaults, "overrides": list(overrides)}, "options": options or OPTIONS[kind],
                 "transformations": list(transformations)}
        self.panels.append(panel)
        self.x += w
        self.row_h = max(self.row_h, h)

    def stat(self, title, description, query, unit="short", w=4, thresholds=None, **kw):
        field = {"thresholds": thresholds or steps((BLUE, None)), "color": {"mode": "thresholds"}}
        field.update(kw.pop("field", {}))
        self.add("stat", title, description, query, unit, w=w, h=4, field=field, **kw)

    def json(self):
        return {
            "uid": self.uid, "title": self.title, "description": self.description, "tags": ["elementd", "nvme"], "editable": False,
            "schemaVersion": 39, "version": 1, "timezone": "", "graphTooltip": 1, "refresh": "30s", "fiscalYearStartMonth": 0,
            "time": {"from": "now-6h", "to": "now"}, "templating": {"list": [datasource()] + self.variables},
            "annotations": {"list": []}, "panels": self.panels,
            "links": [{"title": "elementd", "type": "dashboards", "tags": ["elementd"], "asDropdown": True, "icon": "external link",
                       "includeVars": True, "keepTime": True, "targetBlank": False, "tooltip": "", "url": ""}],
        }


OPTIONS = {
    "timeseries": {"legend": {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["lastNotNull", "max"]},
                   "tooltip": {"mode": "multi", "sort": "desc"}},
    "stat": {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value", "graphMode": "none",
             "textMode": "auto", "justifyMode": "auto", "orientation": "auto"},
    "table": {"showHeader": True, "cellHeight": "sm", "footer": {"show": False, "reducer": ["sum"], "countRows": False}},
    "state-timeline": {"mergeValues": True, "showValue": "auto", "alignValue": "left", "rowHeight": 0.9,
                       "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                       "tooltip": {"mode": "single", "sort": "none"}},
}


def datasource():
    return {"name": "datasource", "type": "datasource", "label": "Data source", "query": "prometheus", "hide": 0, "includeAll": False,
            "multi": False, "options": [], "refresh": 1, "regex": "", "skipUrlSync": False}


def variable(name, label, query, many=True):
    return {"name": name, "type": "query", "label": label, "datasource": DS, "query": {"query": query, "refId": name},
            "refresh": 2, "sort": 3, "multi": many, "includeAll": many, "allValue": ".*" if many else None, "hide": 0, "options": [],
            "regex": "", "skipUrlSync": False, "current": {"text": "All", "value": "$__all"} if many else {}}


JOB = variable("job", "Job", "label_values(element_build_info, job)")
INSTANCE = variable("instance", "Host", 'label_values(element_build_info{job=~"$job"}, instance)')
ONE_CARD = variable("card", "Card", f"label_values(element_drive_up{{{HOST}}}, card)")
ONE_SLOT = variable("slot", "Slot", f"label_values(element_drive_up{{{CARD}}}, slot)")


def rename(*pairs, hide=()):
    hidden = {k: True for k in ("Time", "__name__", "job", *hide)}
    return {"id": "organize", "options": {"excludeByName": hidden, "indexByName": {}, "renameByName": dict(pairs)}}


def merge():
    return {"id": "merge", "options": {}}


def fleet():
    b = Board("elementd-fleet", "elementd / Fleet", "All hosts with NVMe cards: what is up, what is hot, what is held back, what wears out.", [JOB, INSTANCE])
    b.row("Now")
    b.stat("Hosts", "Exporters that answer.", f'count(element_build_info{{{HOST}}})')
    b.stat("Drives up", "Drives that answer their poll.", f'sum(element_drive_up{{{HOST}}})')
    b.stat("Drives lost", "Slots that held a drive which no longer answers.", f'count(element_drive_up{{{HOST}}} == 0) or vector(0)',
           thresholds=steps((GREEN, None), (RED, 1)))
    b.stat("Drives held back", "Drives whose I/O budget is below full.", f'count(element_drive_cap_ratio{{{HOST}}} < 1) or vector(0)',
           thresholds=steps((GREEN, None), (YELLOW, 1)))
    b.stat("Cards in failsafe", "Cards whose governor does not trust its sensors.", f'count(element_governor_failsafe{{{HOST},level!="none"}} == 1) or vector(0)',
           thresholds=steps((GREEN, None), (RED, 1)))
    b.stat("Least headroom", "The smallest distance of any drive to its limit.", f'min(element_drive_headroom_celsius{{{HOST}}})', "celsius",
           thresholds=steps((RED, None), (YELLOW, 2), (GREEN, 5)))
    b.row("Heat and power")
    b.add("timeseries", "Least headroom by host", "Distance of the worst drive to its limit.", (f'min by (instance) (element_drive_headroom_celsius{{{HOST}}})', "{{instance}}"), "celsius")
    b.add("timeseries", "Hottest drive by host", "Composite temperature.", (f'max by (instance) (element_drive_temperature_celsius{{{HOST},sensor="composite"}})', "{{instance}}"), "celsius")
    b.add("timeseries", "Card power by host", "Measured where a sensor tells, else estimated.", (f'sum by (instance) (element_card_power_watts{{{HOST}}})', "{{instance}}"), "watt")
    b.row("Work")
    b.add("timeseries", "Throughput", "Bytes moved between hosts and drives, as the drives count them.",
          [(f'sum(rate(element_drive_data_read_bytes_total{{{HOST}}}{STEP_BACK}))', "read"), (f'sum(rate(element_drive_data_written_bytes_total{{{HOST}}}{STEP_BACK}))', "written")], "Bps")
    b.add("timeseries", "Withheld by host", "Share of the demanded throughput that governors withhold, worst drive.",
          (f'max by (instance) (element_drive_throughput_withheld_ratio{{{HOST}}})', "{{instance}}"), "percentunit")
    b.add("timeseries", "Media errors", "New media errors per hour, all drives.", (f'sum(increase(element_drive_media_errors_total{{{HOST}}}[1h]))', "media errors"), "short")
    b.row("Which")
    b.add("table", "Cards", "One line a card.", [
        f'sum by (instance, card) (element_drive_up{{{HOST}}})', f'max by (instance, card) (element_drive_temperature_celsius{{{HOST},sensor="composite"}})',
        f'min by (instance, card) (element_drive_headroom_celsius{{{HOST}}})', f'sum by (instance, card) (element_card_power_watts{{{HOST}}})',
        f'min by (instance, card) (element_drive_cap_ratio{{{HOST}}})'], w=14, h=9, transformations=[merge(), rename(
            ("instance", "Host"), ("card", "Card"), ("Value #A", "Drives up"), ("Value #B", "Hottest"), ("Value #C", "Least headroom"), ("Value #D", "Power"), ("Value #E", "Lowest cap"))],
        overrides=[units("Hottest", "celsius"), units("Least headroom", "celsius"), units("Power", "watt"), units("Lowest cap", "percentunit")])
    b.add("table", "Models and firmware", "How many of each, and how worn on average.", [
        f'count by (model, firmware) (element_drive_info{{{HOST}}})',
        f'avg by (model, firmware) (element_drive_percentage_used_ratio{{{HOST}}} * on (job, instance, card, slot) group_left (model, firmware) element_drive_info{{{HOST}}})'],
        w=10, h=9, transformations=[merge(), rename(("model", "Model"), ("firmware", "Firmware"), ("Value #A", "Drives"), ("Value #B", "Used"))],
        overrides=[units("Used", "percentunit")])
    return b


def units(name, unit):
    return {"matcher": {"id": "byName", "options": name}, "properties": [{"id": "unit", "value": unit}]}


def card():
    b = Board("elementd-card", "elementd / Card", "One card: its links, temperatures against limits, caps and why, power and air.", [JOB, INSTANCE, ONE_CARD])
    b.row("Now")
    b.stat("Drives up", "Of the slots of this card.", f'sum(element_drive_up{{{CARD}}})')
    b.stat("Inlet", "Air that enters the card.", f'max(element_board_inlet_celsius{{{CARD}}})', "celsius")
    b.stat("Airflow", "Measured, calibrated from a fan, or assumed: the metric's label says which.", f'min(element_board_airflow_lfm{{{CARD}}})', "short", field={"displayName": "LFM"})
    b.stat("Power", "Measured where a sensor tells, else estimated.", f'sum(element_card_power_watts{{{CARD}}})', "watt")
    b.stat("Least headroom", "The smallest distance of a drive to its limit.", f'min(element_drive_headroom_celsius{{{CARD}}})', "celsius", thresholds=steps((RED, None), (YELLOW, 2), (GREEN, 5)))
    b.stat("Lowest cap", "I/O budget of the drive that is held back most.", f'min(element_drive_cap_ratio{{{CARD}}})', "percentunit", thresholds=steps((YELLOW, None), (GREEN, 1)))
    b.row("Topology")
    b.add("table", "Links", "Each hop from the root port to the drives. Degraded: below the least of both ends and the profile.", [
        f'element_link_info{{{CARD}}}', f'element_link_width_lanes{{{CARD},kind="current"}}', f'element_link_transfers_per_second{{{CARD},kind="current"}}',
        f'element_link_degraded{{{CARD}}}'], w=16, h=9,
        transformations=[merge(), rename(("role", "Role"), ("address", "Address"), ("slot", "Slot"), ("parent", "Behind"), ("Value #B", "Lanes"), ("Value #C", "Speed"), ("Value #D", "Degraded"),
                                         hide=("Value #A", "kind", "instance"))], overrides=[units("Speed", "T/s")])
    b.add("table", "Drives", "What is in each slot.", f'element_drive_info{{{CARD}}}', w=8, h=9,
          transformations=[rename(("slot", "Slot"), ("model", "Model"), ("serial", "Serial"), ("firmware", "Firmware"), hide=("Value", "instance"))])
    b.row("Heat")
    b.add("timeseries", "Temperatures and limits", "Composite temperature of each drive; the dashed lines are the limits in force.",
          [(f'element_drive_temperature_celsius{{{CARD},sensor="composite"}}', "slot {{slot}}"), (f'min by (card) (element_drive_limit_celsius{{{CARD}}})', "limit {{card}}"),
           (f'min by (card) (element_drive_critical_temperature_threshold_celsius{{{CARD}}})', "critical {{card}}")], "celsius", w=12,
          overrides=[{"matcher": {"id": "byRegexp", "options": "(limit|critical).*"}, "properties": [{"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [6, 4]}}]}])
    b.add("timeseries", "Headroom", "Distance to the limit in force.", (f'element_drive_headroom_celsius{{{CARD}}}', "slot {{slot}}"), "celsius", w=12)
    b.row("Caps and why")
    b.add("timeseries", "Cap", "I/O budget of each drive as a share of full. 100 %: not held back.", (f'element_drive_cap_ratio{{{CARD}}}', "slot {{slot}}"), "percentunit", w=8, field={"min": 0, "max": 1})
    b.add("state-timeline", "Binding constraint", "The one limit that binds each drive's cap.", (f'element_drive_binding_constraint{{{CARD}}} == 1', "slot {{slot}}: {{constraint}}"), "short", w=8)
    b.add("timeseries", "Throughput by slot", "Read and written, as the drive counts them.",
          (f'rate(element_drive_data_read_bytes_total{{{CARD}}}{STEP_BACK}) + rate(element_drive_data_written_bytes_total{{{CARD}}}{STEP_BACK})', "slot {{slot}}"), "Bps", w=8)
    b.row("Power and air")
    b.add("timeseries", "Card power", "Against the limit set for the card.", [(f'element_card_power_watts{{{CARD}}}', "{{card}}"), (f'element_card_limit_watts{{{CARD}}}', "limit {{card}}")], "watt", w=8)
    b.add("timeseries", "Inlet and switch", "Air that enters, and the PCIe switch.", [(f'element_board_inlet_celsius{{{CARD}}}', "inlet {{card}} {{origin}}"), (f'element_switch_temperature_celsius{{{CARD}}}', "switch {{card}}")], "celsius", w=8)
    b.add("timeseries", "Airflow", "Linear feet per minute over the card.", [(f'element_board_airflow_lfm{{{CARD}}}', "{{card}}"), (f'element_card_airflow_min_lfm{{{CARD}}}', "least {{card}}")], "short", w=8)
    return b


def drive():
    b = Board("elementd-drive", "elementd / Drive", "One drive: health, endurance, errors.", [JOB, INSTANCE, ONE_CARD, ONE_SLOT])
    b.row("Now")
    b.stat("State", "1: answers its poll.", (f'element_drive_up{{{SLOT}}}', "slot {{slot}}"), thresholds=steps((RED, None), (GREEN, 1)))
    b.stat("Temperature", "Composite.", (f'element_drive_temperature_celsius{{{SLOT},sensor="composite"}}', "slot {{slot}}"), "celsius")
    b.stat("Used", "Percentage used as the drive estimates it. Over 100 % is possible and no failure.", (f'element_drive_percentage_used_ratio{{{SLOT}}}', "slot {{slot}}"), "percentunit",
           thresholds=steps((GREEN, None), (YELLOW, 0.8), (RED, 1)))
    b.stat("Spare", "Spare blocks left.", (f'element_drive_available_spare_ratio{{{SLOT}}}', "slot {{slot}}"), "percentunit", thresholds=steps((RED, None), (YELLOW, 0.1), (GREEN, 0.5)))
    b.stat("Media errors", "Over the life of the drive. Alert on growth, not on the number.", (f'element_drive_media_errors_total{{{SLOT}}}', "slot {{slot}}"))
    b.stat("Powered on", "Over the life of the drive.", (f'element_drive_power_on_seconds_total{{{SLOT}}}', "slot {{slot}}"), "s")
    b.row("Health")
    b.add("table", "Identity", "Model, serial, firmware, and the kernel's name of the day.", f'element_drive_info{{{SLOT}}}', w=24, h=5,
          transformations=[rename(("slot", "Slot"), ("model", "Model"), ("serial", "Serial"), ("firmware", "Firmware"), ("controller", "Controller"), ("address", "Address"), hide=("Value",))])
    b.add("timeseries", "Temperatures", "All sensors that the drive reports, with its own thresholds.",
          [(f'element_drive_temperature_celsius{{{SLOT}}}', "slot {{slot}} {{sensor}}"), (f'element_drive_warning_temperature_threshold_celsius{{{SLOT}}}', "slot {{slot}} warning"),
           (f'element_drive_critical_temperature_threshold_celsius{{{SLOT}}}', "slot {{slot}} critical")], "celsius", w=12)
    b.add("timeseries", "Critical warnings", "Bits of the drive's own critical warning.", (f'element_drive_critical_warning{{{SLOT}}}', "slot {{slot}} {{warning}}"), "short", w=12, field={"min": 0, "max": 1})
    b.row("Endurance")
    b.add("timeseries", "Wear", "Percentage used, and bytes written of the rated ones.",
          [(f'element_drive_percentage_used_ratio{{{SLOT}}}', "slot {{slot}} used"), (f'element_drive_endurance_used_ratio{{{SLOT}}}', "slot {{slot}} of rated bytes")], "percentunit")
    b.add("timeseries", "Written", "Bytes written by the host.", (f'rate(element_drive_data_written_bytes_total{{{SLOT}}}{STEP_BACK})', "slot {{slot}}"), "Bps")
    b.add("timeseries", "Days left", "Until the rated endurance is used up at the present rate. Appears after an hour of history.", (f'element_drive_wear_remaining_seconds{{{SLOT}}}', "slot {{slot}} by {{basis}}"), "s")
    b.row("Errors")
    b.add("timeseries", "New errors", "Per hour.", [(f'increase(element_drive_media_errors_total{{{SLOT}}}[1h])', "slot {{slot}} media"), (f'increase(element_drive_error_log_entries_total{{{SLOT}}}[1h])', "slot {{slot}} error log")])
    b.add("timeseries", "Thermal management by the firmware", "Transitions per hour into states that the drive enters by itself.", (f'increase(element_drive_thermal_management_transitions_total{{{SLOT}}}[1h])', "slot {{slot}} level {{level}}"))
    b.add("timeseries", "Unsafe shutdowns and power cycles", "Over the life of the drive.", [(f'element_drive_unsafe_shutdowns_total{{{SLOT}}}', "slot {{slot}} unsafe"), (f'element_drive_power_cycles_total{{{SLOT}}}', "slot {{slot}} cycles")])
    return b


def governor():
    b = Board("elementd-governor", "elementd / Governor", "What the loop does and why: budget, headroom, actions, what it has learnt.", [JOB, INSTANCE, ONE_CARD])
    b.row("Now")
    b.stat("Mode", "observe reads, advise decides, enforce acts.", (f'element_governor_mode{{{CARD}}} == 1', "{{mode}}"), w=6, options={**OPTIONS["stat"], "textMode": "name"})
    b.stat("Failsafe", "none: it trusts its sensors.", (f'element_governor_failsafe{{{CARD}}} == 1', "{{level}}"), w=6, options={**OPTIONS["stat"], "textMode": "name"})
    b.stat("Withheld", "Largest share of the demanded throughput withheld from a drive.", f'max(element_drive_throughput_withheld_ratio{{{CARD}}})', "percentunit", w=6)
    b.stat("Tick", "Time the last tick took.", f'max(element_tick_duration_seconds{{{HOST}}})', "s", w=6)
    b.row("Budget")
    b.add("timeseries", "Budget and power", "I/O power that each cap stands for, and estimated power of the whole drive.",
          [(f'element_drive_budget_watts{{{CARD}}}', "slot {{slot}} budget"), (f'element_drive_power_estimate_watts{{{CARD}}}', "slot {{slot}} power")], "watt", w=12)
    b.add("timeseries", "Headroom of the hottest", "Zero is the point where the best possible governor would run a drive that is held back; below it is overshoot.",
          (f'min by (card) (element_drive_headroom_celsius{{{CARD}}})', "{{card}}"), "celsius", w=12)
    b.row("Actions")
    b.add("timeseries", "Changes of caps per hour", "How busy the loop is, all drives of the card.", (f'sum by (card) (changes(element_drive_cap_ratio{{{CARD}}}[1h]))', "{{card}}"))
    b.add("timeseries", "Caps", "Lowest and mean cap of the card.", [(f'min by (card) (element_drive_cap_ratio{{{CARD}}})', "lowest {{card}}"), (f'avg by (card) (element_drive_cap_ratio{{{CARD}}})', "mean {{card}}")], "percentunit", field={"min": 0, "max": 1})
    b.add("timeseries", "What does not obey", "Mismatches read back, and bytes past the budget.",
          [(f'sum by (card) (increase(element_drive_actuator_mismatch_total{{{CARD}}}[1h]))', "mismatches {{card}}"), (f'sum by (card) (rate(element_drive_budget_escape_bytes_total{{{CARD}}}{STEP_BACK}))', "escaped B/s {{card}}")])
    b.row("Learnt")
    b.add("timeseries", "Thermal resistance", "Of the shared heatsink. Rising at equal load means that air is failing.", (f'element_governor_thermal_resistance_celsius_per_watt{{{CARD}}}', "{{card}}"), "short")
    b.add("timeseries", "Unknown heat", "Power that no model explains.", (f'element_governor_unknown_heat_watts{{{CARD}}}', "{{card}}"), "watt")
    b.add("timeseries", "Airflow inferred", "What the learnt resistance says about the air, beside what sensors say.",
          [(f'element_governor_airflow_estimate_lfm{{{CARD}}}', "inferred {{card}}"), (f'element_board_airflow_lfm{{{CARD}}}', "sensor {{card}}")], "short")
    return b


def main():
    stale = 0
    for board in (fleet(), card(), drive(), governor()):
        path = HERE / (board.uid + ".json")
        text = json.dumps(board.json(), indent=1) + "\n"
        if sys.argv[1:] == ["--check"]:
            if not path.exists() or path.read_text() != text:
                print(f"{path.name} is not what make.py writes: run dashboards/make.py")
                stale = 1
        else:
            path.write_text(text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
