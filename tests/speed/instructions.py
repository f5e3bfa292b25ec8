#!/usr/bin/env python3
"""Instructions per round of the work that is done most, against a recorded baseline.

usage: instructions.py BUILD-DIR [--update]

Each type of build has its own counts. More than the band above the baseline fails: find out why, or record the new count with its reason. Far below it asks for a new
baseline, so that a later loss is noticed. Counts are callgrind's: the same on every run of one build.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "instructions.json"
BAND = 0.10    # a compiler update moves counts by a few per cent
GAIN = 0.30
# what, drives, rounds that are counted: what is small must be counted often, as printing the result is in the count too
WORK = [("text", 8, 5), ("openmetrics", 8, 5), ("json", 8, 5), ("again", 8, 20), ("packed", 8, 20), ("check", 8, 100), ("smart", 8, 5000), ("text", 256, 5)]


def count(program, *args, within=()):
    said = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *(f"--toggle-collect={f}" for f in within), program, *args],
                          capture_output=True, text=True)  # its figures of time mean nothing here, so its verdict does not either
    return int(re.search(r"Collected : (\d+)", said.stderr).group(1))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    cost = str(build / "tests/speed_cost")
    now = {f"{what} {drives}": (count(cost, what, str(drives), str(n + 1)) - count(cost, what, str(drives), "1")) // n for what, drives, n in WORK}
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    if kind != "Release":  # whose link leaves no function to count within
        tick = [count(str(build / "tests/perf_tick"), "8", rounds, within=("el_tick_begin", "el_tick_finish")) for rounds in ("10", "40")]
        now["tick 8"] = (tick[1] - tick[0]) // 60  # each round once after a sleep, once warm; a byte of the published snapshot counts as one
    baseline = json.loads(BASELINE.read_text())
    if sys.argv[2:] == ["--update"]:
        BASELINE.write_text(json.dumps(baseline | {kind: now}, indent=1) + "\n")
        return 0
    then = baseline.get(kind)
    if not then:
        print(f"no baseline for a build of type {kind!r}: record it with --update")
        return 1
    bad = 0
    for name, instructions in now.items():
        change = instructions / then[name] - 1
        verdict = "too many" if change > BAND else "record it: --update" if change < -GAIN else "good"
        bad += verdict != "good"
        print(f"{name:16} {instructions:12} {change:+7.1%}  {verdict}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
