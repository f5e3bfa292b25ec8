"""10,000 polls by the daemon, every admin command counted by the kernel's own tracing: in steady state one Get Log Page 02h a poll and
nothing else, and no drive's error log grows, start included."""
import re
from daemon import *
from lab import Lab

DRIVES, POLLS = 8, 10000
TRACE = '/sys/kernel/debug/tracing'


def polls(d):
    """Of all drives; a guest that is behind shows none while its snapshot is old. Each look is work for the guest too."""
    found = []

    def all_told():
        found[:] = [v for (name, _), v in d.metrics().items() if name == 'element_drive_polls_total']
        return len(found) == DRIVES
    d.until(all_told, 120, 'polls of all drives')
    return sum(found)


def traced(lab):
    """{(controller, command, its dword 10): times}"""
    found = {}
    for line in lab.ok(f'cat {TRACE}/trace').splitlines():
        match = re.search(r'nvme_setup_cmd: (nvme\d+): qid=0,.* cmd=\((\w+) (.*)\)', line)
        if match:
            found[match.groups()] = found.get(match.groups(), 0) + 1
    return found


def run():
    with Lab(drives=DRIVES, memory=768) as lab:
        live(lab, DRIVES)
        lab.ok(f'cd {TRACE} && echo 16384 >buffer_size_kb && echo "qid == 0" >events/nvme/nvme_setup_cmd/filter && '
               'echo 1 >events/nvme/nvme_setup_cmd/enable')
        d = Daemon(lab, mode='observe', tick_ms=100, poll_ms=100)
        d.until(lambda: sum(d.get('drive_up')) == DRIVES, 60, 'all drives up')
        start = traced(lab)
        print(f'start: {sum(start.values()) / DRIVES:.1f} commands a drive, polls included')
        lab.ok('sleep 3')  # what is read once has been read
        lab.ok(f'echo >{TRACE}/trace')
        before = polls(d)
        end = time.time() + 1500
        while polls(d) < POLLS:
            assert time.time() < end, f'only {polls(d):.0f} polls'
            lab.ok('sleep 5')
        least = polls(d) - before
        seen = traced(lab)
        after = polls(d)
        print(f'{after:.0f} polls since the start; {least:.0f} to {after - before:.0f} of them traced: {sum(seen.values())} commands, '
              f'{sorted({(c, w) for _, c, w in seen})}')
        assert least - DRIVES <= sum(seen.values()) <= after - before + 2 * DRIVES
        assert {(c, w[:26]) for _, c, w in seen} == {('nvme_admin_get_log_page', 'cdw10=02 00 7f 00 00 00 00')}, seen
        assert max(seen.values()) - min(seen.values()) < 0.1 * least / DRIVES, seen
        d.until(lambda: d.get('drive_error_log_entries_total') == [0] * DRIVES, 120, 'error log entries of all drives')
        assert sum(d.get('drive_error_log_growth_caused_total')) == 0
        d.stop()
