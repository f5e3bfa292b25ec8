#!/usr/bin/env python3
"""Line coverage of src/ per room and file from a build with --coverage: usage: coverage.py BUILD-DIR"""
import collections
import json
import gzip
import pathlib
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
hit, seen = collections.defaultdict(set), collections.defaultdict(set)
with tempfile.TemporaryDirectory() as scratch:
    data = [str(p) for p in build.rglob("*.gcda")]
    subprocess.run(["gcov", "--json-format", *data], cwd=scratch, stdout=subprocess.DEVNULL, check=True)
    for path in pathlib.Path(scratch).glob("*.gcov.json.gz"):
        for entry in json.loads(gzip.decompress(path.read_bytes()))["files"]:
            name = entry["file"].split("/src/")[-1] if "/src/" in entry["file"] else None
            for line in entry["lines"] if name and not entry["file"].startswith("/usr") else []:
                seen[name].add(line["line_number"])
                if line["count"]:
                    hit[name].add(line["line_number"])
rooms = collections.defaultdict(lambda: [0, 0])
for name in sorted(seen):
    share = 100 * len(hit[name]) / len(seen[name])
    print(f"{share:5.1f} %  {len(seen[name]):5}  {name}")
    rooms[name.split("/")[0]][0] += len(hit[name])
    rooms[name.split("/")[0]][1] += len(seen[name])
print()
for room, (h, s) in sorted(rooms.items()):
    print(f"{100 * h / s:5.1f} %  {s:5}  {room}")
