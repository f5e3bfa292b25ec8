#!/usr/bin/env python3
"""run.py BUILD: drives that QEMU does not have, under the unmodified libnvme: a private mount namespace with an invented sysfs,
and admin ioctls answered from files (answer.c). Exit 77 without the right to make namespaces."""
import json, os, random, re, shutil, struct, subprocess, sys, tempfile, time

BUILD = sys.argv[1]
PROBE, PRELOAD = f'{BUILD}/tests/lab_probe', f'{BUILD}/tests/liblab_answer.so'


def identify(serial, model='Mock Drive', firmware='1.0', power_states=((8.25, 0), (6.0, 0), (4.5, 0), (0.05, 1)), hctm=True):
    page = bytearray(4096)
    page[4:24], page[24:64], page[64:72] = serial.ljust(20).encode(), model.ljust(40).encode(), firmware.ljust(8).encode()
    struct.pack_into('<I', page, 80, 0x10400)
    page[263] = len(power_states) - 1
    struct.pack_into('<HH', page, 266, 343, 353)
    struct.pack_into('<HHH', page, 322, int(hctm), 313, 363)
    for i, (watts, non_operational) in enumerate(power_states):
        struct.pack_into('<HBB', page, 2048 + 32 * i, int(watts * 100), 0, non_operational << 1)
    return bytes(page)


def smart(kelvin=320):
    page = bytearray(512)
    struct.pack_into('<BHBB', page, 0, 0, kelvin, 100, 10)
    return bytes(page)


