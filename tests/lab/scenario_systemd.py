"""The package under a real systemd: its units start and report, are watched, reload, come back from SIGKILL, put back what they
set, and leave nothing behind when purged."""
import json, os, re, shutil, subprocess, time
from lab import Lab, LabError

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = ('elementd', 'elementd-exporter')
CONFIG = '/etc/elementd/elementd.yaml'


def make_package():
    """The package's file, and a Debian that has what it needs."""
    build = subprocess.run([f'{HERE}/../../deploy/package/build', os.environ['EL_BUILD'] + '/package'], stdout=subprocess.PIPE, text=True, check=True)
    deb = build.stdout.split()[-1]
    root = subprocess.run([HERE + '/rootfs.sh', deb], stdout=subprocess.PIPE, text=True)
    if root.returncode == 125:
        raise LabError('no Debian for the guest')
    root.check_returncode()
    return deb, root.stdout.strip()


class Host:
    def __init__(self, lab):
        self.lab = lab

    def show(self, unit, name):
        return self.lab.ok(f'systemctl show -P {name} {unit}').strip()

    def pid(self, unit):
        return int(self.show(unit, 'MainPID'))

    def active(self, unit):
        self.lab.wait(f'systemctl is-active {unit}', timeout=90)

    def log(self, unit):
        return self.lab.ok(f'journalctl -o cat -u {unit} --no-pager')

    def said(self, unit, text, timeout=60):
        self.lab.wait(f"journalctl -o cat -u {unit} --no-pager | grep -qE '{text}'", timeout=timeout)

    def metric(self, pattern, timeout=60):
        """Waits for a line of /metrics."""
        self.lab.wait(f"curl -sf http://127.0.0.1:10450/metrics | grep -E '^{pattern}'", timeout=timeout)

    def settings(self, text):
        self.lab.ok(f"cat >{CONFIG} <<'YAML'\n{text}YAML")

    def reload(self, unit='elementd'):
        self.lab.ok(f'systemctl reload {unit}')

    def restarted(self, unit, before):
        self.lab.wait(f'p=$(systemctl show -P MainPID {unit}); [ "$p" != 0 ] && [ "$p" != {before} ] && systemctl is-active {unit}', timeout=90)


def step(what):
    print(f'{time.strftime("%T")} {what}', flush=True)


def starts(h):
    step('install and start')
    h.lab.ok('dpkg -i /host/elementd.deb', timeout=300)
    for unit in UNITS:
        h.active(unit)
    h.metric('element_ready 1')
    h.metric(r'element_drive_up\{.*\} 1')
    assert h.lab.ok("curl -s http://127.0.0.1:10450/metrics | grep -c '^element_drive_up.* 1$'").strip() == '2'
    h.lab.wait("systemctl show -P StatusText elementd | grep -q '2 drives up'")
    assert 'serving' in h.show('elementd-exporter', 'StatusText')
    assert 'elementd.service' in h.show('elementd-exporter', 'After') and 'snmpd.service' in h.show('elementd', 'Before')
    for unit in UNITS:
        status = h.lab.ok(f'cat /proc/{h.pid(unit)}/status')
        assert re.search(r'^Uid:\s+[1-9]', status, re.M), status
        assert re.search(r'^NoNewPrivs:\s+1', status, re.M) and re.search(r'^Seccomp:\s+2', status, re.M), status
        caps = int(re.search(r'^CapEff:\s+(\w+)', status, re.M)[1], 16)
        assert caps == ((1 << 21 | 1 << 1) if unit == 'elementd' else 0), f'{unit}: capabilities {caps:x}'
        log = h.log(unit)
        assert not re.search('sandbox:|were not|cannot', log), f'{unit}:\n{log}'


def reloads(h):
    step('reload')
    h.settings('governor: {mode: observe}\n')
    h.reload()
    h.said('elementd', 'settings reloaded')
    h.metric('element_governor_mode\\{.*observe.*\\} 1')
    h.settings('governor: {mode: sideways}\n')
    h.reload()
    h.said('elementd', f'{CONFIG}:1')
    h.lab.wait("systemctl show -P StatusText elementd | grep -q 'reload was refused'")
    h.metric('element_config_last_reload_successful 0')
    h.metric('element_governor_mode\\{.*observe.*\\} 1')
    h.active('elementd')
    h.settings('governor: {mode: advise}\n')
    h.reload()
    h.metric('element_config_last_reload_successful 1')
    h.reload('elementd-exporter')
    h.active('elementd-exporter')


