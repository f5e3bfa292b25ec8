# Sourced: need_packages NAME... installs the missing ones by name (Debian 12), and says so.

need_packages() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "==> installing packages: ${missing[*]}"
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: need root to install packages; as root: apt-get install ${missing[*]}" >&2; return 1; }
    sudo=sudo
  fi
  $sudo apt-get update -qq &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    { echo "error: could not install: ${missing[*]}" >&2; return 1; }
}

BUILD_PACKAGES="gcc libc6-dev linux-libc-dev cmake ninja-build pkg-config libmicrohttpd-dev libsnmp-dev libnvme-dev libsensors-dev
  libyaml-dev libjansson-dev libseccomp-dev libcap-ng-dev libgnutls28-dev libcrypt-dev zlib1g-dev"
DEB_PACKAGES="dpkg-dev file python3" # dependencies of programs, manual pages
TEST_PACKAGES="libcmocka-dev snmp snmpd snmptrapd smitools prometheus-snmp-exporter locales python3 python3-yaml python3-prometheus-client curl jq procps prometheus prometheus-alertmanager binutils iproute2
  groff-base lintian file openssl valgrind"
FULL_PACKAGES="chromium mmdebstrap clang clang-tidy clang-format cppcheck llvm wrk prometheus-node-exporter"
# Where Node.js came from elsewhere, Debian's npm cannot be installed beside it.
command -v npm >/dev/null || FULL_PACKAGES+=" nodejs npm"
LAB_PACKAGES="pciutils procps qemu-system-x86 busybox-static cpio xz-utils kmod zstd mdadm nvme-cli"
