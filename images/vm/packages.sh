#!/bin/sh
# Installs what a virtual machine has beyond a container (provision.sh ran before): an init, SSH, a firewall, cron, and
# what PTH talks to inside. Runs in the machine, or in its root file system. $*: further packages.
set -eu

install_with_apt() {
  export DEBIAN_FRONTEND=noninteractive
  set -- systemd-sysv dbus udev kmod e2fsprogs openssh-server sudo rsync nftables cron qemu-guest-agent less "$@"
  apt-get update
  apt-get install -y --no-install-recommends "$@"
  apt-get clean
  rm -rf /var/lib/apt/lists/*
}

install_with_dnf() {
  dnf install -y --setopt=install_weak_deps=False \
    kmod e2fsprogs openssh-server sudo rsync nftables cronie qemu-guest-agent less "$@"
  dnf clean all
}

# What a container image says with ENV, for every login.
tell_environment() {
  cat >>/etc/environment <<'END'
LANG=C.UTF-8
NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
npm_package_config_node_gyp_nodedir=/usr/local
END
}

if command -v apt-get >/dev/null; then install_with_apt "$@"; else install_with_dnf "$@"; fi
tell_environment
mkdir -p /work
