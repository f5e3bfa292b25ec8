"""A multi-drive NVMe card behind a PCIe switch in a QEMU guest, under a stock Debian kernel.

    with Lab(drives=8) as lab:
        lab.ok('ls /sys/class/nvme')
        lab.unplug(3)

The guest sees the host's root read-only (with a writable overlay), so any program of the host runs in it unchanged. LabError
means that the lab itself failed (boot, timeout, guest gone), never that the thing under test did.
"""
import base64, json, os, shutil, socket, subprocess, tempfile, time


class LabError(Exception):
    pass


class Monitor:
    """QEMU's machine protocol."""

    def __init__(self, path, process, timeout=30):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.time() + timeout
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if process.poll() is not None or time.time() > end:
                    raise LabError('QEMU did not start')
                time.sleep(0.02)
        self.socket.settimeout(timeout)
        self.file = self.socket.makefile('rw')
        self.file.readline()
        self('qmp_capabilities')

    def __call__(self, name, **arguments):
        self.file.write(json.dumps({'execute': name, 'arguments': arguments}) + '\n')
        self.file.flush()
        while True:
            line = self.file.readline()
            if not line:
                raise LabError('QEMU went away')
            reply = json.loads(line)
            if 'error' in reply:
                raise LabError(f'{name}: {reply["error"]["desc"]}')
            if 'return' in reply:
                return reply['return']


