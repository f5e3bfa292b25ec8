"""A drive that resets and comes back, and one that dies: both told as what they are, the others and the daemon go on."""
from daemon import *
from lab import Lab


def state(lab, slot):
    return lab.ok(f'{ELEMENTD} status --json --runtime-dir {RUNTIME} | tr "{{" "\\n" | grep \'"slot":{slot},"state"\'').strip()


def run():
    with Lab(drives=3, memory=512, cmdline='nvme_core.admin_timeout=3 nvme_core.io_timeout=3') as lab:
        live(lab, 3)
        d = Daemon(lab, mode='observe')
        d.until(lambda: sum(d.get('drive_up')) == 3, 60, 'three drives up')
        first, second = controller(lab, 'LAB0000'), controller(lab, 'LAB0001')
        replaced = sum(d.get('drive_replaced_total'))
        polls = sum(d.get('drive_polls_total', slot='0'))

        lab.ok(f'echo 1 >/sys/class/nvme/{first}/reset_controller')
        d.until(lambda: d.get('drive_up', slot='0') == [1] and sum(d.get('drive_polls_total', slot='0')) > polls + 3, 60, 'not back after its reset')
        assert sum(d.get('drive_replaced_total')) == replaced and sum(d.get('drive_up')) == 3

        address = lab.ok(f'cat /sys/class/nvme/{second}/address').strip()
        # No register of it can be read any more, nor after a reset, which would turn that on again.
        lab.ok(f'sh -c "while [ -e /sys/bus/pci/devices/{address} ]; do setpci -s {address} COMMAND=0:2; done" >/dev/null 2>&1 &')
        took = d.until(lambda: d.get('drive_up', slot='1') == [0], 120, 'the dead drive still counts as up')
        lab.wait(f'[ ! -e /sys/class/nvme/{second} ] || [ "$(cat /sys/class/nvme/{second}/state)" = dead ]', timeout=180)
        ended = d.until(lambda: any(word in state(lab, 1) for word in ('"failed"', '"gone"', '"unbound"')), 60, 'the dead drive is not told as such')
        print(f'dead drive: up 0 after {took:.1f} s; the kernel gave it up and so did we {ended:.1f} s later: {state(lab, 1)[:160]}')
        assert not d.get('drive_temperature_celsius', slot='1'), 'a dead drive still has a temperature'
        assert d.get('drive_up', slot='0') == d.get('drive_up', slot='2') == [1]
        polls = sum(d.get('drive_polls_total', slot='2'))
        d.until(lambda: sum(d.get('drive_polls_total', slot='2')) > polls + 1, 120, 'its neighbour is not polled')
        assert d.log().count(second) < 20, d.log()
        d.stop()
        assert 'exit 0' in d.log(), d.log()
