#!/usr/bin/env bash
# Exposure of the two units as systemd scores it (0 best, 10 worst), and that systemd understands every line of them.
set -u
cd "$(dirname "$0")/../.."
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is not here"; exit 77; }
bad=0
expect() { # UNIT TENTHS
  local got
  got=$(systemd-analyze security --offline=true --no-pager "deploy/systemd/$1" 2>&1 | sed -nE 's/.*exposure level for [^:]+: ([0-9]+)\.([0-9]).*/\1\2/p')
  echo "$1: ${got:-unknown} tenths, at most $2"
  [ -n "$got" ] && [ "$((10#$got))" -le "$2" ] || bad=1
  local lines
  lines=$(systemd-analyze verify "deploy/systemd/$1" 2>&1 | grep -vE "is not executable|Command 'man|Failed to (prepare|load)|^$")
  [ -z "$lines" ] || { echo "$lines"; bad=1; }
}
expect elementd.service 20
expect elementd-exporter.service 15
# What would end the same way each time is not started again.
for unit in deploy/systemd/*.service; do
  grep -qx "RestartPreventExitStatus=2" "$unit" || { echo "$unit: restarts after wrong settings"; bad=1; }
done
# The socket that systemd may hold for the exporter is the one it would open itself.
port=$(sed -nE 's/^ListenStream=([0-9]+)$/\1/p' deploy/systemd/elementd-exporter.socket)
grep -q "EL_WEB_PORT *\"$port\"" -r src --include=*.h || { echo "elementd-exporter.socket: ListenStream is not the default port"; bad=1; }
lines=$(systemd-analyze verify deploy/systemd/elementd-exporter.socket 2>&1 | grep -vE "is not executable|Command 'man|Failed to (prepare|load)|^$")
[ -z "$lines" ] || { echo "$lines"; bad=1; }
exit $bad
