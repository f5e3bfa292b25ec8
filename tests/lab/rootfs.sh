#!/usr/bin/env bash
# tests/lab/rootfs.sh PACKAGE.deb: prints a directory with a small Debian 12 under systemd that has what this package needs (not
# the package), making it when there is none. Needs root, mmdebstrap and Debian's archive; exit 125 without.
set -euo pipefail
command -v mmdebstrap >/dev/null && [ "$(id -u)" -eq 0 ] || { echo "lab: needs root and mmdebstrap" >&2; exit 125; }
needs=$(dpkg-deb -f "$1" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/ //g')
key=$(cat "$0" - <<<"$needs" | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/elementd-lab
out=$cache/rootfs-$key
mkdir -p "$cache"
exec 9>"$cache/rootfs.lock"
flock 9
[ -e "$out/etc/systemd/system/lab-agent.service" ] && { echo "$out"; exit 0; }
rm -rf "$out" "$out.new"
echo "lab: making a Debian for the guest (once)" >&2
mmdebstrap --quiet --variant=minbase --mode=root --include="systemd,systemd-sysv,dbus,curl,pciutils,$needs" bookworm "$out.new" >&2 || exit 125
cat >"$out.new/usr/local/bin/lab-agent" <<'SH'
#!/bin/sh
# Commands from the host: see the lab's init.
mkdir -p /host
mountpoint -q /host || mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=none share /host
exec 3<>"$(ls /dev/vport*p1)"
echo "@@READY" >&3
while read -r n line <&3; do
  echo "$line" | base64 -d >/run/lab-script
  sh /run/lab-script >/run/lab-output 2>&1 </dev/null 3>&-
  status=$?
  echo "@@BEGIN $n $(wc -c </run/lab-output)" >&3
  cat /run/lab-output >&3
  echo "@@END $n $status" >&3
done
SH
chmod 755 "$out.new/usr/local/bin/lab-agent"
install -d "$out.new/etc/systemd/system/multi-user.target.wants"
printf '[Service]\nExecStart=/usr/local/bin/lab-agent\nEnvironment=HOME=/root\n' >"$out.new/etc/systemd/system/lab-agent.service"
ln -s ../lab-agent.service "$out.new/etc/systemd/system/multi-user.target.wants/"
rm -rf "$out.new/var/cache/apt/archives" "$out.new/var/lib/apt/lists"
mv "$out.new" "$out"
echo "$out"