class Machine:
    """Two drives; `probe` runs commands of lab_probe in the namespace."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='elementd-mock.')
        self.mock = self.dir + '/mock'
        for i in range(2):
            self.drive(i)

    def write(self, path, content, root='tree'):
        full = f'{self.dir}/{root}/{path}'
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'wb') as f:
            f.write(content if isinstance(content, bytes) else (content + '\n').encode())

    def drive(self, i):
        function = f'sys/devices/pci0000:00/0000:00:0{i + 1}.0/0000:0{i + 1}:00.0'
        controller = f'{function}/nvme/nvme{i}'
        for name, text in (('state', 'live'), ('transport', 'pcie'), ('serial', f'MOCK{i}'), ('address', f'0000:0{i + 1}:00.0')):
            self.write(f'{controller}/{name}', text)
        self.write(f'{function}/power/runtime_status', 'active')
        self.write(f'{function}/class', '0x010802')
        self.link(f'sys/class/nvme/nvme{i}', f'../../../{controller}')
        self.link(f'{controller}/device', '../..')
        self.link(f'sys/bus/pci/devices/0000:0{i + 1}:00.0', f'../../../../{function}')
        self.write(f'dev/nvme{i}', '')
        self.set(i, 'identify.bin', identify(f'MOCK{i}'))
        self.set(i, 'smart.bin', smart(320 + i))
        self.set(i, 'feature-02', '0')
        self.set(i, 'feature-10', '0')

    def link(self, path, target):
        full = f'{self.dir}/tree/{path}'
        os.makedirs(os.path.dirname(full), exist_ok=True)
        os.symlink(target, full)

    def set(self, i, name, content=''):
        self.write(f'nvme{i}/{name}', content, 'mock')

    def feature(self, i, name):
        with open(f'{self.mock}/nvme{i}/feature-{name}') as f:
            return int(f.read())

    def unset(self, i, name):
        os.unlink(f'{self.mock}/nvme{i}/{name}')

    def sysfs(self, i, name, text):
        self.write(f'sys/devices/pci0000:00/0000:00:0{i + 1}.0/0000:0{i + 1}:00.0/{name}', text)

    def commands(self, i):
        path = f'{self.mock}/nvme{i}/commands'
        text = open(path).read().split('\n')[:-1] if os.path.exists(path) else []
        if text:
            os.unlink(path)
        return text

    def start(self, *commands, program=PROBE):
        script = ('for d in class devices bus; do mount --bind "$0/sys/$d" /sys/$d || exit 90; done; '
                  'mount --bind "$0/dev" /dev || exit 90; exec env LD_PRELOAD="$1" EL_MOCK="$2" "${@:3}"')
        return subprocess.Popen(['unshare', '-m', '--propagation', 'private', 'bash', '-c', script, self.dir + '/tree', PRELOAD, self.mock,
                                 program, *commands], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)

    def scan(self):
        """The slots as `elementd scan` shows them."""
        process = self.start('scan', '--json', program=f'{BUILD}/elementd')
        out = process.communicate(timeout=60)[0]
        assert process.returncode in (0, 1), (process.returncode, out)
        return [slot for card in json.loads(out[out.index('{'):])['cards'] for slot in card['slots']]

    def probe(self, *commands):
        return self.start(*commands).communicate(timeout=60)[0]


def check_power_states(m):
    out = m.probe('discover', 'usable power_state MOCK0')
    assert 'usable EAGAIN' in out, out  # nothing is asked for it
    assert m.commands(0) == []
    out = m.probe('discover', 'identify MOCK0', 'usable power_state MOCK0', 'save power_state MOCK0', 'write power_state MOCK0 2',
                  'read power_state MOCK0', 'write power_state MOCK0 3', 'write power_state MOCK0 9', 'restore power_state MOCK0')
    assert 'usable yes' in out and 'saved 0' in out and 'ps=2' in out, out
    assert out.count('write EINVAL') == 2, out  # a non-operational one, and one that does not exist
    commands = m.commands(0)
    assert [c for c in commands if c.startswith('09')] == ['09 00000002 00000002', '09 00000002 00000000'], commands  # no save bit
    m.set(0, 'refuse-set-02')
    assert 'write EOPNOTSUPP' in m.probe('discover', 'identify MOCK0', 'write power_state MOCK0 1')
    m.unset(0, 'refuse-set-02')
    m.set(0, 'ignore-set-02')
    out = m.probe('discover', 'identify MOCK0', 'write power_state MOCK0 1', 'read power_state MOCK0')
    assert 'write ok' in out and 'ps=0' in out, out  # read back: what is, not what was asked
    m.unset(0, 'ignore-set-02')
    m.set(0, 'feature-02', str(0x60))  # a workload hint of somebody else stays
    out = m.probe('discover', 'identify MOCK0', 'save power_state MOCK0', 'write power_state MOCK0 1', 'read power_state MOCK0')
    assert 'ps=1' in out and m.feature(0, '02') == 0x61, out
    m.probe('discover', 'restore power_state MOCK0 96')
    assert m.feature(0, '02') == 0x60
    m.set(0, 'feature-02', '0')


def check_quirks(m):
    m.set(0, 'identify.bin', identify('MOCK0', model='KINGSTON SA2000M81000G'))
    assert 'usable EPERM hangs' in m.probe('discover', 'identify MOCK0', 'usable power_state MOCK0')
    m.set(0, 'identify.bin', identify('MOCK0', power_states=((8.25, 0), (0.05, 1)), hctm=False))
    out = m.probe('discover', 'identify MOCK0', 'usable power_state MOCK0', 'usable hctm MOCK0')
    assert out.count('usable EOPNOTSUPP') == 2, out
    m.set(0, 'identify.bin', identify('MOCK0'))


def check_hctm(m):
    out = m.probe('discover', 'identify MOCK0', 'usable hctm MOCK0', 'save hctm MOCK0', 'write hctm MOCK0 75', 'read hctm MOCK0',
                  'write hctm MOCK0 20', 'write hctm MOCK0 88', 'restore hctm MOCK0', 'read hctm MOCK0')
    assert 'usable yes' in out and 'tmt=75,80' in out and out.rstrip().splitlines()[-1].find('tmt=0,0') > 0, out
    assert out.count('write EINVAL') == 2, out  # below MNTMT; TMT2 above MXTMT


def check_failures(m):
    for number, name in ((13, 'EACCES'), (11, 'EAGAIN'), (4, 'EINTR'), (19, 'ENODEV'), (5, 'EIO')):
        m.set(0, 'errno', str(number))
        out = m.probe('discover', 'smart MOCK0', 'smart MOCK0', 'smart MOCK1')
        assert out.count(f'smart {name}') == 2 and 'kelvin=321' in out, out
        if name == 'EACCES':
            assert out.count('CAP_SYS_ADMIN') == 1, out  # said once
    m.unset(0, 'errno')
    m.set(0, 'status', str(0x4109))
    assert 'smart status refused' in m.probe('discover', 'smart MOCK0')
    m.unset(0, 'status')
    m.unset(0, 'smart.bin')
    assert 'smart status refused' in m.probe('discover', 'smart MOCK0')
    m.set(0, 'smart.bin', smart())


def check_state_is_asked_when_in_doubt(m):
    """After a good command the next log is asked for without a look; what fails is explained by the state, and then looked at first;
    anything but a log always is."""
    state, errno = '/sys/class/nvme/nvme0/state', m.mock + '/nvme0/errno'
    out = m.probe('discover', 'smart MOCK0', f'put {state} resetting', 'smart MOCK0', 'feature MOCK0 2')
    assert out.count('kelvin=320') == 2 and 'feature EAGAIN' in out, out
    assert len(m.commands(0)) == 2
    for text, name in (('dead', 'ENODEV'), ('connecting', 'EAGAIN')):
        out = m.probe(f'put {state} live', 'discover', 'smart MOCK0', f'put {errno} 5', f'put {state} {text}', 'smart MOCK0', 'smart MOCK0')
        assert out.count('kelvin=320') == 1 and out.count(f'smart {name}') == 2, out
        assert len(m.commands(0)) == 2  # the second failure is told by the state alone
        m.unset(0, 'errno')
    m.sysfs(0, 'nvme/nvme0/state', 'live')


def check_states(m):
    m.commands(0)
    for state, name in (('resetting', 'EAGAIN'), ('connecting', 'EAGAIN'), ('dead', 'ENODEV'), ('deleting', 'ENODEV')):
        m.sysfs(0, 'nvme/nvme0/state', state)
        assert f'smart {name}' in m.probe('discover', 'smart MOCK0')
        if state in ('resetting', 'dead'):  # what the kernel has given up need not miss three polls first
            assert [s['state'] for s in m.scan()] == ['failed' if state == 'dead' else 'stale', 'up'], m.scan()
    m.sysfs(0, 'nvme/nvme0/state', 'live')
    check_state_is_asked_when_in_doubt(m)
    m.sysfs(0, 'power/runtime_status', 'suspended')
    assert 'smart EHOSTDOWN' in m.probe('discover', 'smart MOCK0')
    assert m.commands(0) == [], 'a command was sent to a drive in reset, dead or asleep'
    m.sysfs(0, 'power/runtime_status', 'active')
    assert 'kelvin=320' in m.probe('discover', 'smart MOCK0')


def check_hang(m):
    m.set(0, 'hang')
    process = m.start('discover', 'smart MOCK1', 'smart MOCK0', 'smart MOCK1')
    time.sleep(0.5)
    assert process.poll() is None
    m.unset(0, 'hang')
    out = process.communicate(timeout=10)[0]
    assert re.findall(r'kelvin=(\d+)', out) == ['321', '320', '321'], out


def check_odd_answers(m):
    """Every errno and many statuses: told as what they are, never as a page."""
    for number in range(1, 134):
        m.set(0, 'errno', str(number))
        out = m.probe('discover', 'smart MOCK0')
        assert re.search(r'^smart (E\w+|\(null\)) ?$', out, re.M) and 'kelvin' not in out, (number, out)
    m.unset(0, 'errno')
    for status in [1 << bit for bit in range(15)] + [0x7fff, 0x4000, 0x6002, 0x2081, 0x0702]:
        m.set(0, 'status', str(status))
        out = m.probe('discover', 'smart MOCK0', 'identify MOCK0', 'feature MOCK0 2')
        assert 'kelvin' not in out and 'serial' not in out and 'value' not in out, (status, out)
    m.unset(0, 'status')


def check_odd_pages(m):
    """Pages of nothing, all ones, cut short, and noise, as SMART, as Identify, as both: no crash, nothing that cannot be."""
    noise = random.Random(3)
    kinds = [lambda n: bytes(n), lambda n: b'\xff' * n, lambda n: noise.randbytes(7)] + [noise.randbytes] * 6
    for make in kinds:
        for name, size in (('smart.bin', 512), ('identify.bin', 4096), (None, 0)):
            for file, n in (('smart.bin', 512), ('identify.bin', 4096)):
                if name in (file, None):
                    m.set(0, file, make(n))
            slots = m.scan()
            assert len(slots) == 2 and slots[1]['temperature_celsius'] == 48, slots
            t = slots[0].get('temperature_celsius')
            assert t is None or -59 <= t <= 226, slots[0]
            m.set(0, 'smart.bin', smart())
            m.set(0, 'identify.bin', identify('MOCK0'))
    for make in kinds[:2]:
        m.set(0, 'smart.bin', make(512))
        assert 'temperature_celsius' not in m.scan()[0], m.scan()[0]
    m.set(0, 'smart.bin', smart())


def attack(noise, path):
    """Makes a file missing, empty, garbage, long, a folder or a loop."""
    os.unlink(path)
    kind = noise.randrange(6)
    if kind == 0:
        return
    if kind == 1:
        os.mkdir(path)
    elif kind == 2:
        os.symlink(os.path.basename(path), path)
    else:
        with open(path, 'wb') as f:
            f.write((b'', noise.randbytes(noise.randrange(1, 100)), noise.choice((b'-1', b'0x', b'9' * 5000, b'live\0dead', b'\n\n')))[kind - 3])


def check_chaos(m):
    """Several files of the first drive spoilt at once and its commands ending anyhow: what is told of the second stays right."""
    noise = random.Random(11)
    for turn in range(40):
        spoilt = Machine()
        try:
            files = [os.path.join(folder, name) for top in ('tree/sys/devices', 'mock') for folder, _, names in os.walk(f'{spoilt.dir}/{top}')
                     for name in names if '0000:01:00.0' in folder or 'mock/nvme0' in folder]
            for path in noise.sample([f for f in sorted(files) if not os.path.islink(f)], noise.randrange(1, 6)):
                attack(noise, path)
            if turn % 3 == 0:
                spoilt.set(0, 'status', str(noise.randrange(1, 0x8000)))
            elif turn % 3 == 1:
                spoilt.set(0, 'errno', str(noise.randrange(1, 134)))
            slots = [s for s in spoilt.scan() if s.get('serial') == 'MOCK1']
            assert len(slots) == 1 and slots[0]['state'] == 'up' and slots[0]['temperature_celsius'] == 48, (turn, slots)
        finally:
            shutil.rmtree(spoilt.dir)


def give_back(m, config, again):
    """By `restore`, or by the next daemon, which only looks and so lets go what it finds."""
    program, journal = f'{BUILD}/elementd', m.dir + '/state/journal'
    if not again:
        out = m.start('restore', *config, program=program).communicate(timeout=60)[0]
    else:
        process = m.start('govern', *config, '--mode', 'observe', '--sandbox', 'off', program=program)
        deadline = time.monotonic() + 60
        while os.path.exists(journal) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        process.terminate()
        out = process.communicate(timeout=60)[0]
    assert not os.path.exists(journal), out


def check_killed(m):
    """The whole daemon is killed as a Set Features of its reaches the drive, just before and just after: the old setting comes back."""
    originals = {'02': 0x40, '10': 342 << 16 | 352}  # a workload hint with power state 0; thresholds of somebody else
    os.makedirs(m.dir + '/state')
    os.makedirs(m.dir + '/run')
    for feature, setting, kelvin in (('10', 'hctm: true', 320), ('02', 'hctm: false', 352)):
        m.write('elementd.yaml', f'state_dir: {m.dir}/state\nruntime_dir: {m.dir}/run\ngovernor:\n  mode: enforce\n  {setting}')
        config = ('--config', m.dir + '/tree/elementd.yaml')
        for when, again in (('before', False), ('after', False), ('after', True)):
            for name, value in originals.items():
                m.set(0, f'feature-{name}', str(value))
            m.set(0, 'smart.bin', smart(kelvin))
            m.set(0, f'kill-{when}-{feature}')
            out = m.start('govern', *config, '--sandbox', 'off', program=f'{BUILD}/elementd').communicate(timeout=60)[0]
            m.unset(0, f'kill-{when}-{feature}')
            assert os.path.exists(m.dir + '/state/journal'), out
            assert (m.feature(0, feature) == originals[feature]) == (when == 'before'), out
            m.set(0, 'smart.bin', smart())
            give_back(m, config, again)
            assert {f: m.feature(0, f) for f in originals} == originals, (feature, when, again)


def check_cost(m):
    m.commands(1)
    out = m.probe('discover', 'polls MOCK1 100')
    assert len(m.commands(1)) == 100 and 'bad 0' in out, out  # one command a poll, none to find the drive


def strict(version, **fields):
    """A drive that refuses, and counts as an error, whatever its Identify does not promise. Values of bytes by offset."""
    page = bytearray(identify('MOCK0', hctm=False))
    struct.pack_into('<I', page, 80, version)
    for offset, value in fields.items():
        page[int(offset[1:])] = value
    return bytes(page)


def check_error_log(m):
    """From the start of the daemon on, and over 10,000 polls: not one command that a strict drive refuses."""
    config = ('--config', m.dir + '/tree/elementd.yaml')
    m.write('elementd.yaml', f'state_dir: {m.dir}/state\nruntime_dir: {m.dir}/run\n'
            'poll: {tick_ms: 100, hot_ms: 100, normal_ms: 100, idle_ms: 100}')
    os.makedirs(m.dir + '/state', exist_ok=True)
    os.makedirs(m.dir + '/run', exist_ok=True)
    m.unset(0, 'feature-10')
    if os.path.exists(m.mock + '/nvme0/refusals'):  # of the checks before
        m.unset(0, 'refusals')
    logs = bytearray(1024)
    logs[0] = logs[4] = logs[8] = logs[24] = logs[0x81 * 4] = 1
    mandatory = {'log-01.bin': bytes(64), 'log-03.bin': bytes(512)}
    supported = mandatory | {'log-00.bin': bytes(logs), 'log-06.bin': bytes(564), 'log-81.bin': bytes(512)}
    for name, page, pages in (('old', strict(0x10000), mandatory), ('plain', strict(0x10400, b261=2), mandatory),
                              ('rich', strict(0x20000, b256=0x10, b261=0x3f, b328=7, b525=1), supported)):
        m.set(0, 'identify.bin', page)
        m.set(0, 'feature-04', '343')
        m.set(0, 'feature-06', '1')
        for file, content in pages.items():
            m.set(0, file, content)
        m.commands(0)
        daemon = m.start('govern', *config, '--mode', 'observe', '--sandbox', 'off', program=f'{BUILD}/elementd')
        deadline = time.monotonic() + 60
        path = f'{m.mock}/nvme0/commands'
        while time.monotonic() < deadline and not (os.path.exists(path) and len(open(path).read().split('\n')) > 30):
            time.sleep(0.1)
        daemon.terminate()
        daemon.communicate(timeout=60)
        asked = m.commands(0)
        assert len(asked) > 29 and not os.path.exists(f'{m.mock}/nvme0/refusals'), (name, asked)
        out = m.probe('discover', 'polls MOCK0 10000')
        assert 'polls 10000 bad 0 error_log 0' in out, out
        others = [c for c in asked if not c.startswith('02 007f0002')]
        print(f'  {name}: {len(others)} commands besides polls, 10,000 polls, error log 0')
    for file in ('feature-04', 'feature-06', *supported):
        m.unset(0, file)
    m.set(0, 'feature-10', '0')
    m.set(0, 'identify.bin', identify('MOCK0'))
    m.probe('discover', 'feature MOCK0 0x10', 'feature MOCK0 0x99')
    assert 'error_log 1' in m.probe('discover', 'polls MOCK0 1'), 'the drive counts nothing'
    m.unset(0, 'refusals')


def check_doctor(m):
    """What is healthy is not said to be ill; what is bound to others is told with the lines that take it back."""
    def drives():
        process = m.start('doctor', '--json', program=f'{BUILD}/elementd')
        out = process.communicate(timeout=60)[0]
        return [f for f in json.loads(out[out.index('{'):])['findings'] if f['topic'] == 'drives']
    assert [f['level'] for f in drives()] == ['good'], drives()
    pf = 'sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0'
    for i in (1, 2):  # one in a guest, one that the host uses
        m.write(f'{pf[:-1]}{i}/class', '0x010802')
        m.link(f'{pf[:-1]}{i}/physfn', '../0000:01:00.0')
        m.link(f'{pf}/virtfn{i - 1}', f'../0000:01:00.{i}')
        m.link(f'{pf[:-1]}{i}/driver', '../../../../bus/pci/drivers/' + ('vfio-pci', 'nvme')[i - 1])
        m.link(f'sys/bus/pci/devices/0000:01:00.{i}', f'../../../../{pf[:-1]}{i}')
    vf = f'{pf[:-1]}2/nvme/nvme7'
    for name, text in (('state', 'live'), ('transport', 'pcie'), ('serial', 'MOCK0'), ('nvme7n1/nsid', '7'), ('nvme7n1/size', '8')):
        m.write(f'{vf}/{name}', text)
    m.link(f'{vf}/device', '../..')
    m.link('sys/class/nvme/nvme7', f'../../../{vf}')
    m.write('sys/devices/pci0000:00/0000:00:09.0/class', '0x010802')
    m.link('sys/devices/pci0000:00/0000:00:09.0/driver', '../../../bus/pci/drivers/uio_pci_generic')
    m.link('sys/bus/pci/devices/0000:00:09.0', '../../../../sys/devices/pci0000:00/0000:00:09.0')
    found = drives()
    assert [f['level'] for f in found] == ['note', 'note', 'good'], found
    assert 'echo 0000:00:09.0 > /sys/bus/pci/drivers/uio_pci_generic/unbind' in found[0]['fix'], found
    assert found[1]['text'].startswith('nvme0: 1 of its virtual functions are bound to vfio-pci'), found
    slots = {s.get('controller'): s for s in m.scan()}
    assert set(slots) == {None, 'nvme0', 'nvme1'} and [n['nsid'] for n in slots['nvme0']['namespaces']] == [7], slots
    with open(f'{m.dir}/tree/{pf}/nvme/nvme0/state', 'w') as f:
        f.write('resetting\n')
    assert any(f['level'] == 'bad' and 'nvme0' in f['fix'] for f in drives()), drives()


def main():
    if os.geteuid() != 0 or subprocess.run(['unshare', '-m', 'true'], capture_output=True).returncode:
        print('skipped: needs the right to make mount namespaces')
        return 77
    m = Machine()
    try:
        probe = m.probe('discover')
        if 'MOCK0' not in probe:
            print(f'skipped: the namespace cannot be made here: {probe}')
            return 77
        for check in (check_power_states, check_quirks, check_hctm, check_failures, check_states, check_hang, check_odd_answers,
                      check_odd_pages, check_chaos, check_killed, check_cost, check_error_log, check_doctor):
            check(m)
            print(f'{check.__name__}: passed')
        return 0
    finally:
        shutil.rmtree(m.dir)


if __name__ == '__main__':
    sys.exit(main())
