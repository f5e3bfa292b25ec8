#!/usr/bin/env python3
"""Every metric that rules, dashboards and documents name is in the catalog. usage: names.py [--self-test]"""
import pathlib
import re
import sys

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


def main():
    names = catalog()
    if "--self-test" in sys.argv:
        return 0 if len(names) > 50 and findings(names - {"element_drive_up"}) else 1
    found = findings(names)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
