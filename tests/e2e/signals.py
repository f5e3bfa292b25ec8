"""SIGTERM and SIGINT at any moment, from before the first snapshot on: exit 0 within 2 s, nothing left behind; also of the daemon
alone, and when the launcher itself is killed."""
import glob
import os
import random
import signal
import subprocess
import tempfile
import time

from e2e import ELEMENTD, SANDBOX, SLOW, check, free_port, wait_for



def in_charge(pid):
    """It has come as far as its first line: before that the kernel and the loader are at work, and the signal is theirs."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        blocked = next(line for line in f if line.startswith("SigBlk"))
    return int(blocked.split()[1], 16) & 1 << (signal.SIGTERM - 1)


random.seed(7)
for i in range(14):
    base = tempfile.mkdtemp(prefix="el-e2e-")
    env = dict(os.environ, XDG_RUNTIME_DIR=base, TMPDIR=base)
    p = subprocess.Popen([ELEMENTD, "run", "--simulate", "element-aic", "--web.listen-address", f"127.0.0.1:{free_port()}", *SANDBOX], env=env,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    delay = random.choice([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2.5]) + random.random() * 0.05
    wait_for("its first line", lambda: in_charge(p.pid))
    time.sleep((delay - 0.02) * SLOW)
    start = time.monotonic()
    p.send_signal(signal.SIGINT if i % 2 else signal.SIGTERM)
    code = p.wait(timeout=20)
    took = time.monotonic() - start
    check(code == 0 and took < 2 * SLOW, f"after {delay:.3f} s: code {code}, took {took:.2f} s")
    check(not os.listdir(base), f"left behind: {os.listdir(base)}")
    os.rmdir(base)

with tempfile.TemporaryDirectory(prefix="el-e2e-") as base:
    args = [ELEMENTD, "govern", "--simulate", "element-aic", "--runtime-dir", f"{base}/run", "--state-dir", f"{base}/state", *SANDBOX]
    p = subprocess.Popen(args, stderr=subprocess.DEVNULL)
    wait_for("a snapshot", lambda: os.path.exists(f"{base}/run/snapshot"))
    second = subprocess.run(args, capture_output=True, text=True, check=False, timeout=20)
    check(second.returncode == 1 and "another elementd" in second.stderr, second.stderr)
    p.terminate()
    check(p.wait(timeout=10) == 0, "the daemon alone")
    check(not glob.glob(f"{base}/run/*"), "runtime directory is empty")

    p = subprocess.Popen([ELEMENTD, "run", "--simulate", "element-aic", "--web.listen-address", f"127.0.0.1:{free_port()}",
                          "--runtime-dir", f"{base}/run", "--state-dir", f"{base}/state", *SANDBOX], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("a snapshot", lambda: os.path.exists(f"{base}/run/snapshot"))
    time.sleep(1 * SLOW)
    children = subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True, check=False).stdout.split()
    check(len(children) == 2, f"children: {children}")
    p.kill()
    p.wait()
    wait_for("the children to follow their launcher", lambda: not os.path.exists(f"{base}/run/snapshot"), 5)
    wait_for("both of them", lambda: not any(os.path.exists(f"/proc/{c}") for c in children), 5)
