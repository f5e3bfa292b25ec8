#!/usr/bin/env python3
"""How near a full walk of ours comes to the floor: a bare table of as many values, as many of them text, in the same run, by the same snmpbulkwalk.

usage: snmp_walk.py SOURCE_DIR BUILD_DIR [DRIVES...] [standalone] [agentx]      (default: 8 1024, both)
"""
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "snmp"))
from kit import BASE, COMMUNITY, Bench, free_port, until  # noqa: E402


def measure(b, port, root):
    began = time.perf_counter()
    done = subprocess.run(["snmpbulkwalk", "-v2c", "-c", COMMUNITY, "-On", "-Cr25", "-t", "5", f"udp:127.0.0.1:{port}", root], env=b.env, capture_output=True)
    return time.perf_counter() - began, done.stdout.count(b"\n.1") + done.stdout.startswith(b".1")


def cpu_s(p):
    """Of all its threads; /proc/PID/stat counts in 10 ms, which is many walks of a small machine."""
    return sum(int(t.read_text().split()[0]) for t in pathlib.Path(f"/proc/{p.pid}/task").glob("*/schedstat")) / 1e9


def resident_kb(p):
    return next(int(line.split()[1]) for line in open(f"/proc/{p.pid}/status") if line.startswith("VmRSS"))


def compare(source, build, drives, way, rounds):
    with Bench(source, build) as b:
        ours, bare = free_port(), free_port()
        b.snapshot("--drives", drives, "--sensors", 2)
        if way == "standalone":
            agent = b.agent("--standalone", f"udp:127.0.0.1:{ours}")
        else:
            b.snmpd(ours)
            agent = b.agent("--agentx", "on", "--socket", b.dir / "agentx")
            until(lambda: b.own(ours, "1.1.1.0"), 5, "connected")
        n = measure(b, ours, BASE)[1]
        values = [v for _, v in b.walk(ours)]
        texts = [v for v in values if v.startswith(("STRING", '"', "Hex"))]
        columns = max(1, round(n / max(drives, 1)))
        shape = drives, columns, round(columns * len(texts) / n), round(sum(len(v.split('"')[1]) if '"' in v else len(v) // 3 - 4 for v in texts) / len(texts))
        if way == "standalone":
            floor = b.start(build / "tests/snmp-floor", way, f"udp:127.0.0.1:{bare}", *shape, stdout=subprocess.PIPE)
        else:
            (b.dir / "agentx").unlink(missing_ok=True)
            b.snmpd(bare)
            floor = b.start(build / "tests/snmp-floor", way, b.dir / "agentx", *shape, stdout=subprocess.PIPE)
        floor.stdout.readline()
        until(lambda: b.get(bare, BASE) or measure(b, bare, BASE + ".1.6.1.1")[1], 5, "the floor answers")
        times, spent = [], []
        for _ in range(rounds):
            begin = cpu_s(agent), cpu_s(floor)
            times.append((measure(b, ours, BASE), measure(b, bare, BASE)))
            spent.append((cpu_s(agent) - begin[0], cpu_s(floor) - begin[1]))
        mine, least = (statistics.median(t[k][0] / t[k][1] for t in times) for k in (0, 1))
        per = [1e6 * statistics.median(s[k] for s in spent) / times[0][k][1] for k in (0, 1)]
        print(f"{drives:5} drives {way:10}: {times[0][0][1]:6} values {mine * 1000 * times[0][0][1]:7.1f} ms, floor {times[0][1][1]:6} values {least * 1000 * times[0][1][1]:7.1f} ms, "
              f"ratio {mine / least:.2f} per value; CPU of the agent {per[0]:.2f} and {per[1]:.2f} us per value, "
              f"ratio {per[0] / per[1]:.2f}; "
              f"resident {resident_kb(agent)} kB", flush=True)


if __name__ == "__main__":
    src, bld = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    for d in map(int, [a for a in sys.argv[3:] if a.isdigit()] or ("8", "1024")):
        for how in [a for a in sys.argv[3:] if not a.isdigit()] or ("standalone", "agentx"):
            compare(src, bld, d, how, 40 if d < 100 else 9)
