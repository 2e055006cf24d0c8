#!/bin/sh
# Installs and starts what PTH needs on a bare Debian or Ubuntu host: a container engine, bubblewrap, git and the tools
# that make base images without a registry. Says what it does, changes only what is missing, and can be run again.
#
#   scripts/setup-host.sh                  install what is missing, start the engine
#   scripts/setup-host.sh --with-browser   the same, and Chromium, in which the HTML report is tested
#   scripts/setup-host.sh --with-vm        the same, and QEMU and libvirt, for virtual machines and their images
#   scripts/setup-host.sh --check          only tell; exit code 1 when something is missing (with --with-vm: also that)
#   scripts/setup-host.sh --stop           stop the engine and the libvirt daemon that this script started
#
# Where systemd runs it starts them; elsewhere (containers, CI) dockerd and libvirtd are started by hand, with their
# pids in $PTH_ENGINE_DIR (default /run/pth) and their logs beside. CI=true makes it quiet and never asks for a password.
set -eu

engine_dir=${PTH_ENGINE_DIR:-/run/pth}
pid_file=$engine_dir/dockerd.pid
log_file=$engine_dir/dockerd.log
answer_within=60
with_browser=false
with_vm=false
libvirt_pid_file=$engine_dir/libvirtd.pid
libvirt_log=$engine_dir/libvirtd.log

say() { echo "setup-host: $*"; }
fail() { say "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# Debian keeps system tools where a user's PATH may not lead.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif ! has sudo; then fail "this needs root, and there is no sudo: run it as root"
  elif [ "${CI:-}" = true ]; then sudo -n "$@"
  else sudo "$@"
  fi
}

# --- what is missing -------------------------------------------------------------------------------------------------

has_browser() { [ -n "${PTH_CHROMIUM:-}" ] || has chromium || has chromium-browser || has google-chrome; }

