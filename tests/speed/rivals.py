"""Rivals that collect by running programs, and eight drives for them to ask.

The drives are device nodes in a mount namespace of their own; admin commands to them are answered at once, from files, by the library
that the laboratory preloads (tests/lab/mock). No namespace of theirs is there, so the script's `nvme list` is answered from a file:
it costs the script less than it would. Needs the right to make nodes and mount namespaces."""
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess

DRIVES = 8
EACH = f"for d in /dev/nvme{{0..{DRIVES - 1}}}; do %s; done"
SMART = "--info --health --attributes --tolerance=verypermissive --nocheck=standby --format=brief"
COLLECTOR = "/usr/share/prometheus-node-exporter-collectors/nvme_metrics.sh"
# name, what must be installed, one collection of all drives, what shows that it read one
RIVALS = (
    ("node-exporter-collectors' script", ("nvme", "jq", COLLECTOR), f"bash {COLLECTOR}", r'nvme_temperature_celsius\{device="nvme7"\} 47'),
    ("smartctl_exporter's smartctl", ("smartctl",), EACH % f"smartctl --json {SMART} --log=error --device=nvme $d", r'"current": 47'),
    ("nvme-cli in a loop", ("nvme",), EACH % "nvme smart-log -o json $d", r'"temperature":320'),
    ("Telegraf's programs", ("smartctl", "nvme"),
     "smartctl --scan; " + EACH % f"smartctl {SMART} $d; nvme id-ctrl $d", r"47 Celsius"),
)


class Machine:
    def __init__(self, directory, build):
        self.dir, self.preload = pathlib.Path(directory), build / "tests/liblab_answer.so"
        for d in ("dev", "bin"):
            (self.dir / d).mkdir(parents=True)
        for name in ("null", *(f"nvme{i}" for i in range(DRIVES))):
            os.mknod(self.dir / "dev" / name, 0o20666, os.makedev(1, 3))
        for i in range(DRIVES):
            answers = self.dir / f"answers/nvme{i}"
            answers.mkdir(parents=True)
            page = bytearray(4096)
            page[4:72] = f"{f'RIVAL{i}':20}{'Drive that answers at once':40}{'1.0':8}".encode()
            page[516] = 1  # namespaces
            (answers / "identify.bin").write_bytes(page)
            (answers / "identify-ns.bin").write_bytes(struct.pack("<QQQ", *3 * (1 << 31,)).ljust(130, b"\0") + struct.pack("<I", 9 << 16).ljust(3966, b"\0"))
            (answers / "smart.bin").write_bytes(struct.pack("<BHBB", 0, 320, 100, 10).ljust(512, b"\0"))
            (answers / "log-01.bin").write_bytes(bytes(64 * 64))
        listed = ",".join(f'{{"DevicePath":"/dev/nvme{i}"}}' for i in range(DRIVES))
        wrapper = self.dir / "bin/nvme"
        wrapper.write_text(f"""#!/bin/bash\n[ "$1" != list ] || {{ echo '{{"Devices":[{listed}]}}'; exit; }}\nexec {tool("nvme")} "$@"\n""")
        wrapper.chmod(0o755)

    def run(self, command, rounds, say=False):
        """CPU in us of `rounds` collections and of what starts them; what they said."""
        inside = 'mount --bind "$0/dev" /dev && export LD_PRELOAD="$1" EL_MOCK="$0/answers" && for ((i = 0; i < $3; i++)); do eval "$2"; done'
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        env = dict(os.environ, PATH=f"{self.dir}/bin:{path}" if COLLECTOR in command else path)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "bash", "-c", inside, self.dir, self.preload, command, str(rounds)], env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if say else subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e6, done.stdout


def tool(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def collections(directory, build, rounds):
    """Name, CPU in us of one collection of eight drives and admin commands to each, of the rivals that are installed and were seen to read the last one."""
    machine = Machine(directory, build)
    commands = machine.dir / f"answers/nvme{DRIVES - 1}/commands"
    for name, needs, command, sign in RIVALS:
        commands.unlink(missing_ok=True)
        if all(map(tool, needs)) and re.search(sign, machine.run(command, 1, say=True)[1]):
            asked = len(commands.read_text().splitlines())
            yield name, (machine.run(command, rounds)[0] - machine.run(":", 1)[0]) / rounds, asked
        else:
            print(f"{name}: not measured: not installed, or no right to make drives for it")
