"""md over the drives: membership seen; RAID-0 and RAID-1 held within 10 % by io.cost, with a file system's fsync too."""
import re
from daemon import *
from lab import Lab


def hold(lab, what, per_drive):
    free = max(rates(lab, [0, 1], 2))
    for i in range(2):
        lab.ok(f'{PROBE} discover "write io_budget LAB000{i} 0.5 {2 * per_drive * JOULES_PER_MB}"')
    lab.ok('sleep 1')
    got = reaches(lambda: max(rates(lab, [0, 1], 4)), 0.5 * min(per_drive, free), 1.1 * per_drive)
    print(f'{what}: {got:.2f} MB/s on the busier drive, wanted at most {per_drive} each, free {free:.0f}')
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
