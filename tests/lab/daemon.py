"""elementd and its exporter in the guest."""
import os, re, time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ['EL_BUILD']
ELEMENTD = BUILD + '/elementd'
PROBE = BUILD + '/tests/lab_probe'
RUNTIME, STATE = '/run/elementd', '/run/state'
JOULES_PER_MB = 1e6 * 1e-9 + 1e6 / 65536 * 1e-6  # of 64 KiB reads and writes at the probe's prices: 1 W buys 985 MB/s


class Daemon:
    """`elementd govern` and `elementd-exporter`; settings is YAML text."""

    def __init__(self, lab, mode='enforce', settings='', poll='', exporter=True, environment='', tick_ms=1000, poll_ms=1000):
        self.lab, self.mode, self.environment = lab, mode, environment
        self.poll = f'tick_ms: {tick_ms}, hot_ms: {poll_ms}, normal_ms: {poll_ms}, idle_ms: {poll_ms}{poll}'
        self.configure(settings)
        lab.ok(f'mkdir -p {RUNTIME}')
        self.start()
        if exporter:
            lab.ok(f'({BUILD}/elementd-exporter --snapshot {RUNTIME}/snapshot --state-dir /run/exporter --sandbox off --user root '
                   '--snmp.agentx off --collect default,polling --web.listen-address 127.0.0.1:10460 >/host/exporter.log 2>&1 &)')
            lab.wait('curl -sf http://127.0.0.1:10460/metrics >/dev/null', timeout=60)

    def configure(self, settings):
        with open(self.lab.share + '/elementd.yaml', 'w') as f:
            f.write(f'profiles_dir: {HERE}/profiles\npoll: {{{self.poll}}}\n' + settings)
        self.lab.ok(f'{ELEMENTD} check /host/elementd.yaml')

    def start(self):
        self.lab.ok(f'({self.environment} {ELEMENTD} govern --mode {self.mode} --config /host/elementd.yaml --runtime-dir {RUNTIME} --state-dir {STATE} '
                    '>>/host/elementd.log 2>&1; echo "exit $?" >>/host/elementd.log) &')
        self.lab.wait(f'[ -e {RUNTIME}/snapshot ]', timeout=60)

    def stop(self, signal='TERM'):
        self.lab.ok(f'pkill -{signal} -x elementd; n=0; while pidof elementd >/dev/null; do n=$((n+1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done')

    def log(self):
        return open(self.lab.share + '/elementd.log').read()

    def metrics(self):
        """{(name, frozenset of labels): value}"""
        text = self.lab.ok('curl -sf http://127.0.0.1:10460/metrics')
        found = {}
        for line in text.splitlines():
            match = re.match(r'([a-z_]+)(?:\{(.*)\})? (\S+)', line)
            if match and not line.startswith('#'):
                labels = frozenset(re.findall(r'(\w+)="([^"]*)"', match[2] or ''))
                found[match[1], labels] = float(match[3])
        return found

    def get(self, name, **labels):
        """The values of a metric whose labels include these."""
        wanted = set(labels.items())
        return [v for (n, l), v in self.metrics().items() if n == 'element_' + name and wanted <= l]

    def until(self, condition, timeout, what):
        start = time.time()
        while not condition():
            if time.time() - start > timeout:
                raise AssertionError(f'not within {timeout} s: {what}\n{self.log()[-3000:]}\n{self.lab.sh(f"{ELEMENTD} status --runtime-dir {RUNTIME}")[1]}')
            time.sleep(0.1)
        return time.time() - start


def rates(lab, drives, seconds):
    """MB/s of each of these drives, by diskstats."""
    ios = ' '.join(f'"io LAB000{i}"' for i in drives)
    out = lab.ok(f'{PROBE} discover {ios} "sleep {seconds}" {ios}')
    rows = [(int(r) + int(w), int(t)) for r, w, t in re.findall(r'^io (\d+) (\d+) .* at (\d+)', out, re.M)]
    return [(b[0] - a[0]) / (b[1] - a[1]) for a, b in zip(rows, rows[len(drives):])]


def reaches(measure, least, most=float('inf')):
    """What is measured, once it is at least `least`: a busy host lets a guest do less than it may, for minutes. Never more than `most`."""
    end = time.time() + 120
    while True:
        got = measure()
        assert got <= most, f'{got:.2f}, at most {most:.2f} allowed'
        if got >= least:
            return got
        assert time.time() < end, f'{got:.2f}, at least {least:.2f} wanted'


def live(lab, n):
    lab.wait(f'[ "$(cat /sys/class/nvme/*/state | grep -c live)" = {n} ]', timeout=60)


def controller(lab, serial):
    return lab.ok(f'basename $(dirname $(grep -l {serial} /sys/class/nvme/*/serial))').strip()


def uptime_ms(lab, script=':'):
    """Runs a script: the guest's time right before and after it."""
    out = lab.ok(f'cat /proc/uptime; {script}; cat /proc/uptime').split()
    return float(out[0]) * 1000, float(out[-2]) * 1000


def watch(lab):
    """Has the probe note down what each snapshot says."""
    lab.ok(f'({PROBE} "watch {RUNTIME}/snapshot 600" >/host/watch 2>&1 &)')


def watched(lab, pattern):
    with open(lab.share + '/watch') as f:
        return re.findall(pattern, f.read(), re.M)


def late_ms(lab):
    """By how much a busy machine put off the guest's ticks of a second at most: no part of what is judged."""
    ticks = sorted({int(at) for at in watched(lab, r'^age .* at (\d+)$')})
    return max(0, max(b - a for a, b in zip(ticks, ticks[1:])) - 1000)


def reader(lab, disk, group, size='64k'):
    """Reads a disk for ever in a top-level cgroup."""
    lab.ok(f'mkdir -p /sys/fs/cgroup/{group}; sh -c "echo \\$\\$ > /sys/fs/cgroup/{group}/cgroup.procs; '
           f'while :; do dd if=/dev/{disk} of=/dev/null bs={size} iflag=direct; done" >/dev/null 2>&1 & sleep 0.2')


def io_controller(lab):
    lab.ok('echo +io > /sys/fs/cgroup/cgroup.subtree_control')
