"""A drive that answers no more: it turns stale, then failed, within three periods; the others stay as fresh as they were and
scrapes as fast; its return is noticed within a period. The period is a second; the guest tells the times."""
import re
from daemon import *
from lab import Lab

VICTIM = '1'
SCRAPES = 100


def scrapes(lab):
    out = lab.ok(f"curl -s -o /dev/null -w '%{{time_total}}\\n' 'http://127.0.0.1:10460/metrics?[1-{SCRAPES}]'", timeout=300)
    times = sorted(float(t) * 1000 for t in out.split())
    return times[len(times) // 2], times[int(0.99 * len(times))]


def ages(lab, since, until):
    """Ages in ms of the other drives' readings in each snapshot between the two times, sorted."""
    return sorted(int(a) for i, a, at in watched(lab, r'^age (\d+) (\d+) at (\d+)$') if i != VICTIM and since < int(at) < until)


def state(lab, name, since):
    found = [int(at) for i, s, at in watched(lab, r'^slot (\d+) (\w+) at (\d+)$') if i == VICTIM and s == name and int(at) > since]
    return found[0] if found else None


def run():
    with Lab(drives=4, memory=512, cmdline='nvme_core.admin_timeout=600') as lab:
        live(lab, 4)
        # Past its timeout the kernel looks for the answer itself and finds it: the drive would be back too early.
        d = Daemon(lab, mode='observe', poll=', timeout_ms: 60000')
        d.until(lambda: sum(d.get('drive_up')) == 4, 60, 'four drives up')
        watch(lab)
        victim = controller(lab, f'LAB000{VICTIM}')
        address = lab.ok(f'cat /sys/class/nvme/{victim}/address').strip()
        well, _ = uptime_ms(lab)
        before = scrapes(lab)
        # MSI-X masked: the controller works, but nobody hears it
        msix = int(lab.ok(f'setpci -s {address} CAP_MSIX+2.w').strip(), 16)
        # the time is told in the same breath: another command into the guest takes longer than the daemon
        _, hung = uptime_ms(lab, f'setpci -s {address} CAP_MSIX+2.w={msix | 0x4000:04x}')
        d.until(lambda: state(lab, 'failed', hung), 120, 'the hung drive is not failed')
        stale, failed = state(lab, 'stale', hung), state(lab, 'failed', hung)
        print(f'hung drive: stale after {stale - hung:.0f} ms, failed after {failed - hung:.0f} ms')
        during = scrapes(lab)
        print(f'scrapes, p50 and p99: {before[0]:.1f} and {before[1]:.1f} ms before, {during[0]:.1f} and {during[1]:.1f} ms while it hangs')
        back, after = uptime_ms(lab, f'setpci -s {address} CAP_MSIX+2.w={msix:04x}')
        d.until(lambda: state(lab, 'up', back), 120, 'its return was not noticed')
        up = state(lab, 'up', back)
        print(f'back after {up - after:.0f} ms ({up - back:.0f} ms with the command that let it come back)')
        calm, others = ages(lab, well, hung), ages(lab, hung, back)
        print(f'readings of the others, p50 and oldest: {calm[len(calm) // 2]} and {calm[-1]} ms before, '
              f'{others[len(others) // 2]} and {others[-1]} ms while it hangs')
        assert hung < stale < failed, 'not stale first'
        # A poll starts within a period, then two go by, the second of which could not be asked; the tenth is the round's own work.
        late = late_ms(lab)
        print(f'ticks late by {late} ms at most')
        assert failed - hung < 3100 + 4 * late, (failed - hung, late)
        assert up - after < 1000 + late, (up - after, late)
        assert others[len(others) // 2] < 1000, others
        assert during[0] < 3 * before[0] + 20, (before, during)
        d.stop()
