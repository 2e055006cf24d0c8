#!/bin/sh
# Turns a base image of PTH into one whose first process is systemd: services, timers, users.
set -eu

if command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends systemd systemd-sysv dbus cron sudo
  apt-get clean
  rm -rf /var/lib/apt/lists/*
else
  dnf install -y --setopt=install_weak_deps=False systemd dbus-broker cronie sudo
  dnf clean all
fi

# Packages may start their services: a bare image says no to that.
rm -f /usr/sbin/policy-rc.d

# A machine of its own each time it starts, not one that all copies of the image share.
rm -f /var/lib/dbus/machine-id
: >/etc/machine-id

# The kernel, its settings, devices and clock are the host's: units that would write to them never start here.
systemctl mask \
  systemd-sysctl.service systemd-modules-load.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
  systemd-udevd.service systemd-udevd-kernel.socket systemd-udevd-control.socket \
  systemd-udev-trigger.service systemd-udev-settle.service systemd-hwdb-update.service \
  systemd-timesyncd.service systemd-random-seed.service systemd-pstore.service systemd-rfkill.socket \
  systemd-remount-fs.service systemd-fsck-root.service fstrim.timer e2scrub_all.timer \
  dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount \
  sys-fs-fuse-connections.mount systemd-journald-audit.socket \
  systemd-tmpfiles-setup-dev.service modprobe@.service
# The engine gives addresses and names; nobody logs in at a console; packages change when a test says so.
systemctl mask \
  systemd-networkd.service systemd-networkd-wait-online.service systemd-resolved.service \
  getty.target console-getty.service systemd-logind.service systemd-ask-password-wall.path \
  apt-daily.timer apt-daily-upgrade.timer dnf-makecache.timer
# What a start would do for nobody: records of logins, a journal on disk, snapshots of volumes. It is a quarter of its work.
systemctl mask \
  systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-journal-flush.service e2scrub_reap.service
systemctl set-default multi-user.target

# What is logged goes to the engine's log too, where it is still found once the container has ended. The kernel's log
# and its audit are the host's.
mkdir -p /etc/systemd/journald.conf.d
cat >/etc/systemd/journald.conf.d/pth.conf <<'CONF'
[Journal]
Storage=volatile
ReadKMsg=no
Audit=no
ForwardToConsole=yes
MaxLevelConsole=info
CONF
mkdir -p /etc/systemd/system.conf.d
cat >/etc/systemd/system.conf.d/pth.conf <<'CONF'
[Manager]
ShowStatus=no
CONF

# Nothing that a first start would have to bring up to date.
touch /etc/.updated /var/.updated
