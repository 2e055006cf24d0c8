#!/bin/sh
# Installs and starts what PTH needs on a bare Debian or Ubuntu host: a container engine, bubblewrap, git and the tools
# that make base images without a registry. Says what it does, changes only what is missing, and can be run again.
#
#   scripts/setup-host.sh                  install what is missing, start the engine
#   scripts/setup-host.sh --with-browser   the same, and Chromium, in which the HTML report is tested
#   scripts/setup-host.sh --check          only tell; exit code 1 when something is missing
#   scripts/setup-host.sh --stop           stop the engine that this script started
#
# Where systemd runs it starts the engine; elsewhere (containers, CI) dockerd is started by hand, with its pid in
# $PTH_ENGINE_DIR (default /run/pth) and its log beside it. CI=true makes it quiet and never asks for a password.
set -eu

engine_dir=${PTH_ENGINE_DIR:-/run/pth}
pid_file=$engine_dir/dockerd.pid
log_file=$engine_dir/dockerd.log
answer_within=60
with_browser=false

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
  [ -s /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
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
  as_root kill -TERM "$pid"
  waited=0
  while [ -e "/proc/$pid" ] && [ "$waited" -lt 30 ]; do sleep 1; waited=$((waited + 1)); done
  [ ! -e "/proc/$pid" ] || fail "dockerd ($pid) does not end"
  as_root rm -f "$pid_file"
}

check() {
  missing=$(missing_packages | tr '\n' ' ')
  problems=0
  if [ -n "$missing" ]; then say "missing packages: $missing"; problems=1; fi
  check_node || problems=1
  if engine_answers; then say "a container engine answers"
  else say "no container engine answers (the sandbox needs none)"; problems=1
  fi
  [ "$problems" = 0 ] && say "everything is there"
  return $problems
}

case "${1:-}" in
  "" | --with-browser)
    [ -z "${1:-}" ] || with_browser=true
    install_missing
    start_engine
    tell_access
    check_node || exit 1
    say "done; next: deno task pth images build debian12"
    ;;
  --check) check ;;
  --stop) stop_engine ;;
  *)
    sed -n '2,11s/^# \{0,1\}//p' "$0"
    [ "$1" = --help ] || exit 2
    ;;
esac
