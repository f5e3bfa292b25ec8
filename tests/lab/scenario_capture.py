"""elementd capture in the guest, replayed on the host: the same machine, without its serials. And doctor on both kinds of machine."""
import json, os, re, subprocess
from lab import Lab

ELEMENTD = os.environ['EL_BUILD'] + '/elementd'


def slots(text):
    return [{k: v for k, v in s.items() if k in ('number', 'state', 'controller', 'address', 'model')}
            for card in json.loads(text)['cards'] for s in card['slots']]


def run():
    with Lab(drives=4) as lab:
        lab.wait('[ $(cat /sys/class/nvme/*/state | grep -c live) = 4 ]')
        told = json.loads(lab.ok(f'{ELEMENTD} capture /run/machine --json'))
        assert told['drives'] == 4 and told['pages'] > 8, told
        lab.ok('tar -C /run -cf /host/machine.tar machine')
        subprocess.run(['tar', '-C', lab.share, '-xf', lab.share + '/machine.tar'], check=True)
        lab.wait(f'[ $({ELEMENTD} scan --json | grep -c \'"state": "up"\') = 4 ]', timeout=120)  # a slow guest answers late
        live = lab.ok(f'{ELEMENTD} scan --json')
        replay = subprocess.run([ELEMENTD, 'scan', '--json', '--root', lab.share + '/machine'], capture_output=True, text=True)
        assert replay.returncode == 0, replay.stderr
        assert len(slots(live)) == 4 and slots(live) == slots(replay.stdout), (live, replay.stdout)
        assert 'LAB0002' in live and 'LAB0' not in replay.stdout and 'SCRUBBED0002' in replay.stdout
        leak = subprocess.run(['grep', '-rlE', 'LAB0[0-9]|nqn\\.', lab.share + '/machine'], capture_output=True, text=True)
        assert not leak.stdout, leak.stdout
        lab.ok(f'{ELEMENTD} capture /run/machine && exit 1 || true')  # never over another

        status, out = lab.sh(f'{ELEMENTD} doctor')
        assert status == 1 and 'IOAccounting=yes' in out, out
        lab.ok('echo +io > /sys/fs/cgroup/cgroup.subtree_control')
        lab.ok("mkdir -p /run/udev/data; printf 'E:ID_FS_TYPE=zfs_member\\nE:ID_FS_LABEL=tank\\n' "
               '>/run/udev/data/b$(cat /sys/block/nvme1n1/dev)')  # as udev notes it
        out = lab.ok(f'{ELEMENTD} doctor --json')
        assert out.count('nvme1n1 is in a ZFS pool (tank, not imported now)') == out.count('ZFS') // 2 == 1, out
        assert json.loads(out)['verdict'] == 'note', out
