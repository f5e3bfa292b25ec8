"""SR-IOV: a virtual function that the host uses is the drive it is a function of: one slot, its I/O counted, one cap for both."""
import json, os, shutil, sys
from lab import Lab

ELEMENTD, PROBE = os.environ['EL_BUILD'] + '/elementd', os.environ['EL_BUILD'] + '/tests/lab_probe'
OPTIONS = ',sriov_max_vfs=2,sriov_vq_flexible=4,sriov_vi_flexible=2'


def cards(lab):
    return [[(s['state'], s.get('controller'), [n['block'] for n in s['namespaces']]) for s in c['slots']]
            for c in json.loads(lab.ok(f'{ELEMENTD} scan --json'))['cards']]


def run():
    if not shutil.which('nvme'):
        print('skipped: not installed: nvme-cli')
        sys.exit(77)
    with Lab(drives=2, subsystem=True, drive_options=OPTIONS, cmdline='nvme_core.multipath=N') as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 2 ]')
        name = lab.ok("grep -l LAB0000 /sys/class/nvme/nvme*/serial | cut -d/ -f5").strip()
        device = lab.ok(f'readlink -f /sys/class/nvme/{name}/device').strip()
        before = cards(lab)
        assert len(before) == 1 and [s[0] for s in before[0]] == ['up', 'up'], before
        lab.ok(f'echo 0 >{device}/sriov_drivers_autoprobe; echo 2 >{device}/sriov_numvfs')
        assert cards(lab) == before, cards(lab)  # idle functions are no drives
        for action in ('-c 1 -r 0 -a 8 -n 2', '-c 1 -r 1 -a 8 -n 1', '-c 1 -r 0 -a 9 -n 0'):  # queues, an interrupt, online
            lab.ok(f'nvme virt-mgmt /dev/{name} {action}')
        function = lab.ok(f'basename $(readlink {device}/virtfn0)').strip()
        lab.ok(f'echo nvme >{device}/virtfn0/driver_override; echo {function} >/sys/bus/pci/drivers/nvme/bind')
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 3 ]', timeout=120)
        lab.wait(f'ls -d {device}/virtfn0/nvme/nvme*/nvme*n1')
        disk = lab.ok(f'basename {device}/virtfn0/nvme/nvme*/nvme*n1').strip()
        assert cards(lab) == before, cards(lab)  # the one namespace that both functions show
        bytes_before = int(lab.ok(f'{PROBE} discover "io LAB0000" | grep ^io').split()[1])
        lab.ok(f'dd if=/dev/{disk} of=/dev/null bs=64k count=64 iflag=direct')
        read = int(lab.ok(f'{PROBE} discover "io LAB0000" | grep ^io').split()[1]) - bytes_before
        print(f'{read} bytes read through {function} count for its drive')
        assert 64 * 65536 <= read < 80 * 65536, read
        lab.ok('echo +io >/sys/fs/cgroup/cgroup.subtree_control')
        lab.ok(f'{PROBE} discover "write io_budget LAB0000 0.5 0.01"')
        held = lab.ok('grep -c enable=1 /sys/fs/cgroup/io.cost.qos').strip()
        assert held == '2', held  # the disks of both functions
        lab.ok(f'{PROBE} discover "restore io_budget LAB0000 off"')
        lab.ok(f'echo {function} >/sys/bus/pci/drivers/nvme/unbind; echo 0 >{device}/sriov_numvfs')
        assert cards(lab) == before, cards(lab)