class Lab:
    def __init__(self, drives=4, cards=1, cmdline='', memory=384, drive_options='', devices=(), native=False, subsystem=False, boot_timeout=120, root='/', counted=False, namespaces=1):
        self.images = os.environ['EL_LAB_IMAGES']
        self.root = root  # what the guest's root is an overlay of
        self.counted = counted  # the guest's clock counts instructions, one a nanosecond: times that no load of the host can change
        self.namespaces = namespaces  # of each drive
        self.dir = tempfile.mkdtemp(prefix='elementd-lab.', dir='/dev/shm')
        self.share = self.dir + '/share'
        os.mkdir(self.share)
        self.count = 0
        self.process = None
        # native: PCIe hot plug by the ports (slow, slot numbers are ours); else by ACPI (0.3 s)
        arguments = self._machine(memory, cmdline, native) + list(devices)
        for card in range(cards):
            arguments += self._card(card, drives, drive_options, subsystem)
        try:
            with open(self.dir + '/qemu.err', 'w') as errors:
                self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
            self.monitor = Monitor(self.dir + '/monitor', self.process)
            self.agent = socket.socket(socket.AF_UNIX)
            self.agent.connect(self.dir + '/agent')
            self.agent.settimeout(boot_timeout)
            self.file = self.agent.makefile('rwb')
            self._until(b'@@READY')
        except Exception as error:
            log = self.log()
            self.close()
            raise LabError(f'boot failed: {error!r}\n{log}')

    def _machine(self, memory, cmdline, native):
        d = self.dir
        # no_timer_check: else a kernel that gets fewer than five ticks in the 40 ms or so that it looks panics, as on a busy host.
        return ['qemu-system-x86_64', '-M', 'q35', *(['-accel', 'tcg,thread=single', '-icount', 'shift=0'] if self.counted else ['-accel', 'tcg,thread=multi']), '-cpu', 'max', '-smp', '1' if self.counted else '2', '-m', str(memory),
                '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot',
                '-kernel', f'{self.images}/vmlinux', '-initrd', f'{self.images}/initrd.cpio',
                '-append', f'console=ttyS0 loglevel=5 panic=-1 no_timer_check tsc={"reliable" if self.counted else "unstable"} {cmdline}', '-serial', f'file:{d}/serial.log',
                '-qmp', f'unix:{d}/monitor,server=on,wait=off',
                '-device', 'virtio-serial-pci,id=vs', '-chardev', f'socket,id=agent,path={d}/agent,server=on,wait=off',
                '-device', 'virtserialport,bus=vs.0,nr=1,chardev=agent,name=lab.agent',
                '-fsdev', f'local,id=share,path={self.share},security_model=none',
                '-device', 'virtio-9p-pci,fsdev=share,mount_tag=share',
                '-fsdev', f'local,id=root,path={self.root},security_model=none,readonly=on,multidevs=remap',
                '-device', 'virtio-9p-pci,fsdev=root,mount_tag=root',
                '-global', f'ICH9-LPC.acpi-pci-hotplug-with-bridge-support={"off" if native else "on"}']

    def _card(self, card, drives, options, subsystem):
        chassis = card * 16 + 1
        a = ['-device', f'pcie-root-port,id=rp{card},bus=pcie.0,addr={0x10 + card:x},chassis={chassis},slot={chassis},'
             'x-speed=16,x-width=16', '-device', f'x3130-upstream,id=up{card},bus=rp{card}']
        for j in range(drives):
            i = card * drives + j
            image = f'{self.dir}/d{i}.img'
            with open(image, 'wb') as f:
                f.truncate(1 << 30)
            a += ['-device', f'xio3130-downstream,id=dn{i},bus=up{card},addr={j:x},chassis={chassis + 1 + j},slot={chassis + 1 + j}',
                  '-drive', f'file={image},if=none,id=d{i},format=raw,cache=unsafe,discard=unmap',
                  *self._drive(i, options, subsystem)]
        return a

    def _drive(self, i, options, subsystem):
        """With a subsystem Linux puts a multipath head above the drive."""
        if not subsystem and self.namespaces == 1:
            return ['-device', f'nvme,id=nv{i},bus=dn{i},serial=LAB{i:04d},drive=d{i}{options}']
        if not subsystem:
            more = [word for k in range(1, self.namespaces + 1) for word in
                    ('-drive', f'if=none,id=d{i}.{k},driver=null-co,read-zeroes=on,size=64M', '-device', f'nvme-ns,drive=d{i}.{k},bus=nv{i},nsid={k}')]
            return ['-device', f'nvme,id=nv{i},bus=dn{i},serial=LAB{i:04d}{options}', *more]
        return ['-device', f'nvme-subsys,id=ss{i},nqn=lab{i}', '-device', f'nvme,id=nv{i},bus=dn{i},serial=LAB{i:04d},subsys=ss{i}{options}',
                '-device', f'nvme-ns,drive=d{i},bus=nv{i},nsid=1,shared=on']

    def log(self):
        text = ''
        for name in ('qemu.err', 'serial.log'):
            path = f'{self.dir}/{name}'
            if os.path.exists(path):
                text += open(path, errors='replace').read()[-3000:]
        return text

    def _until(self, token):
        while True:
            try:
                line = self.file.readline()
            except (TimeoutError, socket.timeout):
                raise LabError('the guest does not answer')
            if not line:
                raise LabError('the guest went away')
            if line.startswith(token):
                return line

    def sh(self, script, timeout=120):
        """Runs a script in the guest: (status, output)."""
        self.count += 1
        self.agent.settimeout(timeout)
        self.file.write(f'{self.count} {base64.b64encode(script.encode()).decode()}\n'.encode())
        self.file.flush()
        head = self._until(b'@@BEGIN %d ' % self.count)
        output = self.file.read(int(head.split()[2]))
        end = self._until(b'@@END %d ' % self.count)
        return int(end.split()[2]), output.decode(errors='replace')

    def ok(self, script, **options):
        status, output = self.sh(script, **options)
        if status:
            raise AssertionError(f'status {status}: {script}\n{output}')
        return output

    def wait(self, script, timeout=120):
        """Asks until the script succeeds: how to wait for a guest that may be slow."""
        end = time.time() + timeout
        while True:
            status, output = self.sh(script)
            if status == 0:
                return output
            if time.time() > end:
                raise AssertionError(f'not within {timeout} s: {script}\n{output}')
            time.sleep(0.1)

    def set(self, device, name, value):
        return self.monitor('qom-set', path=f'/machine/peripheral/{device}', property=name, value=value)

    def unplug(self, i):
        self.monitor('device_del', id=f'nv{i}')

    def plug(self, i, serial):
        self.monitor('device_add', driver='nvme', id=f'nv{i}', bus=f'dn{i}', serial=serial, drive=f'd{i}')

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if not os.environ.get('EL_LAB_KEEP'):
            shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind and not issubclass(kind, LabError):
            print(self.log())
        self.close()
