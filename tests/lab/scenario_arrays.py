"""md over the drives: membership seen; RAID-0 and RAID-1 held within 10 % by io.cost, with a file system's fsync too."""
import re
from daemon import *
from lab import Lab

JOULES_PER_MB = 1e6 * 1e-9 + 1e6 / 65536 * 1e-6


def totals(lab, seconds):
    out = lab.ok(f'{PROBE} discover "io LAB0000" "io LAB0001" "sleep {seconds}" "io LAB0000" "io LAB0001"')
    rows = [(int(r) + int(w), int(t)) for r, w, t in re.findall(r'^io (\d+) (\d+) .* at (\d+)', out, re.M)]
    return [(rows[i + 2][0] - rows[i][0]) / (rows[i + 2][1] - rows[i][1]) for i in range(2)]


def hold(lab, what, per_drive):
    for i in range(2):
        lab.ok(f'{PROBE} discover "write io_budget LAB000{i} 0.5 {2 * per_drive * JOULES_PER_MB}"')
    lab.ok('sleep 1')
    got = totals(lab, 4)
    print(f'{what}: {got[0]:.2f} and {got[1]:.2f} MB/s, wanted at most {per_drive} each')
    assert all(g < 1.1 * per_drive for g in got) and max(got) > 0.5 * per_drive, got
    for i in range(2):
        lab.ok(f'{PROBE} discover "restore io_budget LAB000{i} off"')
    lab.ok('echo 1 > /sys/fs/cgroup/work.slice/cgroup.kill; sleep 0.5')


def run():
    with Lab(drives=4, memory=512) as lab:
        live(lab, 4)
        io_controller(lab)
        lab.ok('modprobe raid0; modprobe raid1')
        disk = [lab.ok(f'basename $(dirname $(grep -l LAB000{i} /sys/class/nvme/*/serial))').strip() + 'n1' for i in range(4)]
        lab.ok(f'mdadm --create /dev/md0 --run --level=0 --raid-devices=2 --chunk=64 /dev/{disk[0]} /dev/{disk[1]} 2>&1')
        out = lab.ok(f'{PROBE} discover')
        assert len(re.findall(r'array=md0', out)) == 2, out
        for _ in range(4):
            reader(lab, 'md0', 'work.slice', size='256k')
        hold(lab, 'raid0, 4 readers', 10)
        lab.wait('mdadm --stop /dev/md0 2>&1')
        lab.ok('dd if=/dev/zero of=/dev/%s bs=1M count=4; dd if=/dev/zero of=/dev/%s bs=1M count=4' % (disk[0], disk[1]))
        lab.ok(f'mdadm --create /dev/md1 --run --assume-clean --level=1 --raid-devices=2 --metadata=1.2 /dev/{disk[0]} /dev/{disk[1]} 2>&1')
        assert len(re.findall(r'array=md1', lab.ok(f'{PROBE} discover'))) == 2
        lab.ok('mkdir -p /sys/fs/cgroup/work.slice; sh -c "echo \\$\\$ > /sys/fs/cgroup/work.slice/cgroup.procs; '
               'while :; do dd if=/dev/zero of=/dev/md1 bs=64k count=2000 oflag=direct; done" >/dev/null 2>&1 & sleep 0.5')
        hold(lab, 'raid1, writer', 10)
