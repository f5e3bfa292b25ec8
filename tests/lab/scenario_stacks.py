"""What stands between a program and a drive: schedulers bfq and kyber, dm-crypt, RAID-5, RAID-6. Does io.cost hold a drive at its budget?
What is printed here is what the manual says."""
import re
from daemon import *
from lab import Lab

WANT = 10  # MB/s per drive


def hold(lab, drives):
    """MB/s of each of these drives with the budget in force."""
    for i in drives:
        lab.ok(f'{PROBE} discover "write io_budget LAB000{i} 0.5 {2 * WANT * JOULES_PER_MB}"')
    lab.ok('sleep 1')
    got = rates(lab, drives, 4)
    for i in drives:
        lab.ok(f'{PROBE} discover "restore io_budget LAB000{i} off"')
    lab.ok('echo 1 > /sys/fs/cgroup/work.slice/cgroup.kill; sleep 0.5')
    return got


def report(what, got, must):
    held = all(g < 1.1 * WANT for g in got)
    print(f'{what}: {", ".join(f"{g:.1f}" for g in got)} MB/s per drive, budget {WANT}: {"holds" if held else "DOES NOT HOLD"}')
    assert held or not must, what


def writer(lab, device):
    lab.ok('mkdir -p /sys/fs/cgroup/work.slice; sh -c "echo \\$\\$ > /sys/fs/cgroup/work.slice/cgroup.procs; '
           f'while :; do dd if=/dev/zero of={device} bs=64k count=1000 oflag=direct; done" >/dev/null 2>&1 & sleep 0.5')


def run():
    with Lab(drives=4, memory=512) as lab:
        live(lab, 4)
        io_controller(lab)
        disk = [controller(lab, f'LAB000{i}') + 'n1' for i in range(4)]
        for scheduler, module in (('none', None), ('mq-deadline', None), ('kyber', 'kyber-iosched'), ('bfq', 'bfq')):
            lab.ok((f'modprobe {module}; ' if module else '') + f'echo {scheduler} > /sys/block/{disk[0]}/queue/scheduler')
            reader(lab, disk[0], 'work.slice')
            report(f'scheduler {scheduler}', hold(lab, (0,)), must=scheduler in ('none', 'mq-deadline'))
        lab.ok(f'echo none > /sys/block/{disk[0]}/queue/scheduler')

        size = lab.ok(f'cat /sys/block/{disk[0]}/size').strip()
        status, out = lab.sh(f'modprobe dm-crypt; modprobe xts; dmsetup create crypt --table "0 {size} crypt aes-xts-plain64 {"00" * 32} 0 '
                             f'/dev/{disk[0]} 0" 2>&1; dmsetup mknodes; ls /dev/mapper/crypt')
        if status == 0:
            reader(lab, 'mapper/crypt', 'work.slice')
            report('dm-crypt, reader', hold(lab, (0,)), must=False)
            writer(lab, '/dev/mapper/crypt')
            report('dm-crypt, writer', hold(lab, (0,)), must=False)
            lab.ok('dmsetup remove --retry crypt')
        else:
            print(f'dm-crypt: not tried ({out.strip()[-200:]})')

        # Writers go through the array's own kernel thread.
        for level, members in ((5, (1, 2, 3)), (6, (0, 1, 2, 3))):
            status, out = lab.sh(f'modprobe raid456 && mdadm --create /dev/md{level} --run --assume-clean --level={level} --chunk=64 '
                                 f'--raid-devices={len(members)} ' + ' '.join(f'/dev/{disk[i]}' for i in members) + ' 2>&1')
            if status:
                print(f'RAID-{level}: not tried ({out.strip()[-200:]})')
                continue
            told = lab.sh(f'{ELEMENTD} doctor')[1]
            assert told.count(f'md{level} (raid{level}): writes through it are not capped') == len(members), told
            for _ in range(3):
                writer(lab, f'/dev/md{level}')
            lab.ok('sleep 1')
            report(f'RAID-{level}, writers', hold(lab, members), must=False)
            lab.ok(f'mdadm --stop /dev/md{level}; for d in {" ".join(disk[i] for i in members)}; do mdadm --zero-superblock /dev/$d; done')