has_venv() { has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Packages for what is not there, one word each.
missing_packages() {
  has dockerd || echo docker.io
  # Newer releases keep the command line in a package of its own.
  has docker || apt-cache search --names-only '^docker-cli$' 2>/dev/null | cut -d' ' -f1
  has bwrap || echo bubblewrap
  has git || echo git
  has mmdebstrap || has debootstrap || echo mmdebstrap
  has_venv || echo python3-venv
  # An unprivileged user's bootstrap needs sub-ids.
  [ "$(id -u)" = 0 ] || has newuidmap || echo uidmap
  has nsenter || echo util-linux
  has ip || echo iproute2
  has iptables || echo iptables
  has tar || echo tar
  has npm || echo npm
  ! $with_browser || has_browser || echo chromium
  ! $with_vm || missing_vm_packages
  [ -s /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
}

# QEMU and libvirt, and what makes and reaches the machines' images.
missing_vm_packages() {
  has qemu-system-x86_64 || echo qemu-system-x86
  has qemu-img || echo qemu-utils
  has libvirtd || echo libvirt-daemon libvirt-daemon-driver-qemu libvirt-daemon-system
  has virsh || echo libvirt-clients
  has busybox && busybox --list | grep -qx cpio || echo busybox-static
  has ssh-keygen || echo openssh-client
  has mkfs.ext4 || echo e2fsprogs
  # Newer releases do not have it.
  has packer || apt-cache search --names-only '^packer$' 2>/dev/null | cut -d' ' -f1
}

install_missing() {
  packages=$(missing_packages | tr '\n' ' ')
  if [ -z "$packages" ]; then
    say "nothing to install"
    return
  fi
  has apt-get || fail "there is no apt-get here; install by hand what stands for: $packages"
  say "installing: $packages"
  quiet=-y
  [ "${CI:-}" = true ] && quiet=-yqq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install $quiet --no-install-recommends $packages
}

check_node() {
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  [ "$major" -ge 20 ] && return 0
  say "Node.js 20 or newer is missing; this distribution may not have it: see https://nodejs.org" >&2
  return 1
}

# --- the engine ------------------------------------------------------------------------------------------------------

# Asks as whoever runs the script may: root's own engine counts, though the user may have no access to it yet.
engine_answers() { docker version >/dev/null 2>&1; }
engine_answers_root() { engine_answers || as_root docker version >/dev/null 2>&1; }

with_systemd() { [ -d /run/systemd/system ] && has systemctl; }

engine_pid() {
  [ -s "$pid_file" ] || return 1
  pid=$(cat "$pid_file")
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] && echo "$pid"
}

mount_cgroups() {
  [ -e /sys/fs/cgroup/cgroup.controllers ] && return
  [ -d /sys/fs/cgroup/cpu ] || [ -d /sys/fs/cgroup/memory ] && return
  say "mounting cgroups"
  as_root mount -t cgroup2 cgroup2 /sys/fs/cgroup
}

wait_for_engine() {
  waited=0
  while ! engine_answers_root; do
    [ "$waited" -lt "$answer_within" ] || return 1
    if [ "${1:-}" = by-hand ] && [ "$waited" -gt 1 ] && ! engine_pid >/dev/null; then return 1; fi
    sleep 1
    waited=$((waited + 1))
  done
}

# $*: options of dockerd
start_by_hand() {
  say "starting dockerd by hand${*:+ with $*} (log: $log_file)"
  as_root mkdir -p "$engine_dir"
  as_root sh -c 'pid_file=$1 log_file=$2; shift 2
    setsid dockerd --pidfile "$pid_file" "$@" >"$log_file" 2>&1 </dev/null &' sh "$pid_file" "$log_file" "$@"
  wait_for_engine by-hand && return
  if engine_pid >/dev/null; then stop_engine; fi
  return 1
}

start_engine() {
  if engine_answers_root; then
    say "a container engine answers: $(docker version --format '{{.Server.Version}}' 2>/dev/null || echo 'as root only')"
    return
  fi
  if with_systemd; then
    say "starting docker with systemd"
    as_root systemctl start docker
    wait_for_engine || fail "the engine does not answer: journalctl -u docker"
    return
  fi
  mount_cgroups
  # Where the kernel or the container we run in forbids it, an engine without its own network still serves.
  start_by_hand || start_by_hand --iptables=false --ip6tables=false --bridge=none ||
    { as_root tail -n 20 "$log_file" >&2; fail "the engine does not answer after $answer_within s: $log_file"; }
  say "the engine answers"
}

tell_access() {
  engine_answers && return
  say "you may not use the engine yet: sudo usermod -aG docker $(id -un), then log in again"
}

stop_engine() {
  if ! pid=$(engine_pid); then
    say "nothing to stop: no engine was started by this script"
    return
  fi
  say "stopping dockerd ($pid)"
  end_daemon dockerd "$pid" "$pid_file"
}

# $1: its name, $2: its pid, $3: its pid file
end_daemon() {
  as_root kill -TERM "$2"
  waited=0
  while [ -e "/proc/$2" ] && [ "$waited" -lt 30 ]; do sleep 1; waited=$((waited + 1)); done
  [ ! -e "/proc/$2" ] || fail "$1 ($2) does not end"
  as_root rm -f "$3"
}

# --- libvirt ---------------------------------------------------------------------------------------------------------

libvirt_uri=qemu:///system
libvirt_answers() { has virsh && virsh --quiet --connect "$libvirt_uri" version >/dev/null 2>&1; }
libvirt_answers_root() { libvirt_answers || as_root virsh --quiet --connect "$libvirt_uri" version >/dev/null 2>&1; }

libvirt_pid() {
  [ -s "$libvirt_pid_file" ] || return 1
  pid=$(cat "$libvirt_pid_file")
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = libvirtd ] && echo "$pid"
}

# A KVM that opens may still run no guest, or slower than emulation: a boot sector that ends QEMU has 3 s to do so, and
# three times what it takes emulated. mov al,0x10; out 0xf4,al; cli; hlt: the exit code is 0x10 * 2 + 1.
kvm_runs_guests() {
  [ -c /dev/kvm ] || return 1
  sector=$(mktemp)
  { printf '\260\020\346\364\372\364'; head -c 504 /dev/zero; printf '\125\252'; } >"$sector"
  by_kvm=$(boot_sector_ms kvm) && emulated=$(boot_sector_ms tcg) && [ "$by_kvm" -le $((3 * emulated)) ]
  runs=$?
  rm -f "$sector"
  return $runs
}

