"""A drive is pulled, another comes into the slot: told at once, under the same slot, even with the old device held open."""
import os, re
from lab import Lab

PROBE = os.environ['EL_BUILD'] + '/tests/lab_probe'


def run():
    with Lab(drives=4) as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 4 ]')
        lab.ok(f'({PROBE} discover "smart LAB0002" "changed 300" "until 2 empty 300" discover "smart LAB0002" "changed 300" '
               '"until 2 up 300" discover "smart LAB0002" "smart NEW02" "smart LAB0001" > /host/out 2>&1; echo done >> /host/out) &')
        lab.wait('grep -q kelvin /host/out')
        lab.unplug(2)
        lab.wait('[ $(grep -c changed /host/out) -ge 1 ]')
        lab.wait('! grep -q LAB0002 /sys/class/nvme/*/serial')
        lab.wait('[ $(grep -c "^slot" /host/out) = 8 ]')
        lab.plug(2, 'NEW02')
        lab.wait('grep -q done /host/out', timeout=300)
        out = open(lab.share + '/out').read()
        seen = re.findall(r'^slot 0\.2 (\S+) (\S+) \S* ?(\S+) label', out, re.M)
        assert [s[0] for s in seen] == ['up', 'empty', 'up'], out
        assert seen[0][2] == 'LAB0002' and seen[2][2] == 'NEW02', out
        smart = re.findall(r'^smart (\S+)', out, re.M)
        assert smart == ['kelvin=323', 'ENODEV', 'ENODEV', 'kelvin=323', 'kelvin=323'], out
