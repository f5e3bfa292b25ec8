"""What polling costs: 10,000 polls with nothing added to the error log, and user-space CPU beside a bare loop of the same ioctl."""
import re
from daemon import *
from lab import Lab


def run():
    with Lab(drives=1) as lab:
        live(lab, 1)
        name = controller(lab, 'LAB0000')
        out = lab.ok(f'{PROBE} discover "identify LAB0000" "bare {name} 5000" "polls LAB0000 5000" "bare {name} 5000" "polls LAB0000 5000"')
        rows = re.findall(r'^(bare|polls) \d+ bad (\d+) user_us_each ([\d.]+) system_us_each ([\d.]+)', out, re.M)
        total = {kind: sum(float(u) for k, _, u, _ in rows if k == kind) / 2 for kind in ('bare', 'polls')}
        whole = {kind: sum(float(u) + float(s) for k, _, u, s in rows if k == kind) / 2 for kind in ('bare', 'polls')}
        print(out)
        print(f'user CPU of a poll {total["polls"]:.1f} us, bare {total["bare"]:.1f} us; with system {whole["polls"]:.1f} and {whole["bare"]:.1f} us')
        assert all(bad == '0' for _, bad, _, _ in rows), out
        assert whole['polls'] < 1.5 * whole['bare'], whole  # 1.1 on a quiet machine
        assert re.findall(r'error_log (\d+)', out) == ['0', '0'], out
