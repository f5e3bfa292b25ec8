"""A drive that answers no more: it turns stale, then failed; the others stay fresh all the time; its return is noticed."""
from daemon import *
from lab import Lab


def run():
    with Lab(drives=4, memory=512, cmdline='nvme_core.admin_timeout=60', devices=()) as lab:
        live(lab, 4)
        d = Daemon(lab, mode='observe', settings='')
        d.until(lambda: sum(d.get('drive_up')) == 4, 60, 'four drives up')
        victim = controller(lab, 'LAB0001')
        address = lab.ok(f'cat /sys/class/nvme/{victim}/address').strip()
        # MSI-X masked: the controller works, but nobody hears it
        msix = lab.ok(f'setpci -s {address} CAP_MSIX+2.w').strip()
        lab.ok(f'setpci -s {address} CAP_MSIX+2.w={int(msix, 16) | 0x4000:04x}')
        took = d.until(lambda: d.get('drive_up', slot='1') == [0], 40, 'the hung drive still counts as up')
        print(f'hung drive down after {took:.1f} s')
        ages = []
        for _ in range(10):
            last = min(v for s in '023' for v in d.get('drive_last_success_timestamp_seconds', slot=s))
            ages.append(float(lab.ok('date +%s.%N')) - last)
        ages.sort()
        print(f'oldest reading of the others: {ages[5]:.1f} s, at most {ages[-1]:.1f} s (period 1 s, and the time that asking takes)')
        assert ages[5] < 4 and ages[-1] < 10, ages
        lab.ok(f'setpci -s {address} CAP_MSIX+2.w={msix}')
        took = d.until(lambda: d.get('drive_up', slot='1') == [1], 90, 'its return was not noticed')
        print(f'back after {took:.1f} s')
        d.stop()
