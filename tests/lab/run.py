#!/usr/bin/env python3
"""run.py SCENARIO: runs one lab scenario in a fresh guest. Exit 0 passed, 1 failed, 77 skipped (no QEMU or no way to get a
kernel). A failure of the lab itself (125) is tried once more; a failure of the thing under test never is."""
import importlib.util, os, resource, shutil, subprocess, sys, time, traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from lab import LabError

NEEDED = ('qemu-system-x86_64', 'busybox', 'cpio', 'apt-cache', 'modprobe')


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def images():
    os.environ['PATH'] += ':/usr/sbin:/sbin'
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        skip(f'not installed: {", ".join(missing)}')
    build = subprocess.run([HERE + '/build.sh'], stdout=subprocess.PIPE, text=True)
    if build.returncode == 125:
        skip('no kernel for the guest')
    if build.returncode:
        sys.exit(1)
    return build.stdout.strip()


def attempt(scenario):
    try:
        start = time.time()
        scenario()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f'passed in {time.time() - start:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processors')
        return 0
    except LabError as error:
        print(f'the lab failed: {error}')
        return 125
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return 1


def main():
    name = sys.argv[1]
    os.environ.setdefault('EL_BUILD', os.path.normpath(HERE + '/../../build/dev'))
    os.environ['EL_LAB_IMAGES'] = images()
    spec = importlib.util.spec_from_file_location(name, f'{HERE}/scenario_{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    status = attempt(module.run)
    if status == 125:
        print('once more')
        status = attempt(module.run)
    return status


if __name__ == '__main__':
    sys.exit(main())
