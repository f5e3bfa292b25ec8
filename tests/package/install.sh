#!/usr/bin/env bash
# Installs, upgrades, removes and purges the Debian package in a fresh Debian 12: tests/package/install.sh SCRATCH-DIR
# Exit 77 (skipped) without mmdebstrap or root. Services are enabled there, not started: there is no service manager inside.
set -eu -o pipefail
command -v mmdebstrap >/dev/null && [ "$(id -u)" -eq 0 ] || exit 77
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
deb=$("$root/deploy/package/build" "$1")
depends=$(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/ //g')
cat >"$1/inside" <<'SH'
#!/bin/sh
set -eu
say() { echo "==> $*"; }
must() { "$@" || { echo "FAILED: $*"; exit 1; }; }

say install
must dpkg -i /root/elementd.deb
must test -n "$(getent passwd elementd-exporter)"
for unit in elementd.service elementd-exporter.service; do must test -L /etc/systemd/system/multi-user.target.wants/$unit; done
must test ! -e /etc/systemd/system/sockets.target.wants/elementd-exporter.socket   # off until somebody enables it
must elementd check /etc/elementd/elementd.yaml
must elementd scan --simulate lqd4500
must elementd simulate --card element-aic --workload random-read-4k --hours 0.1
must systemd-analyze verify --man=no /lib/systemd/system/elementd.service /lib/systemd/system/elementd-exporter.service

say upgrade
echo "# mine" >>/etc/elementd/elementd.yaml
rm /etc/systemd/system/multi-user.target.wants/elementd-exporter.service
must dpkg -i --force-confold /root/elementd.deb
must grep -q "^# mine" /etc/elementd/elementd.yaml
must test ! -e /etc/systemd/system/multi-user.target.wants/elementd-exporter.service   # a choice to disable survives

say remove
mkdir -p /var/lib/elementd && touch /var/lib/elementd/endurance
must dpkg -r elementd
must test ! -e /usr/bin/elementd
must test -e /etc/elementd/elementd.yaml
must test -e /var/lib/elementd/endurance

say purge
must dpkg -P elementd
must test ! -e /etc/elementd/elementd.yaml
must test ! -e /var/lib/elementd
left=$(find / -xdev -name '*elementd*' -not -path '/proc/*' -not -path '/root/*' -not -path '/var/cache/*' -not -path '/var/log/*')
must test -z "$left" || echo "$left"
say good
SH
chmod +x "$1/inside"
mmdebstrap --quiet --variant=minbase --format=null --include="systemd,$depends" \
  --customize-hook="copy-in $1/inside /root" --customize-hook="cp $deb \"\$1/root/elementd.deb\"" \
  --customize-hook='chroot "$1" /root/inside' bookworm - >"$1/install.log" 2>&1 || { tail -40 "$1/install.log"; exit 1; }
grep '^==>' "$1/install.log"
grep -qx '==> good' "$1/install.log"
