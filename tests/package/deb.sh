#!/usr/bin/env bash
# Builds the Debian package and looks inside: tests/package/deb.sh SCRATCH-DIR
set -eu -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
deb=$("$root/deploy/package/build" "$1")
bad=0
list=$(dpkg-deb -c "$deb" | awk '{print $6}')
has() { grep -qx "./$1" <<<"$list" || { echo "missing in the package: $1"; bad=1; }; }

for f in usr/bin/elementd usr/bin/elementd-exporter etc/elementd/elementd.yaml usr/share/snmp/mibs/ELEMENT-MIB.txt \
  lib/systemd/system/elementd.service lib/systemd/system/elementd-exporter.service \
  lib/systemd/system/elementd-exporter.socket lib/sysusers.d/elementd.conf \
  usr/share/elementd/prometheus/rules/elementd-alerts.yml usr/share/elementd/profiles/lqd4500.yaml \
  usr/share/elementd/dashboards/elementd-fleet.json usr/share/elementd/runbooks/ElementDriveLost.md \
  usr/share/man/man8/elementd.8.gz usr/share/man/man8/elementd-exporter.8.gz usr/share/man/man5/elementd.yaml.5.gz \
  usr/share/doc/elementd/copyright; do
  # usr/lib and lib are one place on Debian
  case $f in lib/*) grep -qxE "\./(usr/)?$f" <<<"$list" || { echo "missing in the package: $f"; bad=1; } ;; *) has "$f" ;; esac
done
# One manual page a command.
"$root/build/deb/elementd" --help | sed -nE 's/^  ([a-z]+) .*/\1/p' | while read -r c; do echo "usr/share/man/man1/elementd-$c.1.gz"; done >"$1/pages"
while read -r f; do has "$f"; done <"$1/pages"
dpkg-deb --info "$deb" conffiles | grep -qx /etc/elementd/elementd.yaml || { echo "the settings file is no conffile"; bad=1; }

# Manual pages without warnings.
dpkg-deb -x "$deb" "$1/tree"
for page in "$1"/tree/usr/share/man/man*/*.gz; do
  warnings=$(gzip -dc "$page" | groff -man -Tutf8 -ww -z 2>&1 || true)
  [ -z "$warnings" ] || { echo "$page: $warnings"; bad=1; }
done
[ -z "$(find "$1/tree" -name make.py -o -name __pycache__)" ] || { echo "the package ships scripts of the build"; bad=1; }
rm -rf "$1/tree"

if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$deb" || bad=1
else
  echo "lintian is not installed: not checked"
fi
exit $bad
