"""From the last sample of a round to its last write, stage by stage, eight drives with readers, beside the bare time of
the same writes in the same guest. The daemon is paused and goes on, again and again: drives that are hot stay capped meanwhile, and
in the round that goes on all caps are written.

The guest has one processor and counts one instruction a nanosecond: the times are counts of all that ran between the two, the same
on every host. EL_LATENCY_COUNTED=0: two processors and the host's time. EL_LATENCY_EACH=1 prints every stamp. Give it a release
build: EL_BUILD=build/release tests/lab/run.py latency."""
import re, struct
from daemon import *
from lab import Lab

NICE = 'nice -n -7'  # what CPUWeight=500 of the unit comes to
COUNTED = os.environ.get('EL_LATENCY_COUNTED', '1') == '1'
ROUNDS = int(os.environ.get('EL_LATENCY_ROUNDS', '200'))


STAGES = ('last sample to worker done', 'to decided', 'to the first write', 'to the last write')


def batches(data, first):
    """For each round that wrote: ms from the last sample to the end of each stage, and the number of writes. `first`: stamps that
    are passed over."""
    n = min(struct.unpack_from('<q', data)[0], 200000)
    stamps = [(ns, chr(what)) for ns, what in sorted(struct.iter_unpack('<qq', data[16 + 16 * first:16 + 16 * n]))]
    begins = [i for i, (_, what) in enumerate(stamps) if what == 'f']
    found = []
    for i, end in zip(begins, begins[1:]):  # the last one is followed by the release at the end
        before, writes = {}, []
        for ns, what in stamps[i:end]:
            if what == 'w':
                writes.append(ns)
            elif not writes:
                before[what] = ns
        if writes and before.keys() >= {'s', 'd', 'k'}:
            marks = before['d'], before['k'], writes[0], writes[-1]
            found.append(([(ns - before['s']) / 1e6 for ns in marks], len(writes)))
            if os.environ.get('EL_LATENCY_EACH'):
                print('us:', *(f'{(ns - before["s"]) / 1000:.1f}{what}' for ns, what in stamps[i:end]))
    return found


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def run():
    with Lab(drives=8, memory=768, counted=COUNTED, boot_timeout=300) as lab:
        live(lab, 8)
        lab.ok('mkdir -p /sys/fs/cgroup/work.slice')
        for i in range(8):
            disk = controller(lab, f'LAB000{i}') + 'n1'
            lab.ok('sh -c "echo \\$\\$ > /sys/fs/cgroup/work.slice/cgroup.procs; while :; do '
                   f'dd if=/dev/{disk} of=/dev/null bs=256k count=16 iflag=direct; sleep 0.3; done" >/dev/null 2>&1 &')
        io_controller(lab)
        # A line of log over 9p would cost more than all that is measured.
        lab.ok('ln -s /run/elementd.log /host/elementd.log')
        d = Daemon(lab, settings='cards: [{card: "*", card_limit_w: 6, limit_c: 57, inlet_c: 25, airflow_lfm: 400}]\n', exporter=False, tick_ms=250, poll_ms=250,
                   environment=f'{NICE} env LD_PRELOAD={BUILD}/tests/liblab_stamp.so EL_STAMP=/run/stamp')
        lab.wait(f"{ELEMENTD} status --json --runtime-dir {RUNTIME} | grep -q '\"up\":8'", timeout=120)
        lab.wait('[ $(grep -c ctrl=user /sys/fs/cgroup/io.cost.model) = 8 ]', timeout=600)
        first = int(lab.ok('od -An -td8 -N8 /run/stamp'))  # that round also enables each device and writes its journal
        out = lab.ok(f'{NICE} {PROBE} "pauses {RUNTIME} {ROUNDS}"', timeout=ROUNDS * 30 + 60)
        d.stop()
        lab.ok('cp /run/stamp /host/stamp')
        bare = [int(us) / 1000 for n, us in re.findall(r'bare (\d+) writes (\d+) us', out) if n == '8']
        found = batches(open(lab.share + '/stamp', 'rb').read(), first)
        print('writes in each round that wrote:', *(n for _, n in found))
        found = [(marks, n) for marks, n in found if n == 8]
        ours = [marks[-1] for marks, _ in found]
        each = [(marks[-1] - marks[-2]) / (n - 1) for marks, n in found]
        for k, stage in enumerate(STAGES):
            took = [marks[k] - (marks[k - 1] if k else 0) for marks, _ in found]
            print(f'{stage:30} p50 {quantile(took, .5):6.3f} ms, p99 {quantile(took, .99):6.3f} ms')
        print(f'last sample to last write, {len(found)} rounds of {sum(n for _, n in found)} writes: '
              f'p50 {quantile(ours, .5):.3f} ms, p99 {quantile(ours, .99):.3f} ms; from a write to the next {quantile(each, .5):.4f} ms')
        print(f'eight bare writes, {len(bare)} rounds: p50 {quantile(bare, .5):.3f} ms, p99 {quantile(bare, .99):.3f} ms; '
              f'each {quantile(bare, .5) / 8:.4f} ms')
        assert len(found) > ROUNDS / 2, found
        if COUNTED:  # measured 1.2 and 1.65 times
            assert quantile(each, .5) < 1.4 * quantile(bare, .5) / 8, 'a write costs far more than the write'
            assert quantile(ours, .5) < 1.8 * quantile(bare, .5), 'the writes come long after the samples'
