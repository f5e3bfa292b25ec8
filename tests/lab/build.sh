#!/usr/bin/env bash
# tests/lab/build.sh: prints the directory with the lab's kernel and initramfs, building them when there are none for this kernel
# version and these scripts. Needs the network once (the kernel package is downloaded and unpacked, not installed).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-[0-9]/{print $2; exit}')
[ -n "$package" ] || { echo "lab: apt knows no linux-image-amd64 (run apt-get update)" >&2; exit 125; }
version=${package#linux-image-}
modules="virtio_pci virtio_net virtio_console 9p 9pnet_virtio overlay nvme i2c-dev i2c-stub aer_inject lm75 adt7475 ltc4215
  raid0 raid1 raid456 dm-crypt aesni_intel xts bfq kyber-iosched crc32c_intel"

key=$(cat "$here/init" "$0" | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/elementd-lab
out=$cache/$version-$key
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
[ -e "$out/done" ] && { echo "$out"; exit 0; }

work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
echo "lab: building kernel $version and initramfs (once)" >&2
apt-get download -q "$package" >/dev/null 2>&1 || { echo "lab: cannot download $package" >&2; exit 125; }
dpkg -x "$package"_*.deb kernel
depmod -b kernel "$version"

# The uncompressed image boots fastest (PVH entry).
python3 - "kernel/boot/vmlinuz-$version" vmlinux <<'PY'
import lzma, sys
image = open(sys.argv[1], 'rb').read()
elf = lzma.LZMADecompressor().decompress(image[image.index(b'\xfd7zXZ\0'):])
assert elf[:4] == b'\x7fELF'
open(sys.argv[2], 'wb').write(elf)
PY

mkdir -p root/{bin,proc,sys,dev,run,tmp,host,hr,rw,etc} "root/lib/modules/$version"
cp /bin/busybox root/bin/
for applet in $(/bin/busybox --list); do [ "$applet" = busybox ] || ln -s busybox "root/bin/$applet"; done
for m in $modules; do modprobe -d kernel -S "$version" --show-depends "$m" 2>/dev/null | awk '/^insmod/{print $2}' || true; done |
  sort -u | while read -r file; do
    relative=${file#*/lib/modules/"$version"/}
    install -D "$file" "root/lib/modules/$version/$relative"
  done
cp kernel/lib/modules/"$version"/modules.{builtin,builtin.modinfo,order} "root/lib/modules/$version/"
depmod -b root "$version"
install -m 755 "$here/init" root/init
(cd root && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >initrd.cpio

rm -rf "$out"
mkdir "$out"
mv vmlinux initrd.cpio "$out/"
touch "$out/done"
echo "$out"
