"""Multipath heads: io.cost refused, io.max holds the budget over two cgroups, and I/O is counted on the hidden path."""
import os, re
from daemon import *
from lab import Lab

WANT = 10  # MB/s


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
        which = int(serial[-1])
        free = rates(lab, [which], 2)[0]
        out = lab.ok(f'{PROBE} discover "write io_max {serial} 0.5 {2 * WANT * JOULES_PER_MB}" "read io_max {serial}"; cat /sys/fs/cgroup/[ab].slice/io.max')
        # Reads alone use what reads got of the split; writes keep a start of a twentieth.
        allowed = sum(map(int, re.findall(r'rbps=(\d+)', out))) / 1e6
        assert 'ratio=0.5000' in out and 0.75 * WANT < allowed <= WANT, out
        lab.ok('sleep 1')
        got = reaches(lambda: rates(lab, [which], 4)[0], 0.75 * min(WANT, free), 1.1 * WANT)
        print(f'io.max on a multipath head: {got:.2f} MB/s, allowed {allowed:.2f}, wanted {WANT}, free {free:.0f}')
        out = lab.ok(f'{PROBE} discover "restore io_max {serial} off"; cat /sys/fs/cgroup/[ab].slice/io.max')
        assert 'bps=' not in re.sub(r'bps=max', '', out), out  # given back
        lab.ok(f'echo "$(cat /sys/block/{head}/dev) rbps=1000000" > /sys/fs/cgroup/a.slice/io.max')
        assert 'usable EBUSY' in lab.ok(f'{PROBE} discover "usable io_max {serial}"')
