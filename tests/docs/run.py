#!/usr/bin/env python3
"""Runs every marked block of every document, and checks that what documents name exists.

usage: run.py BUILD-DIR [DOCUMENT...]

Marks, behind the fence's language: `sh test` is run by bash -e; `sh test background` is started, and ended with the document;
`yaml test NAME` is written to a file of that name (`config`: also given to `elementd check`). Each document has its own empty
directory, the built programs in PATH and, where that is allowed, a network of its own.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
INSIDE = "ELEMENTD_DOCS_INSIDE"


def documents():
    named = [pathlib.Path(p).resolve() for p in sys.argv[2:]]
    return named or [ROOT / "README.md", ROOT / "src/README.md", *sorted((ROOT / "deploy/docs").glob("*.md")), *sorted((ROOT / "deploy/runbooks").glob("*.md"))]


def blocks(text):
    for m in re.finditer(r"^```(\w+) test ?(\S*)\n(.*?)^```$", text, re.M | re.S):
        yield m.group(1), m.group(2), m.group(3)


def wait_ready(child):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if subprocess.run(["curl", "-sf", "-o", "/dev/null", "http://localhost:10450/-/ready"]).returncode == 0:
            return True
        if child.poll() is not None:
            return False
        time.sleep(0.1)
    return False


def run_document(path):
    env = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}", SOURCE=str(ROOT))
    env.setdefault("ASAN_OPTIONS", "detect_leaks=0")  # which the sandbox of the documents forbids
    bad = count = 0
    background = []
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        for kind, mark, body in blocks(path.read_text()):
            count += 1
            if kind == "yaml":
                (pathlib.Path(scratch) / mark).write_text(body)
                body = f"elementd check {mark}" if mark == "config" else "true"
            if mark == "background":
                log = open(pathlib.Path(scratch) / "background.log", "w")
                child = subprocess.Popen(["bash", "-ec", "exec " + body], cwd=scratch, env=env, stdout=log, stderr=log, start_new_session=True)
                background.append(child)
                if not wait_ready(child):
                    print(f"{path.name}: does not come up:\n{body}\n" + (pathlib.Path(scratch) / "background.log").read_text())
                    bad += 1
                continue
            result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", body], cwd=scratch, env=env, capture_output=True, text=True, timeout=600)
            # head closes its pipe early: that is no failure
            if result.returncode not in (0, 141):
                print(f"{path.name}: exit {result.returncode}:\n{body}\n{result.stdout}{result.stderr}")
                bad += 1
        for child in background:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                if child.wait(5) != 0:
                    print(f"{path.name}: background ended with {child.returncode}")
                    bad += 1
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                print(f"{path.name}: background did not end within 5 s")
                bad += 1
    return count, bad


def said(*args):
    return subprocess.run([BUILD / args[0], *args[1:]], capture_output=True, text=True).stdout


def settings():
    """Dotted names of all settings, from the example."""
    names, stack = set(), []
    for line in said("elementd", "check", "--example").splitlines():
        m = re.match(r"^( *)(?:# )?( *)(?:- )?([a-z_]+):", line)
        if m:
            indent = len(m.group(1) + m.group(2)) + (2 if "- " in line[: line.index(":")] else 0)
            stack = [s for s in stack if s[0] < indent] + [(indent, m.group(3))]
            names.add(".".join(s[1] for s in stack))
    return names


def check_names(path):
    """Subcommands, their flags, and settings."""
    bad = 0
    commands = set(re.findall(r"^  (\w+) ", said("elementd", "--help"), re.M))
    sections = {n.split(".")[0] for n in SETTINGS if "." in n}
    for line, text in enumerate(path.read_text().splitlines(), 1):
        for command, rest in re.findall(r"`elementd ([a-z]+)([^`|]*)", text):
            if command not in commands:
                print(f"{path.name}:{line}: there is no `elementd {command}`")
                bad += 1
                continue
            told = said("elementd", command, "--help") + said("elementd-exporter", "--help")
            for flag in re.findall(r"(--[a-z][a-z.-]+)", rest):
                if flag.rstrip(".") not in told:
                    print(f"{path.name}:{line}: `elementd {command}` has no {flag}")
                    bad += 1
        for name in re.findall(r"`([a-z]+\.[a-z_]+)(?::[^`]*)?`", text):
            if name.split(".")[0] in sections and name not in SETTINGS:
                print(f"{path.name}:{line}: there is no setting {name}")
                bad += 1
    return bad


def links(path):
    """What a document links to or shows inside of this repository."""
    return [(path.parent / t.partition("#")[0]).resolve() for t in re.findall(r"\]\(([^)#:][^):]*)\)", path.read_text())]


def check_links():
    """Links lead somewhere, and from the README to every document."""
    texts = [*documents(), ROOT / "deploy/snmp/README.md"]
    broken = [f"{p.relative_to(ROOT)}: no {t}" for p in texts for t in links(p) if not t.exists()]
    orphans = [f"README.md does not link to {p.name}" for p in (ROOT / "deploy/docs").glob("*.md") if p not in links(ROOT / "README.md")]
    return broken + orphans


def check_figures():
    text = (ROOT / "deploy/docs/simulate.md").read_text()
    figures = json.loads(said("elementd", "simulate", "--card", "element-aic", "--hours", "0.05", "--json"))
    asked = {"card", "workload", "governor", "array", "hours", "seed", "seeds", "inlet_celsius", "airflow_lfm", "limit_celsius", "card_watts_limit"}
    return [f"simulate.md does not explain {name}" for name in figures if name not in asked and f"`{name}`" not in text]


def check_constraints():
    """The governor's document explains each constraint by the name that metrics have for it."""
    text = (ROOT / "deploy/docs/governor.md").read_text()
    told = [n for row in re.findall(r"^\| constraint \|.*\n\|-.*\n((?:\|.*\n)+)", text, re.M) for n in re.findall(r"^\| (.*?) \|", row, re.M)]
    told = set(re.findall(r"`([^`]+)`", " ".join(told)))
    real = set(re.findall(r'constraint="([^"]+)"', (ROOT / "tests/golden/metrics.prom").read_text())) - {"none"}
    return [f"governor.md and the metrics do not both name the constraint {name}" for name in sorted(told ^ real)]


SETTINGS = settings()


def main():
    if INSIDE not in os.environ and subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0:
        os.environ[INSIDE] = "1"
        command = 'ip link set lo up && exec "$@"'
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", command, "sh", sys.executable, __file__, *sys.argv[1:]])
    total = bad = 0
    for path in documents():
        count, wrong = run_document(path)
        total += count
        bad += wrong + check_names(path)
    if len(sys.argv) == 2 and said("elementd", "metrics", "--markdown") != (ROOT / "deploy/docs/metrics.md").read_text():
        print("deploy/docs/metrics.md is not what `elementd metrics --markdown` says: build the target update-golden")
        bad += 1
    for line in check_links() + check_figures() + check_constraints():
        print(line)
        bad += 1
    print(f"{total} blocks, {bad} bad")
    return 1 if bad or total < 1 else 0


if __name__ == "__main__":
    sys.exit(main())