def entries(h, match):
    """What journald keeps under a field, newest last; waits until there is something."""
    h.lab.wait(f'journalctl -q -o cat {match} | grep -q .', timeout=90)
    return [json.loads(line) for line in h.lab.ok(f'journalctl -o json --no-pager {match}').splitlines()]


def journal(h):
    step('journald fields')
    for state, mid in (('raised', '002e'), ('cleared', '002f')):
        e = entries(h, f'ELEMENTD_ALARM=config_reload_failed ELEMENTD_STATE={state}')[-1]
        assert e['MESSAGE_ID'] == '9e9256e6255740b48d108650b79c' + mid and e['_SYSTEMD_UNIT'] == 'elementd.service', e
        assert e['SYSLOG_IDENTIFIER'] == 'elementd' and e['_TRANSPORT'] == 'journal', e
        assert state == 'cleared' or e['PRIORITY'] == '4', e
    address = h.lab.ok('basename $(readlink /sys/class/nvme/nvme1/device)').strip()
    serial = h.lab.ok('cat /sys/class/nvme/nvme1/serial').strip()
    h.lab.ok(f'echo 1 >/sys/bus/pci/devices/{address}/remove')
    e = entries(h, f'ELEMENTD_ALARM=drive_lost ELEMENTD_STATE=raised ELEMENTD_SERIAL={serial}')[-1]
    assert e['PRIORITY'] == '3' and e['ELEMENTD_CARD'] and e['ELEMENTD_SLOT'], e
    assert e['ELEMENTD_CARD'] in e['MESSAGE'], e
    h.lab.ok('echo 1 >/sys/bus/pci/rescan')
    entries(h, f'ELEMENTD_ALARM=drive_lost ELEMENTD_STATE=cleared ELEMENTD_CARD={e["ELEMENTD_CARD"]}')
    # The exporter's too, and neither half writes raw "<6>" lines.
    assert entries(h, '_SYSTEMD_UNIT=elementd-exporter.service _TRANSPORT=journal')
    assert not h.lab.sh('journalctl -o cat -u elementd -u elementd-exporter | grep "^<"')[1].strip()


def killed(h):
    step('SIGKILL of each half')
    for unit in UNITS:
        other = UNITS[1 - UNITS.index(unit)]
        before, beside = h.pid(unit), h.pid(other)
        h.lab.ok(f'kill -KILL {before}')
        h.restarted(unit, before)
        assert h.pid(other) == beside, f'{other} was restarted with {unit}'
        h.metric('element_ready 1')
        h.metric(r'element_drive_up\{.*\} 1')


def hangs(h):
    """The kernel waits for a drive in D state: the drive is marked, and the daemon feeds its watchdog as before, in the same process."""
    address = h.lab.ok('basename $(readlink /sys/class/nvme/nvme1/device)').strip()
    before = h.pid('elementd')
    msix = int(h.lab.ok(f'setpci -s {address} CAP_MSIX+2.w').strip(), 16)
    h.lab.ok(f'setpci -s {address} CAP_MSIX+2.w={msix | 0x4000:04x}')  # masked: it works, and nobody hears it
    h.metric(r'element_drive_up\{.*\} 0', timeout=120)
    h.lab.wait(f"grep -q '^State:.D' /proc/{before}/task/*/status", timeout=120)
    h.lab.wait("systemctl show -P StatusText elementd | grep -q '1 drives up'", timeout=120)
    time.sleep(30)  # more than two of its times
    h.lab.ok(f"grep -q '^State:.D' /proc/{before}/task/*/status")
    assert h.pid('elementd') == before, 'a drive that hangs restarted the daemon'
    h.lab.ok(f'setpci -s {address} CAP_MSIX+2.w={msix:04x}')
    h.lab.wait("systemctl show -P StatusText elementd | grep -q '2 drives up'", timeout=120)
    assert h.pid('elementd') == before


