"""A link trained down, and AER errors, injected into the real kernel's counters."""
import os, re
from lab import Lab

PROBE = os.environ['EL_BUILD'] + '/tests/lab_probe'
# struct of aer_inject: bus, device, function, cor/uncor masks; written to /dev/aer_inject
INJECT = r'''
import struct, sys
domain, bus, dev, fn = 0, int(sys.argv[1], 16), int(sys.argv[2], 16), int(sys.argv[3], 16)
cor = int(sys.argv[4], 0)
open('/dev/aer_inject', 'wb', buffering=0).write(struct.pack('=BBBxIIIIIIH', bus, dev, fn, 0, cor, 0, 0, 0, 0, domain) + b'\0\0')
'''


def link(lab, address):
    out = lab.ok(f'{PROBE} discover links')
    return re.search(rf'^link \S+ {address} .*$', out, re.M).group(0)


def run():
    with Lab(drives=2, native=True) as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 2 ]')
        drive = '0000:04:00.0'
        assert 'DEGRADED' not in link(lab, drive)
        sysfs = f'/sys/bus/pci/devices/{drive}'
        lab.ok(f'printf "8.0 GT/s PCIe\\n" > /run/speed; echo 2 > /run/width; printf "16.0 GT/s PCIe\\n" > /run/max; echo 4 > /run/lanes; '
               f'mount --bind /run/speed {sysfs}/current_link_speed; mount --bind /run/width {sysfs}/current_link_width; '
               f'mount --bind /run/max {sysfs}/max_link_speed; mount --bind /run/lanes {sysfs}/max_link_width')
        assert 'DEGRADED' not in link(lab, drive)  # QEMU's port tells no maximum: perhaps it can do no more
        above = lab.ok(f'dirname $(readlink -f {sysfs})').strip()
        lab.ok(f'cp /run/max /run/port_max; cp /run/lanes /run/port_lanes; mount --bind /run/port_max {above}/max_link_speed; '
               f'mount --bind /run/port_lanes {above}/max_link_width')
        row = link(lab, drive)
        assert '8000x2 max 16000x4 up DEGRADED' in row, row
        lab.ok('echo 255 > /run/lanes')
        assert 'DEGRADED' not in link(lab, drive)
        lab.ok(f'for f in current_link_speed current_link_width max_link_speed max_link_width; do umount {sysfs}/$f; done')
        assert '2500x1' in link(lab, drive)

        port = '0000:00:10.0'
        open(lab.share + '/inject.py', 'w').write(INJECT)
        status, out = lab.sh('modprobe aer_inject && ls /dev/aer_inject && python3 /host/inject.py 0 10 0 0x1; '
                             'python3 /host/inject.py 0 10 0 0x40')
        assert status == 0, out
        lab.wait(f'grep -q "TOTAL_ERR_COR 2" /sys/bus/pci/devices/{port}/aer_dev_correctable')
        assert 'correctable=2' in link(lab, port), link(lab, port)
