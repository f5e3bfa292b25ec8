"""Board sensors and fans through real drivers: tmp75, adt7475, ltc4215; a sensor from a file; fan duty set and given back."""
import json, re, shutil
from daemon import *
from lab import Lab


def sensors(lab, *more):
    out = lab.ok(f'{PROBE} ' + ' '.join(f'"{m}"' for m in (*more, 'discover', 'sensors')))
    return {m[0]: m[1:] for m in re.findall(r'^sensor (\S+) (\S+) (\S+) (-?\d+) role=(\S+)(.*)$', out, re.M)}


def name(found, chip, feature):
    matches = [n for n in found if n.startswith(chip) and n.endswith('/' + feature)]
    assert len(matches) == 1, found
    return matches[0]


def write(lab, text):
    open(lab.share + '/board.new', 'w').write(text)
    os.rename(lab.share + '/board.new', lab.share + '/board')


def reboot_warm(lab, pwm, hwmon, mode):
    """A daemon that drives the fan dies, and the machine is reset without power loss: the fan's chip keeps what it was told. The next
    daemon gives the fan back, though it may be one that only looks."""
    lab.ok(f'for f in {hwmon}/pwm1_enable; do echo 0 > $f; done')
    settings = f'governor: {{fans: true}}\nsensors: [{{source: "{pwm}", role: fan}}]\n'
    d = Daemon(lab, mode='enforce', settings=settings, exporter=False)
    lab.wait(f'[ $(cat {hwmon}/pwm1_enable) = 1 ]', timeout=60)
    d.stop('KILL')
    journal = json.loads(lab.ok(f'cat {STATE}/journal'))
    assert [e['actuator'] for e in journal['entries']] == ['fan'], journal
    journal['boot_id'] = '0123456789abcdef0123456789abcdef'
    open(lab.share + '/journal', 'w').write(json.dumps(journal))
    lab.ok(f'cp /host/journal {STATE}/journal; modprobe -r adt7475; modprobe adt7475')
    lab.wait(f'[ $(cat {hwmon}/pwm1_enable) = 1 ]')  # its chip has kept it
    d.mode = mode
    d.start()
    lab.wait(f'[ $(cat {hwmon}/pwm1_enable) = 0 ] && [ ! -e {STATE}/journal ]', timeout=60)
    d.stop()


def run():
    with Lab(drives=1) as lab:
        shutil.copy(HERE + '/board.py', lab.share)
        write(lab, 'board_c 41.5\npower_w 44\n')
        lab.ok('python3 /host/board.py init; (python3 /host/board.py run >/host/board.log 2>&1 &) ; sleep 1')
        lab.wait('[ $(cat /sys/bus/i2c/devices/*-0048/hwmon/hwmon*/temp1_input) = 41500 ]')
        found = sensors(lab)
        assert found[name(found, 'tmp75-i2c-', 'temp1')][:3] == ('temperature', 'good', '41500'), found
        power = int(found[name(found, 'ltc4215-i2c-', 'power1')][2])
        assert abs(power - 44000) < 2000, power
        current = name(found, 'ltc4215-i2c-', 'curr1')
        assert 'alarm' not in found[current][4], found[current]
        write(lab, 'board_c 41.5\npower_w 44\nover_current 1\n')
        lab.wait('[ $(cat /sys/bus/i2c/devices/*-0044/hwmon/hwmon*/curr1_max_alarm) = 1 ]')
        assert 'alarm' in sensors(lab)[current][4], 'the alarm of a limit counts'
        assert not any(n.startswith('nvme') for n in found), found  # its hwmon chip costs admin commands

        pwm, rpm = name(found, 'adt7475-i2c-', 'pwm1'), name(found, 'adt7475-i2c-', 'fan1')
        hwmon = '/sys/bus/i2c/devices/*-002e/hwmon/hwmon*'
        lab.ok(f'for f in {hwmon}/pwm1_enable; do echo 0 > $f; done')
        out = lab.ok(f'{PROBE} discover "usable fan {pwm}" "save fan {pwm}" "write fan {pwm} 1" "sleep 3" "read fan {pwm}" sensors '
                     f'"write fan {pwm} 0.25" "sleep 3" "read fan {pwm}" sensors "restore fan {pwm}"; cat {hwmon}/pwm1_enable')
        assert 'usable yes' in out and re.findall(r'pwm=(\d\.\d+)', out) == ['1.000', '0.251'], out
        fast, slow = [int(v) for v in re.findall(rf'sensor {rpm} fan good (\d+)', out)]
        assert 5500 < fast < 7000 and 1500 < slow < 2500, (fast, slow)
        assert re.search(r'saved pwm=\d+ enable=0', out) and out.rstrip().endswith('\n0'), out

        reboot_warm(lab, pwm, hwmon, 'observe')

        write(lab, 'board_c 60\nfan_fail 0\n')
        lab.wait(f'[ $(cat {hwmon}/fan1_input) = 0 ]')
        found = sensors(lab)
        assert found[rpm][1:3] == ('good', '0'), found[rpm]

        lab.ok('echo 27.5 > /run/inlet')
        assert sensors(lab, 'file /run/inlet 5')['file:/run/inlet'][1:4] == ('good', '27500', 'inlet')
        lab.ok('touch -d "1 hour ago" /run/inlet')
        assert sensors(lab, 'file /run/inlet 5')['file:/run/inlet'][1] == 'stale'
        lab.ok('echo warm > /run/inlet')
        assert sensors(lab, 'file /run/inlet 5')['file:/run/inlet'][1] == 'failed'
        assert sensors(lab, 'file /run/none 5')['file:/run/none'][1] == 'failed'