def watched(h):
    step('watchdog')
    h.settings('poll: {timeout_ms: 60000}\n')
    h.lab.ok('for u in elementd elementd-exporter; do mkdir -p /run/systemd/system/$u.service.d; '
             'printf "[Service]\\nWatchdogSec=12s\\n" >/run/systemd/system/$u.service.d/w.conf; done; '
             'systemctl daemon-reload; systemctl restart elementd elementd-exporter', timeout=200)
    for unit in UNITS:
        h.active(unit)
    pids = [h.pid(unit) for unit in UNITS]
    time.sleep(15)
    assert pids == [h.pid(unit) for unit in UNITS], 'a healthy daemon was restarted by its watchdog'
    hangs(h)
    for unit, pid in zip(UNITS, pids):
        h.lab.ok(f'kill -STOP {pid}')
        h.restarted(unit, pid)
        assert 'watchdog' in h.lab.ok(f'journalctl --no-pager -o cat -u {unit} | tail -20').lower()
    h.lab.ok('rm -r /run/systemd/system/elementd*.service.d; systemctl daemon-reload; systemctl restart elementd elementd-exporter', timeout=200)


def holds_the_port(h):
    step('the port held by systemd')
    assert h.lab.sh('systemctl is-enabled elementd-exporter.socket')[1].strip() == 'disabled'
    h.lab.ok('systemctl stop elementd-exporter; systemctl start elementd-exporter.socket', timeout=100)
    h.metric('element_ready 1')  # the first scrape starts it
    h.active('elementd-exporter')
    before = h.pid('elementd-exporter')
    h.lab.ok(f'kill -KILL {before}; curl -sf --max-time 60 http://127.0.0.1:10450/metrics >/dev/null', timeout=100)
    h.restarted('elementd-exporter', before)
    h.lab.ok('systemctl stop elementd-exporter.socket elementd-exporter; systemctl start elementd-exporter', timeout=100)
    h.active('elementd-exporter')


def puts_back(h):
    step('what was set comes back after SIGKILL')
    # Who comes after only advises: on a busy host its drives may answer late at first, and would be capped for that.
    cold, hot = (f'governor: {{mode: {mode}}}\npoll: {{tick_ms: 1000, hot_ms: 1000, normal_ms: 1000, idle_ms: 1000}}\n'
                 f'cards: [{{card: "*", limit_c: {c}}}]\n' for mode, c in (('advise', 75), ('enforce', 45)))
    h.settings(hot)
    h.lab.ok('systemctl restart elementd', timeout=100)
    h.lab.wait('grep -q enable=1 /sys/fs/cgroup/io.cost.qos', timeout=90)
    h.lab.ok('test -s /var/lib/elementd/journal')
    before = h.pid('elementd')
    h.settings(cold)  # not reloaded: whoever reads it next finds that the drives are not hot
    h.lab.ok('systemctl kill -s KILL elementd')
    h.said('elementd', 'is back')
    h.restarted('elementd', before)
    h.lab.wait('! grep -q enable=1 /sys/fs/cgroup/io.cost.qos', timeout=60)


def leaves_nothing(h):
    step('remove and purge')
    h.lab.ok('dpkg -r elementd', timeout=200)
    h.lab.ok('! pidof elementd elementd-exporter')
    h.lab.ok('! grep -q enable=1 /sys/fs/cgroup/io.cost.qos')
    h.lab.ok(f'test -e {CONFIG}')
    h.lab.ok('dpkg -P elementd', timeout=200)
    left = h.lab.ok("find /etc /usr /var /run -xdev -name '*elementd*' -not -path '/var/log/*' -not -path '/run/log/*'; "
                    "find /run -name '*elementd*' -not -path '/run/log/*'; systemctl list-units --all --plain --no-legend 'elementd*'")
    assert not left.strip(), f'left behind:\n{left}'


def run():
    deb, root = make_package()
    with Lab(drives=2, memory=768, cmdline='systemd systemd.show_status=0 nvme_core.admin_timeout=600', root=root, boot_timeout=200) as lab:
        shutil.copy(deb, lab.share + '/elementd.deb')
        h = Host(lab)
        try:
            for part in (starts, reloads, journal, killed, watched, holds_the_port, puts_back, leaves_nothing):
                part(h)
        except AssertionError:
            print(lab.sh('systemctl status elementd elementd-exporter --no-pager -l; journalctl --no-pager -o cat -n 80')[1])
            raise
