"""Multipath heads: io.cost refused, io.max holds the budget over two cgroups, and I/O is counted on the hidden path."""
import os, re
from lab import Lab

PROBE = os.environ['EL_BUILD'] + '/tests/lab_probe'
JOULES_PER_MB = 1e6 * 1e-9 + 1e6 / 65536 * 1e-6


def run():
    with Lab(drives=2, subsystem=True) as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 2 ]')
        disk = lab.ok('ls /sys/class/nvme/nvme0 | grep ^nvme.*n1').split()[0]
        assert 'c' in disk, disk
        head = re.sub(r'c\d+', '', disk)
        serial = lab.ok('cat /sys/class/nvme/nvme0/serial').strip()
        lab.ok('echo +io > /sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/a.slice /sys/fs/cgroup/b.slice')
        out = lab.ok(f'{PROBE} discover "usable io_budget {serial}" "usable io_max {serial}"')
        assert 'usable EOPNOTSUPP multipath' in out and 'usable yes' in out, out
        for group in ('a', 'b'):
            lab.ok(f'sh -c "echo \\$\\$ > /sys/fs/cgroup/{group}.slice/cgroup.procs; '
                   f'while :; do dd if=/dev/{head} of=/dev/null bs=64k iflag=direct; done" >/dev/null 2>&1 & sleep 0.5')
        watts = 20 * JOULES_PER_MB
        out = lab.ok(f'{PROBE} discover "write io_max {serial} 0.5 {watts}" "read io_max {serial}" "sleep 1" "io {serial}" "sleep 4" '
                     f'"io {serial}" "restore io_max {serial} off"; cat /sys/fs/cgroup/*.slice/io.max')
        (b0, t0), (b1, t1) = [(int(b), int(t)) for b, t in re.findall(r'^io (\d+) .* at (\d+)', out, re.M)]
        got = (b1 - b0) / (t1 - t0)
        print(f'io.max on a multipath head: {got:.2f} MB/s, wanted 10')
        # Reads alone use what reads got of the split; writes keep a start of a twentieth.
        assert 7.5 < got < 11 and 'ratio=0.5000' in out, out
        assert 'rbps=1' not in out and 'rbps=2' not in out, out  # given back
        lab.ok(f'echo "$(cat /sys/block/{head}/dev) rbps=1000000" > /sys/fs/cgroup/a.slice/io.max')
        assert 'usable EBUSY' in lab.ok(f'{PROBE} discover "usable io_max {serial}"')
