"""Cards of 4, 8 and 2 x 8 drives: every slot in its place, SMART answered through the kernel, links told."""
import os, re
from lab import Lab

PROBE = os.environ['EL_BUILD'] + '/tests/lab_probe'


def check(cards, drives):
    with Lab(drives=drives, cards=cards, memory=512, native=True) as lab:
        n = cards * drives
        lab.wait(f'[ $(cat /sys/class/nvme/*/state | grep -c live) = {n} ]')
        smart = ' '.join(f'"smart LAB{i:04d}"' for i in range(n))
        out = lab.ok(f'{PROBE} discover links {smart}')
        slots = re.findall(r'^slot (\d+)\.(\d+) up nvme\d+ \S+ (LAB\d+) label=(\S+)', out, re.M)
        assert len(slots) == n, out
        for card, slot, serial, label in slots:
            assert serial == f'LAB{int(card) * drives + int(slot):04d}', out
            assert int(label) == int(card) * 16 + 2 + int(slot), out
        assert len(re.findall(r'^smart kelvin=323 warning=0', out, re.M)) == n, out
        roles = re.findall(r'^link (\S+) ', out, re.M)
        assert [roles.count(r) for r in ('root_port', 'switch_upstream', 'switch_downstream', 'drive')] == [cards, cards, n, n], out
        assert 'DEGRADED' not in out, out


def run():
    for cards, drives in ((1, 4), (1, 8), (2, 8)):
        check(cards, drives)
