"""A closed loop through the real kernel: a plant on the host reads the guest's I/O, works out card power and board temperature, and
feeds them to real hwmon drivers; the governor holds the card's power by what those tell it, while real readers read."""
import re, shutil, threading
from daemon import *
from lab import Lab

INLET_C, TAU_S, BASE_W = 30.0, 12.0, 10.0
WINDOW_S, DEADLINE_S = 20, 240
JOULES_PER_BYTE = 1.0e-7  # as in profiles/qemu.yaml
R_C_PER_W = 1.8
FULL_W = 5.5  # of host I/O of one drive, as in profiles/qemu.yaml

SETTINGS = '''
cards: [{card: "*", card_limit_w: %.1f, airflow_lfm: 400}]
sensors:
  - {source: "%s", role: inlet}
  - {source: "%s", role: card_power}
'''


class Plant:
    """First order: T moves to inlet + R x P with a time constant; P from the bytes read."""

    def __init__(self, lab):
        self.lab, self.celsius, self.watts, self.seen, self.at = lab, 45.0, 12.0, None, None
        self.peak = 0.0

    def step(self):
        out = self.lab.ok('cat /proc/uptime /sys/class/nvme/*/nvme*n1/stat').splitlines()
        now = float(out[0].split()[0])
        total = sum(int(line.split()[2]) * 512 for line in out[1:])
        if self.at is not None and now > self.at:
            dt = now - self.at
            self.watts = BASE_W + (total - self.seen) / dt * JOULES_PER_BYTE
            goal = INLET_C + R_C_PER_W * self.watts
            self.celsius += (goal - self.celsius) * min(1, dt / TAU_S)
            self.peak = max(self.peak, self.celsius)
        self.seen, self.at = total, now
        with open(self.lab.share + '/board.new', 'w') as f:
            f.write(f'board_c {self.celsius:.2f}\npower_w {self.watts:.2f}\n')
        os.rename(self.lab.share + '/board.new', self.lab.share + '/board')


def sensor(lab, chip, feature):
    out = lab.ok(f'{PROBE} discover sensors')
    return re.search(rf'^sensor ({chip}\S*/{feature}) ', out, re.M).group(1)


def watch(plant, trace, seconds, start=0.0):
    """Lets the plant go on for a time; mean power over it."""
    end, first = time.time() + seconds, len(trace)
    while time.time() < end:
        plant.step()
        trace.append((time.time() - start, plant.celsius, plant.watts))
        time.sleep(0.3)
    return sum(w for t, c, w in trace[first:]) / len(trace[first:])


def run():
    with Lab(drives=2, memory=512) as lab:
        live(lab, 2)
        io_controller(lab)
        shutil.copy(HERE + '/board.py', lab.share)
        plant = Plant(lab)
        plant.step()
        lab.ok('python3 /host/board.py init; (python3 /host/board.py run >/host/board.log 2>&1 &)')
        for i in range(2):
            reader(lab, controller(lab, f'LAB000{i}') + 'n1', 'work.slice')
        free = watch(plant, [], 5)
        limit = BASE_W + 0.5 * (free - BASE_W)  # half of what this guest can do today
        settings = SETTINGS % (limit, sensor(lab, 'tmp75-i2c-', 'temp1'), sensor(lab, 'ltc4215-i2c-', 'power1'))
        d = Daemon(lab, settings=settings)
        start, trace, held = time.time(), [], False
        while not held:
            watts = watch(plant, trace, 2, start)
            late = [w for t, c, w in trace if t > time.time() - start - WINDOW_S]
            watts, caps = sum(late) / len(late), d.get('drive_cap_ratio')
            held = (time.time() - start > WINDOW_S + 5 and any(c < 1 for c in caps) and watts < 1.05 * limit
                    and max(watts, BASE_W + FULL_W * sum(caps)) > 0.7 * limit)  # other load may take what is allowed
            if time.time() - start > DEADLINE_S:
                raise AssertionError(f'the limit does not hold, or far too careful: {watts:.1f} W of {limit:.1f} W, caps {caps}')
        print(f'free {free:.1f} W, limit {limit:.1f} W; held after {time.time() - start:.0f} s: mean {watts:.1f} W over {WINDOW_S} s, '
              f'board at most {plant.peak:.1f} C; caps {caps}')
        print('every 5 s:', ' '.join(f'{w:.1f}' for t, c, w in trace[::16]), 'W')
        d.stop()
        assert 'enable=1' not in lab.sh('cat /sys/fs/cgroup/io.cost.qos')[1]
