"""Every recorded machine of the fixtures, the hostile ones too, through `scan` and through a few rounds of the daemon: an answer,
no crash, the same slots in both."""
import glob
import json
import os
import subprocess
import tempfile
import time

from e2e import ELEMENTD, SANDBOX, SLOW, check, command, unpack, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = sorted(glob.glob(os.path.join(HERE, "../fixtures/machines/*.txt")))


def announce(root, port, watts):
    """Configuration space of a downstream port whose slot may draw so much: type 6, a slot, capabilities at 40h."""
    config = bytearray(256)
    config[6], config[0x34], config[0x40] = 0x10, 0x40, 0x10
    config[0x42:0x44] = (0x162).to_bytes(2, "little")
    config[0x54:0x58] = (watts << 7).to_bytes(4, "little")
    for folder, _, _ in os.walk(f"{root}/sys/devices"):
        if os.path.basename(folder) == port:
            with open(folder + "/config", "wb") as f:
                f.write(config)


check(len(MACHINES) > 10, f"{len(MACHINES)} machines")
for machine in MACHINES:
    name = os.path.basename(machine)
    with tempfile.TemporaryDirectory(prefix="el-e2e-") as base:
        root = os.path.join(base, "root")
        os.makedirs(root)
        unpack(machine, root)
        scan = command("scan", "--root", root, "--json", timeout=30)
        check(scan.returncode == 0, f"{name}: {scan.returncode} {scan.stderr}")
        slots = sum(len(c["slots"]) for c in json.loads(scan.stdout)["cards"])
        if name == "lone-and-unbound.txt":  # what has no controller is not asked, and keeps the reason why
            states = [(s["state"], s.get("reason")) for c in json.loads(scan.stdout)["cards"] for s in c["slots"]][1:]
            check(states == [("unbound", "bound to vfio-pci, not to nvme"), ("unbound", "bound to no driver, not to nvme"),
                             ("failed", "the nvme driver could not start it")], states)
        if name == "card-of-four.txt":
            announce(root, "0000:02:01.0", 25)
        tree = command("scan", "--root", root, timeout=30)
        check(tree.returncode == 0, f"{name}: the tree")
        check(("slot power limit 25 W" in tree.stdout) == (name == "card-of-four.txt"), f"{name}: {tree.stdout}")
        config = os.path.join(base, "elementd.yaml")
        with open(config, "w", encoding="utf-8") as f:
            f.write("poll: {tick_ms: 100, hot_ms: 100, normal_ms: 100, idle_ms: 100}\n")
        p = subprocess.Popen([ELEMENTD, "govern", *SANDBOX, "--root", root, "--config", config, "--runtime-dir", f"{base}/run",
                              "--state-dir", f"{base}/state"], stderr=subprocess.PIPE, text=True)
        wait_for(f"{name}: a snapshot", lambda: os.path.exists(f"{base}/run/snapshot"))
        time.sleep(0.4 * SLOW)
        status = command("status", "--json", "--runtime-dir", f"{base}/run")
        p.terminate()
        log = p.communicate(timeout=20)[1]
        check(p.returncode == 0, f"{name}: {p.returncode} {log}")
        seen = json.loads(status.stdout)
        check(sum(len(c.get("slots", [])) for c in seen["cards"]) == slots, f"{name}: {slots} slots in scan, others in status")
        print(f"{name}: {len(seen['cards'])} cards, {slots} slots")

with tempfile.TemporaryDirectory(prefix="el-e2e-") as base:  # half of a machine is not taken for one
    check(command("capture", f"{base}/machine").returncode in (0, 1), "a capture of whatever machine this is")
    check(command("scan", "--root", f"{base}/machine").returncode == 0, "it can be replayed")
    with open(f"{base}/machine/unfinished", "w", encoding="utf-8"):
        pass
    half = command("scan", "--root", f"{base}/machine")
    check(half.returncode == 1 and "did not come to an end" in half.stderr, half.stderr)
