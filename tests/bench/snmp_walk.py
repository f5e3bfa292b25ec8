#!/usr/bin/env python3
"""How near a full walk of ours comes to the floor: a bare table of as many values, as many of them text, in the same run, by the same snmpbulkwalk.

usage: snmp_walk.py SOURCE_DIR BUILD_DIR [DRIVES...] [standalone] [agentx] [instructions]      (default: 8 1024, both)

Seconds are those of this machine now. `instructions` counts them instead (valgrind's callgrind, of one walk more): the same on any machine.
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
    done = subprocess.run(["snmpbulkwalk", "-v2c", "-c", COMMUNITY, "-On", "-Cr25", "-t", "20", f"udp:127.0.0.1:{port}", root], env=b.env, capture_output=True)
    return time.perf_counter() - began, done.stdout.count(b"\n.1") + done.stdout.startswith(b".1")


def cpu_s(p):
    """Of all its threads; /proc/PID/stat counts in 10 ms, which is many walks of a small machine."""
    return sum(int(t.read_text().split()[0]) for t in pathlib.Path(f"/proc/{p.pid}/task").glob("*/schedstat")) / 1e9


def resident_kb(p):
    return next(int(line.split()[1]) for line in open(f"/proc/{p.pid}/status") if line.startswith("VmRSS"))


def counted(b, name):
    """Starts a program so that it is counted, in a file of that name."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={b.dir}/{name}.count", "-q"]


def instructions(b, name, p):
    """Ends it; how many it took."""
    p.terminate()
    p.wait(120)
    text = (b.dir / f"{name}.count").read_text()
    return int(text[text.index("\nsummary:") + 9:].split()[0])


def shape_of(b, port, drives):
    """Rows, columns, text columns and length of a text: what the floor is to have, so that it has as much to say."""
    n = measure(b, port, BASE)[1]
    texts = [v for _, v in b.walk(port) if v.startswith(("STRING", '"', "Hex"))]
    columns = max(1, round(n / max(drives, 1)))
    return drives, columns, round(columns * len(texts) / n), round(sum(len(v.split('"')[1]) if '"' in v else len(v) // 3 - 4 for v in texts) / len(texts))


def start_ours(b, port, drives, way, prefix=()):
    b.snapshot("--drives", drives, "--sensors", 2)
    if way == "standalone":
        return b.agent("--standalone", f"udp:127.0.0.1:{port}", prefix=prefix)
    b.snmpd(port)
    agent = b.agent("--agentx", "on", "--socket", b.dir / "agentx", prefix=prefix)
    until(lambda: b.own(port, "1.1.1.0"), 60, "connected")
    return agent


def start_floor(b, port, shape, way, prefix=()):
    where = f"udp:127.0.0.1:{port}"
    if way != "standalone":
        where = b.dir / "agentx"
        where.unlink(missing_ok=True)
        b.snmpd(port)
    floor = b.start(*prefix, b.build / "tests/snmp-floor", way, where, *shape, stdout=subprocess.PIPE)
    floor.stdout.readline()
    until(lambda: b.get(port, BASE) or measure(b, port, BASE + ".1.6.1.1")[1], 60, "the floor answers")
    return floor


def count(source, build, drives, way):
    """Instructions of a walk: those of a run with four walks less those of one with two."""
    per = {}
    for name in "ours", "floor":
        took, values, shape = [], 0, None
        for walks in 2, 4:
            with Bench(source, build) as b:
                port, other = free_port(), free_port()
                if name == "ours":
                    p = start_ours(b, port, drives, way, counted(b, name))
                else:
                    ours = start_ours(b, other, drives, way)
                    shape = shape or shape_of(b, other, drives)
                    ours.terminate()
                    ours.wait(60)
                    p = start_floor(b, port, shape, way, counted(b, name))
                for _ in range(walks):
                    values = measure(b, port, BASE)[1]
                took.append(instructions(b, name, p))
        per[name] = (took[1] - took[0]) / 2 / values
    print(f"{drives:5} drives {way:10}: {per['ours']:.0f} instructions per value, floor {per['floor']:.0f}, ratio {per['ours'] / per['floor']:.2f}", flush=True)


def compare(source, build, drives, way, rounds):
    with Bench(source, build) as b:
        ours, bare = free_port(), free_port()
        agent = start_ours(b, ours, drives, way)
        floor = start_floor(b, bare, shape_of(b, ours, drives), way)
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
    words = [a for a in sys.argv[3:] if a != "instructions"]
    for d in map(int, [a for a in words if a.isdigit()] or ("8", "1024")):
        for how in [a for a in words if not a.isdigit()] or ("standalone", "agentx"):
            if "instructions" in sys.argv:
                count(src, bld, d, how)
            else:
                compare(src, bld, d, how, 40 if d < 100 else 9)
