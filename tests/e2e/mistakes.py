"""Mistakes on the command line are said once, at once, by the command that was called, with code 2; nothing is started and nothing
stays. Two daemons do not share a runtime directory."""
import glob
import os
import subprocess
import tempfile

from e2e import ELEMENTD, EXPORTER, SANDBOX, Run, check, command, free_port

WEB = ("--web.listen-address", f"127.0.0.1:{free_port()}", *SANDBOX)


def private_dirs(base):
    return glob.glob(os.path.join(base, "elementd-run-*"))


for args, expected in (
        (("run", "--simulate", "lqd4500", "--cards", "1.5"), "--cards: got \"1.5\", expected a whole number from 1 to 256"),
        (("run", "--simulate", "lqd4500", "--cards", "0"), "expected a whole number from 1 to 256"),
        (("run", "--simulate", "lqd4500", "--mode", "x"), "elementd run: --mode: got \"x\", expected observe, advise or enforce"),
        (("run", "--simulate", "lqd4500", "--log-level", "x"), "elementd run: --log-level"),
        (("run", "--simulate", "lqd4500", "--log-format", "x"), "elementd run: --log-format"),
        (("govern", "--simulate", "lqd4500", "--log-format", "x"), "elementd govern: --log-format"),
        (("run", "--inlet", "30"), "need --simulate CARD"),
        (("scan", "--airflow", "200"), "need --simulate CARD"),
        (("simulate", "--bogus"), "elementd simulate: unrecognized option '--bogus'"),
        (("simulate", "--card", "lqd4500", "--workload", "x"), "no workload \"x\": expected idle"),
        (("simulate", "--card", "lqd4500", "--profiles", "/nonexistent"), "/nonexistent"),
        (("pause", "-5m"), "elementd pause:"),
        (("scan", "--seed", "3"), "need --simulate CARD"),
        (("status", "--runtime-dir", ""), "elementd status: --runtime-dir: got nothing, expected a value"),
        (("envelope", "--card", "lqd4500", "--governor", "none"), "unrecognized option '--governor'"),
):
    r = command(*args, *(WEB if args[0] == "run" else ()), timeout=10)
    check(r.returncode == 2 and expected in r.stderr, f"{args}: code {r.returncode}, {r.stderr}")
    check("page" not in r.stdout, f"{args}: nothing is announced: {r.stdout}")

for args in (("--help",), ("--version",), ("scan", "--help"), ("scan", "--simulate", "lqd4500"), ("check", "--example"), ("metrics",), ("mib",),
             ("simulate", "--card", "lqd4500", "--hours", "0.01"), ("simulate", "--card", "lqd4500", "--hours", "0.01", "--json")):
    with open("/dev/full", "w", encoding="utf-8") as full:
        r = subprocess.run([ELEMENTD, *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    check(r.returncode == 1 and "cannot write the answer: No space left on device" in r.stderr, f"full disk: {args}: {r}")

for args in (("--help",), ("--version",), ("--config.check", *SANDBOX)):
    with open("/dev/full", "w", encoding="utf-8") as full:
        r = subprocess.run([EXPORTER, *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    check(r.returncode == 1 and "elementd-exporter: cannot write the answer: No space left on device" in r.stderr, f"full disk: {args}: {r}")

# What cannot be said at the start keeps nobody from the work; the reason is told at the end.
with open("/dev/full", "w", encoding="utf-8") as full:
    process = subprocess.Popen([ELEMENTD, "run", "--simulate", "lqd4500", *WEB], stdout=full, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if "serving on" in line:
            break
    process.terminate()
    said = process.stderr.read()
    check(process.wait(60) == 1 and said.endswith("elementd: cannot write the answer: No space left on device\n"), f"full disk: run: {said}")

# Nobody reads any more: the exporter still says what is wrong with its flags, and is not started again and again.
reader, writer = os.pipe()
os.close(reader)
r = subprocess.run([ELEMENTD, "run", "--simulate", "lqd4500", "--web.bogus", "1", *SANDBOX], stdout=subprocess.DEVNULL, stderr=writer, timeout=30, check=False)
os.close(writer)
check(r.returncode == 2, f"a closed pipe: {r}")
r = command("run", "--simulate", "lqd4500", "--web.telemetry-path", "metrics", *SANDBOX, timeout=30)
check(r.returncode == 2 and "--web.telemetry-path: got \"metrics\", expected a path that starts with /" in r.stderr, f"{r}")

still = command("simulate", "--card", "lqd4500", "--airflow", "0", "--hours", "0.05", "--governor", "none", "--json")
check(still.returncode == 0 and '"hottest_celsius": null' not in still.stdout, still.stdout)

with tempfile.TemporaryDirectory() as base:
    r = command("run", "--simulate", "lqd4500", "--runtime-dir", "/proc/x", *WEB, timeout=10, env=dict(os.environ, XDG_RUNTIME_DIR=base))
    check(r.returncode == 1 and "/proc/x: " in r.stderr and not private_dirs(base), f"{r.stderr}{private_dirs(base)}")

for args, said in (
        (("--root", "/nonexistent"), "elementd: /nonexistent: No such file or directory"),
        (("--simulate", "nope"), "no card profile \"nope\""),
        (("--simulate", "element-aic", "--scenario", "/nonexistent"), "elementd: /nonexistent: No such file or directory"),
        (("--simulate", "element-aic", "--workload", "nope"), "no workload \"nope\"")):
    r = command("run", *args, *WEB, timeout=30)
    check(r.returncode == 1 and said in r.stderr, f"{args}: {r}")
    check("elementd-exporter" not in r.stderr and not r.stdout, f"{args}: nothing is started: {r}")

with Run("--simulate", "element-aic") as run, tempfile.TemporaryDirectory() as state:
    second = subprocess.run([ELEMENTD, "govern", "--simulate", "element-aic", "--runtime-dir", run.runtime, "--state-dir", state],
                            capture_output=True, text=True, timeout=20, check=False)
    check(second.returncode == 1 and "another elementd is at work with this runtime directory" in second.stderr, second.stderr)
    check(os.path.exists(os.path.join(run.runtime, "snapshot")), "the first one's snapshot stays")
    with open(f"/proc/{run.child('govern')}/comm", encoding="utf-8") as f:
        check(f.read().strip() == "elementd", "the daemon has its own name in a list of processes")
