"""An asynchronous event of a drive, passed on by the kernel as a uevent, raises an alarm at once: a poll would come minutes later. The
kernel asks drives only for news of namespaces and firmware; here the drive is told to report critical warnings too."""
from daemon import *
from lab import Lab

# Set Features 0Bh with what is set already and all critical warnings
TELL = r'''
import fcntl, struct, sys
def admin(fd, opcode, dword11):
    command = bytearray(struct.pack('<BBHIIIQQIIIIIIIIII', opcode, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0b, dword11, 0, 0, 0, 0, 0, 0))
    assert fcntl.ioctl(fd, 0xc0484e41, command) == 0
    return struct.unpack_from('<I', command, 68)[0]
with open(sys.argv[1]) as f:
    admin(f, 0x09, admin(f, 0x0a, 0) | 0xff)
'''

HEAR = '''
import socket
s = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15)
s.bind((0, 1))
with open('/host/uevents', 'w', buffering=1) as out:
    while True:
        print(s.recv(8192).decode(errors='replace').replace(chr(0), ' '), file=out)
'''


def run():
    with Lab(drives=2) as lab:
        live(lab, 2)
        open(lab.share + '/tell.py', 'w').write(TELL)
        victim = controller(lab, 'LAB0001')
        lab.ok(f'python3 /host/tell.py /dev/{victim}')
        d = Daemon(lab, mode='observe', poll_ms=300000)
        d.until(lambda: sum(d.get('drive_up')) == 2, 60, 'two drives up')
        open(lab.share + '/hear.py', 'w').write(HEAR)
        lab.ok('(python3 /host/hear.py >/dev/null 2>&1 &)')
        lab.wait('[ -e /host/uevents ]')
        polls = sum(d.get('drive_polls_total', slot='1'))
        lab.set('nv1', 'smart_critical_warning', 4)
        seen = d.until(lambda: 1 in d.get('drive_critical_warning', slot='1', warning='reliability'), 120, 'no critical warning')
        alarm = d.until(lambda: 'reliability' in lab.ok(f'{ELEMENTD} status --runtime-dir {RUNTIME}').lower(), 120, 'no alarm')
        event = [word for line in open(lab.share + '/uevents') for word in line.split() if word.startswith('NVME_AEN=')]
        print(f'critical warning seen after {seen:.2f} s, alarm after {seen + alarm:.2f} s; polls come every 300 s; the kernel said {event}')
        assert len(event) == 1, open(lab.share + '/uevents').read()
        assert sum(d.get('drive_polls_total', slot='1')) > polls
        d.stop()
