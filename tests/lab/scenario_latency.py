"""From the last sample of a round to its last write, eight drives that are read all the time, beside the bare time of the same
writes in the same guest: every second another process overwrites all prices, timing its own writes; the daemon sees that in
its next round and writes them all again."""
import re, struct
from daemon import *
from lab import Lab

NICE = 'nice -n -7'  # what CPUWeight=500 of the unit comes to
ROUNDS = int(os.environ.get('EL_LATENCY_ROUNDS', '120'))


def batches(data):
    """Milliseconds from last sample to last write, and how many writes, of each round that wrote."""
    n = min(struct.unpack_from('<q', data)[0], 200000)
    entries = sorted(struct.iter_unpack('<qq', data[16:16 + 16 * n]))
    sample, first, last, count, found = None, None, None, 0, []
    poll = fw = None; parts = []
    for ns, what in entries:
        if what == ord('p'):
            if not count: poll = ns
            continue
        if what == ord('w'):
            if not count:
                first = sample
                fw = ns; pp = poll or sample
            last, count = ns, count + 1
            continue
        if count and ns - last > 300e6:
            found.append(((last - first) / 1e6, count))
            print('sample->poll %.2f poll->first %.2f first->last %.2f n %d' % ((pp-first)/1e6, (fw-pp)/1e6, (last-fw)/1e6, count))
            count = 0
        sample = ns
    return found


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def run():
    with Lab(drives=8, memory=768) as lab:
        live(lab, 8)
        io_controller(lab)
        loaded = os.environ.get('EL_LATENCY_LOAD', '1') == '1'
        for i in range(8 if loaded else 1):
            reader(lab, controller(lab, f'LAB000{i}') + 'n1', 'work.slice')
        d = Daemon(lab, settings='cards: [{card: "*", card_limit_w: 30, inlet_c: 25, airflow_lfm: 400}]\n', exporter=False,
                   environment=f'{NICE} env LD_PRELOAD={BUILD}/tests/liblab_stamp.so EL_STAMP=/run/stamp')
        lab.wait('[ $(grep -c ctrl=user /sys/fs/cgroup/io.cost.model) = 8 ]', timeout=90)
        out = lab.ok(f'{NICE} {PROBE} "upset {ROUNDS}"', timeout=ROUNDS * 3 + 60)
        d.stop()
        lab.ok('cp /run/stamp /host/stamp')
        bare = [int(us) / 1000 for n, us in re.findall(r'bare (\d+) writes (\d+) us', out) if n == '8']
        found = batches(open(lab.share + '/stamp', 'rb').read())
        ours = [ms for ms, n in found if n >= 8]
        print('writes a round:', sorted(n for ms, n in found))
        print(f'last sample to last write, {len(ours)} rounds of 8: p50 {quantile(ours, .5):.2f} ms, p99 {quantile(ours, .99):.2f} ms')
        print(f'the bare writes, {len(bare)} rounds: p50 {quantile(bare, .5):.2f} ms, p99 {quantile(bare, .99):.2f} ms')
