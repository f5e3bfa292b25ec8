"""What polling costs: 10,000 polls with nothing added to the error log, and CPU beside a bare loop of the same ioctl, in a guest that
counts one instruction a nanosecond."""
import re
from daemon import *
from lab import Lab


def run():
    with Lab(drives=1, counted=True, boot_timeout=300) as lab:
        live(lab, 1)
        name = controller(lab, 'LAB0000')
        out = lab.ok(f'{PROBE} discover "identify LAB0000" "cost LAB0000 {name} 400" "polls LAB0000 10000"', timeout=900)
        bare, poll = (float(us) for us in re.search(r'bare ([\d.]+) us poll ([\d.]+)', out).groups())
        print('\n'.join(line for line in out.splitlines() if line.startswith(('cost', 'polls'))))
        print(f'a poll takes {poll / bare:.3f} times the bare ioctl')
        assert out.count('bad 0 error_log 0') == 2, out
        assert poll < 1.1 * bare, (bare, poll)
