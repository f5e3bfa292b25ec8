"""Under the daemon: a drive is pulled (up 0 within 2 s), another comes (replaced, both serials, same slot), a critical warning
rises at run time, and polling costs one command per poll and no error-log entry."""
from daemon import *
from lab import Lab


def page(d):
    """Of one page: whether the drive in slot 2 is up, and the tick."""
    found = {name: v for (name, labels), v in d.metrics().items()
             if name == 'element_ticks_total' or (name == 'element_drive_up' and ('slot', '2') in labels)}
    return found['element_drive_up'], found['element_ticks_total']


def run():
    with Lab(drives=4, memory=512) as lab:
        live(lab, 4)
        d = Daemon(lab, mode='observe')
        d.until(lambda: sum(d.get('drive_up')) == 4, 60, 'four drives up')

        lab.unplug(2)
        lab.wait('! grep -q LAB0002 /sys/class/nvme/*/serial')
        ticks = []  # at which the drive was still up, each told by the page that says so

        def gone():
            up, tick = page(d)
            ticks.append(tick)
            return not up
        seen = d.until(gone, 60, 'the pulled drive still counts as up')
        still = ticks[max(len(ticks) - 2, 0)] - ticks[0]
        print(f'still up {still:.0f} ticks of 1 s after its removal, {seen:.2f} s of an emulated machine')
        assert still <= 2, ticks  # the first page may be of the tick before
        assert not d.get('drive_temperature_celsius', slot='2'), 'a gone drive still has a temperature'

        lab.plug(2, 'NEW02')
        d.until(lambda: d.get('drive_replaced_total', slot='2') == [1], 120, 'the swap was not counted')
        d.until(lambda: d.get('drive_up', slot='2') == [1], 120, 'the new drive is not up')
        assert 'LAB0002' in d.log() and 'NEW02' in d.log(), d.log()

        lab.set('nv1', 'smart_critical_warning', 4)
        seen = d.until(lambda: 1 in d.get('drive_critical_warning', slot='1', warning='reliability'), 120, 'no critical warning')
        print(f'critical warning seen after {seen:.2f} s')

        before = d.metrics()
        lab.ok('sleep 10')
        after = d.metrics()
        polls, commands = [sum(v - before.get(k, 0) for k, v in after.items()
                               if k[0] == name and ('slot', '0') in k[1])
                           for name in ('element_drive_polls_total', 'element_drive_admin_commands_total')]
        print(f'{polls:.0f} polls took {commands:.0f} commands')
        assert polls >= 5 and polls == commands, (polls, commands)
        assert sum(d.get('drive_error_log_growth_caused_total')) == 0
        d.stop()
        assert 'exit 0' in d.log(), d.log()
