"""The energy budget through io.cost: refused without the controller, held within 10 %, moved, read back, released."""
import re
from daemon import *
from lab import Lab


def rate(lab, seconds=3):
    """MB/s of the reader."""
    return rates(lab, [0], seconds)[0]


def two_namespaces():
    """Settings that somebody made without enabling them are as they were afterwards, each namespace's own."""
    with Lab(drives=1, namespaces=3) as lab:
        lab.wait('[ $(ls /sys/block | grep -c ^nvme) = 3 ]')
        lab.ok('echo +io > /sys/fs/cgroup/cgroup.subtree_control')
        number = [lab.ok(f'cat /sys/block/nvme0n{k}/dev').strip() for k in (1, 2, 3)]
        prices = 'ctrl=user model=linear rbps=70000000{0} rseqiops=70001 rrandiops=70002 wbps=700000001 wseqiops=70003 wrandiops=70004'
        lab.ok('cd /sys/fs/cgroup; ' + ''.join(f'echo "{number[k]} {prices.format(k)}" >io.cost.model; ' for k in (0, 1))
               + f'echo "{number[1]} enable=0 ctrl=user rpct=91.00 rlat=6000 wpct=92.00 wlat=7000 min=40.00 max=140.00" >io.cost.qos')
        look = 'cd /sys/fs/cgroup; sort io.cost.qos io.cost.model | grep ctrl=user'
        before = lab.ok(look)
        out = lab.ok(f'{PROBE} discover "save io_budget LAB0000" "write io_budget LAB0000 0.5 4" "read io_budget LAB0000" '
                     '"restore io_budget LAB0000"')
        assert 'ratio=0.5000' in out and 'restore ok' in out, out
        assert lab.ok(look) == before, (before, lab.ok(look))
        print(f'three namespaces: {len(before.splitlines())} settings of somebody else given back, each to its own')


def run():
    two_namespaces()
    with Lab(drives=4) as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 4 ]')
        out = lab.ok(f'{PROBE} discover "usable io_budget LAB0000"')
        assert 'usable ENOLCK' in out and 'IOAccounting' in out, out
        lab.ok('echo +io > /sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/work.slice')
        out = lab.ok(f'{PROBE} discover "usable io_budget LAB0000" "save io_budget LAB0000"')
        assert 'usable yes' in out and 'saved off' in out, out
        disk = '/dev/' + lab.ok('basename $(dirname $(grep -l LAB0000 /sys/class/nvme/*/serial))').strip() + 'n1'
        lab.ok(f'sh -c "echo \\$\\$ > /sys/fs/cgroup/work.slice/cgroup.procs; '
               f'while :; do dd if={disk} of=/dev/null bs=64k iflag=direct; done" >/dev/null 2>&1 & sleep 1')
        free = rate(lab, 1)
        print(f'free: {free:.1f} MB/s')
        for ratio in (0.5, 0.1, 1):
            watts = 20 * JOULES_PER_MB  # full = 20 MB/s
            out = lab.ok(f'{PROBE} discover "write io_budget LAB0000 {ratio} {watts}" "read io_budget LAB0000"')
            assert f'ratio={ratio:.4f}' in out, out
            lab.ok('sleep 0.5')
            want = 20 * ratio
            if ratio < 1:
                got = reaches(lambda: rate(lab), 0.9 * min(want, free), 1.1 * want)
                print(f'ratio {ratio}: {got:.2f} MB/s, wanted {want:.2f}')
            else:
                print(f'no cap: {reaches(lambda: rate(lab), min(1.25 * want, 0.5 * free)):.1f} MB/s')
        out = lab.ok(f'{PROBE} discover "write io_budget LAB0000 0.01 {watts}" "read io_budget LAB0000"')
        assert 'ratio=0.0500' in out, out  # never below the floor
        out = lab.ok(f'{PROBE} discover "write io_budget LAB0000 0.1 {watts}" "read io_budget LAB0000" "sleep 1"; '
                     f'echo -io > /sys/fs/cgroup/cgroup.subtree_control; {PROBE} discover "read io_budget LAB0000" '
                     '"usable io_budget LAB0000"; echo +io > /sys/fs/cgroup/cgroup.subtree_control')
        assert re.findall(r'ratio=(\S+)', out) == ['0.1000', '1.0000'] and 'usable ENOLCK' in out, out
        out = lab.ok(f'{PROBE} discover "restore io_budget LAB0000 off"; cat /sys/fs/cgroup/io.cost.qos /sys/fs/cgroup/io.cost.model')
        assert 'enable=1' not in out and 'ctrl=user' not in out, out
        lab.ok('sleep 0.5')
        reaches(lambda: rate(lab, 1), min(10, 0.5 * free))  # five times what the cap let through
        lab.ok(f'echo "$(cat {disk.replace("/dev/", "/sys/block/")}/dev) enable=1 ctrl=user min=50 max=80" > /sys/fs/cgroup/io.cost.qos')
        out = lab.ok(f'{PROBE} discover "usable io_budget LAB0000"; {PROBE} discover "write io_budget LAB0000 0.5 1" || true')
        assert 'usable EBUSY' in out and 'write EBUSY' in out, out
