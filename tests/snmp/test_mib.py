#!/usr/bin/env python3
"""ELEMENT-MIB: clean SMIv2, every object of it served, everything served in it, and printed by `elementd mib` for any base.

usage: test_mib.py SOURCE_DIR BUILD_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
MIB = SOURCE / "mibs/ELEMENT-MIB.txt"
BASE = "1.3.6.1.4.1.8072.9999.9999.10450"
WIRE = {"Integer32": "INTEGER", "Unsigned32": "GAUGE", "Counter32": "COUNTER", "Counter64": "COUNTER64", "CounterBasedGauge64": "COUNTER64",
        "TimeTicks": "TICKS", "SnmpAdminString": "TEXT", "DateAndTime": "TEXT", "BITS": "TEXT", "TruthValue": "INTEGER"}
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def lint(path):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write(f"path {SOURCE}/tests/snmp/mibs\n")
        conf.flush()
        done = subprocess.run(["smilint", "-c", conf.name, "-l", "6", "-m", "-s", str(path)], capture_output=True, text=True)
    return done.stdout + done.stderr


def objects(text):
    """name: (oid, wire type, access) of every OBJECT-TYPE that is no table or row."""
    nodes = {"elementMIB": BASE}
    for name, parent, number in re.findall(r"^(\w+) OBJECT IDENTIFIER ::= \{ (\w+) (\d+) \}", text, re.M):
        nodes[name] = f"{nodes[parent]}.{number}"
    out = {}
    for name, body, parent, number in re.findall(r"^(\w+) OBJECT-TYPE\n(.*?)::= \{ (\w+) (\d+) \}", text, re.M | re.S):
        nodes[name] = f"{nodes[parent]}.{number}"
        syntax = re.search(r"SYNTAX (SEQUENCE OF )?(\w+)", body)
        access = re.search(r"MAX-ACCESS ([\w-]+)", body).group(1)
        if access != "not-accessible":
            out[name] = (nodes[name], WIRE.get(syntax.group(2), "INTEGER"), access)
    return out


def enumeration(text, name):
    body = re.search(rf"^{name} ::= TEXTUAL-CONVENTION.*?SYNTAX INTEGER \{{(.*?)\}}", text, re.M | re.S).group(1)
    return {int(v): k for k, v in re.findall(r"(\w+)\((\d+)\)", body)}


def main():
    text = MIB.read_text()
    check(lint(MIB) == "", "smilint: " + lint(MIB))
    broken = BUILD / "broken-mib.txt"
    broken.write_text(text.replace("STATUS current", "STATUS strange", 1))
    check(lint(broken) != "", "smilint finds nothing in a broken module: it does not look")

    served = {}
    for line in subprocess.run([BUILD / "tests/snmp-columns"], capture_output=True, text=True, check=True).stdout.splitlines():
        oid, name, kind = line.split()
        if oid.startswith(BASE + "."):
            served[name] = (oid, kind)
    defined = objects(text)
    readable = {n: (o, t) for n, (o, t, access) in defined.items() if access == "read-only"}
    for name in sorted(set(served) | set(readable)):
        check(served.get(name) == readable.get(name), f"{name}: served as {served.get(name)}, defined as {readable.get(name)}")
    check(len(served) > 150, f"only {len(served)} objects are served")
    check({a for _, _, a in defined.values()} <= {"read-only", "accessible-for-notify"}, "something is writable")

    # Numbers of conditions are numbers of notifications, and those of src/model/alarm.h.
    header = (SOURCE / "src/model/alarm.h").read_text()
    ids = re.findall(r"EL_ALARM_(\w+)", re.search(r"enum el_alarm_id \{(.*?)EL_ALARM_COUNT", header, re.S).group(1))[1:]
    alarms = enumeration(text, "ElementAlarmId")
    camel = [i.split("_")[0].lower() + "".join(w.capitalize() for w in i.split("_")[1:]) for i in ids]
    check([alarms.get(i + 1) for i in range(len(ids))] == camel, f"conditions: {alarms}, of alarm.h: {camel}")
    numbers = set(map(int, re.findall(r"::= \{ elNotifications (\d+) \}", text)))
    check(set(range(1, len(ids) + 1)) <= numbers, "a condition has no notification")
    check(all(n in alarms or n - 100 in alarms for n in numbers), "a notification has no condition")

    # Every other enumeration has as many values as the program's own: 0 is unknown, and its numbers follow from 1.
    names = (SOURCE / "src/model/names.c").read_text()
    for convention, function in (("Mode", "mode"), ("SlotState", "slot_state"), ("Failsafe", "failsafe"), ("Constraint", "constraint"), ("Quality", "quality"),
                                 ("Origin", "origin"), ("LinkRole", "link_role"), ("SensorKind", "sensor_kind"), ("SensorRole", "sensor_role"),
                                 ("Severity", "severity")):
        own = re.findall(r'"([^"]*)"', re.search(rf"NAME_FUNCTION\(el_{function}_name, (.*?)\)$", names, re.M | re.S).group(1))
        said = enumeration(text, "Element" + convention)
        check(sorted(said) == list(range(len(own) + 1)), f"Element{convention}: {said}, of names.c: {own}")
        check(all(said[i + 1].lower()[:4] in re.sub(r"\W|_", "", n).lower() for i, n in enumerate(own)), f"Element{convention}: {said}, of names.c: {own}")

    printed = subprocess.run([BUILD / "elementd", "mib"], capture_output=True, text=True).stdout
    check(printed == text, "elementd mib prints something else than mibs/ELEMENT-MIB.txt")
    for base in "1.3.6.1.4.1.99999", "1.3.6.1.4.1.99999.4.5.6":
        moved = BUILD / "moved-mib.txt"
        moved.write_text(subprocess.run([BUILD / "elementd", "mib", "--base", base], capture_output=True, text=True).stdout)
        check(lint(moved) == "", f"--base {base}: " + lint(moved))
        got = subprocess.run(["snmptranslate", "-M", f"{SOURCE}/tests/snmp/mibs", "-m", str(moved), "-On", "ELEMENT-MIB::elSnapshotSeq.0"],
                             capture_output=True, text=True).stdout.strip()
        check(got == f".{base}.1.1.1.0", f"--base {base}: elSnapshotSeq.0 is {got}")
    check(subprocess.run([BUILD / "elementd", "mib", "--base", "1.3.6.1"], capture_output=True).returncode == 2, "a bad base is taken")

    print("\n".join(failures) or f"{len(served)} objects, {len(numbers)} notifications: all well")
    return bool(failures)


sys.exit(main())
