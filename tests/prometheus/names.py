#!/usr/bin/env python3
"""Every metric that rules, dashboards and documents name is in the catalog; what alerts and panels ask for is exported without
`--collect`, with the labels that they select by. usage: names.py [--self-test]"""
import json
import pathlib
import re
import sys

import yaml

import rules_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIX = {"COUNTER": "_total", "INFO": "_info"}


def catalog():
    rows = re.findall(r'^EL_ROW\(\w+, "(\w+)", "\w*", (\w+),', (ROOT / "src/model/catalog_rows.inc").read_text(), re.M)
    return {name + SUFFIX.get(kind, "") for name, kind in rows}


def used():
    for pattern in ("deploy/prometheus/**/*.yml", "dashboards/*.json", "deploy/runbooks/*.md", "deploy/docs/*.md", "*.md", "deploy/kubernetes/*"):
        for path in sorted(ROOT.glob(pattern)):
            for line, text in enumerate(path.read_text().splitlines(), 1):
                for name in re.findall(r"(?<![\w:])element_[a-z0-9_]*[a-z0-9](?![\w:*])", text):
                    yield f"{path.relative_to(ROOT)}:{line}", name


def findings(names):
    return [f"{where}: {name} is not in the catalog" for where, name in used() if name not in names]


def groups():
    """Metric to its group, and the groups that are on by default."""
    rows = re.findall(r'^EL_ROW\(\w+, "(\w+)", "\w*", (\w+), \w+, (\w+),', (ROOT / "src/model/catalog_rows.inc").read_text(), re.M)
    on = set(re.findall(r"^    X\((\w+), true,", (ROOT / "src/model/catalog.h").read_text(), re.M))
    return {name + SUFFIX.get(kind, ""): group for name, kind, group in rows}, on


def expressions():
    """What Prometheus is asked: rules and panels."""
    for path in sorted(ROOT.glob("deploy/prometheus/**/*.yml")):
        for group in (yaml.safe_load(path.read_text()) or {}).get("groups", []):
            for rule in group["rules"]:
                yield rule.get("alert") or rule["record"], rule["expr"]
    for path in sorted(ROOT.glob("dashboards/*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", []):
                yield f"{path.stem}: {panel['title']}", target["expr"]


def silent(group_of, on):
    for where, expr in expressions():
        for name in re.findall(r"(?<![\w:])(?:element|process)_[a-z0-9_]*[a-z0-9](?![\w:*])", expr):
            if group_of.get(name, "") not in on and name in group_of:
                yield f"{where}: {name} is exported only with --collect {group_of[name]}"


def exported():
    """Metric to the labels of its series, as the golden page has them: every metric there is."""
    page = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", (ROOT / "tests/golden/metrics.prom").read_text(), re.M):
        page.setdefault(name, []).append(dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)))
    return page


def asked():
    for where, expr in expressions():
        for name, labels in re.findall(r"(?<![\w:])(\w+)\{([^}]*)\}", expr):
            yield where, name, labels
    for alert, (fires, _minutes, quiet) in rules_test.CASES.items():
        for key, _values in fires + quiet:
            name, _, labels = key.split(" ", 1)[1].partition("{")
            yield f"case of {alert}", name, labels.rstrip("}")


FREE = {"job", "instance", "rack", "card", "slot", "address"}  # of the place, not of the metric


def mismatched(page):
    """Selectors that no series of the product satisfies: they ask for what is never there."""
    for where, name, labels in asked():
        wanted = [(k, op, v) for k, op, v in re.findall(r'(\w+)\s*(=~|=|!=)\s*"([^"]*)"', labels) if k not in FREE and "$" not in v and op != "!="]
        if not name.startswith(("element_", "process_")) or name.startswith("element_board_fan"):
            continue  # Prometheus's own; sensors are named by the machine
        if not any(all(re.fullmatch(v if op == "=~" else re.escape(v), s.get(k, "")) for k, op, v in wanted) for s in page.get(name, [])):
            yield f"{where}: no series is {name}{{{labels}}}"


def main():
    names = catalog()
    group_of, on = groups()
    page = exported()
    if "--self-test" in sys.argv:
        no_process = {k: v for k, v in page.items() if k != "process_start_time_seconds"}
        sees = findings(names - {"element_drive_up"}) and list(silent(group_of, on - {"link"})) and list(mismatched(no_process))
        return 0 if len(names) > 50 and sees else 1
    found = findings(names) + sorted({*silent(group_of, on), *mismatched(page)})
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