# Milliseconds that the boot sector takes; fails where it does not run.
boot_sector_ms() {
  begun=$(date +%s%N)
  ended=0
  as_root timeout -k 1 3 qemu-system-x86_64 -accel "$1" -m 16 -nodefaults -display none -boot a \
    -device isa-debug-exit,iobase=0xf4,iosize=4 -drive "file=$sector,format=raw,if=floppy" >/dev/null 2>&1 || ended=$?
  echo $((($(date +%s%N) - begun) / 1000000))
  [ "$ended" = 33 ]
}

# Without a system around it the daemon runs machines as root and without the guards that need one.
write_qemu_conf() {
  as_root sh -c 'mkdir -p "$1" && cat >"$1/qemu.conf"' sh "$engine_dir" <<END
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
namespaces = []
stdio_handler = "file"
seccomp_sandbox = 0
max_core = 0
END
}

# Its configuration, and a /dev/kvm that is hidden where it runs no guest (libvirt would ask it for a minute each
# time), are in a mount namespace of its own: the host's files stay as they are. What hides it cannot be written:
# libvirt would ask QEMU anew, for seconds each time, as long as a KVM seems to be there that QEMU did not have.
start_libvirt_by_hand() {
  hide=no
  if [ -e /dev/kvm ] && ! kvm_runs_guests; then
    say "/dev/kvm is there, but runs guests not at all or slower than emulation does: machines will be emulated"
    hide=yes
  fi
  say "starting libvirtd by hand (log: $libvirt_log)"
  write_qemu_conf
  as_root mkdir -p /run/libvirt
  # shellcheck disable=SC2016 # expanded by the inner shell
  as_root setsid unshare --mount sh -c 'dir=$1 pid_file=$2 log_file=$3
    mount --bind "$dir/qemu.conf" /etc/libvirt/qemu.conf
    if [ "$4" = yes ]; then
      : >"$dir/no-kvm"
      mount --bind "$dir/no-kvm" /dev/kvm
      mount -o remount,bind,ro /dev/kvm
    fi
    exec libvirtd --daemon --pid-file "$pid_file" >"$log_file" 2>&1 </dev/null' \
    sh "$engine_dir" "$libvirt_pid_file" "$libvirt_log" "$hide"
}

start_libvirt() {
  if libvirt_answers_root; then
    say "libvirt answers: $(virsh --quiet --connect "$libvirt_uri" version 2>/dev/null | tail -n 1 || echo 'as root only')"
    return
  fi
  if with_systemd; then
    say "starting libvirt with systemd"
    as_root systemctl start libvirtd.socket || as_root systemctl start virtqemud.socket
  else
    start_libvirt_by_hand
  fi
  waited=0
  while ! libvirt_answers_root; do
    [ "$waited" -lt "$answer_within" ] ||
      { as_root tail -n 20 "$libvirt_log" >&2; fail "libvirt does not answer after $answer_within s"; }
    sleep 1
    waited=$((waited + 1))
  done
  say "libvirt answers"
  libvirt_answers || say "you may not use it yet: sudo usermod -aG libvirt $(id -un), then log in again"
}

stop_libvirt() {
  pid=$(libvirt_pid) || return 0
  say "stopping libvirtd ($pid)"
  end_daemon libvirtd "$pid" "$libvirt_pid_file"
}

check() {
  missing=$(missing_packages | tr '\n' ' ')
  problems=0
  if [ -n "$missing" ]; then say "missing packages: $missing"; problems=1; fi
  check_node || problems=1
  if engine_answers; then say "a container engine answers"
  else say "no container engine answers (the sandbox needs none)"; problems=1
  fi
  if libvirt_answers; then say "libvirt answers"
  elif $with_vm; then say "libvirt does not answer: virtual machines need it"; problems=1
  else say "libvirt does not answer (only virtual machines need it: --with-vm)"
  fi
  [ "$problems" = 0 ] && say "everything is there"
  return $problems
}

usage() { sed -n '2,12s/^# \{0,1\}//p' "$0"; }

action=install
for option in "$@"; do
  case "$option" in
    --with-browser) with_browser=true ;;
    --with-vm) with_vm=true ;;
    --check | --stop) action=${option#--} ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

case "$action" in
  install)
    install_missing
    start_engine
    tell_access
    ! $with_vm || start_libvirt
    check_node || exit 1
    say "done; next: deno task pth images build debian12"
    ! $with_vm || say "and for virtual machines: deno task pth images build debian12-vm"
    ;;
  check) check ;;
  stop) stop_libvirt; stop_engine ;;
esac
