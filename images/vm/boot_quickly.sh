#!/bin/sh
# Makes a Debian root file system boot in seconds where the processor is emulated: the kernel is given by QEMU together
# with a small initrd that sets the network up, sshd starts before everything else, and units that a test machine has no
# use for are masked. Runs inside that root; leaves kernel, initrd and keys in /boot/pth, to be taken out.
set -eu

units=/etc/systemd/system
out=/boot/pth

name_machine() {
  echo pth >/etc/hostname
  printf '127.0.0.1 localhost pth\n::1 localhost\n' >/etc/hosts
  # One id for every copy, as of one machine: without one, each boot makes its own and takes longer.
  tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
  echo '/dev/vda / ext4 defaults,noatime,noinit_itable 0 0' >/etc/fstab
  # QEMU's user-mode network: its address of a guest is set by the initrd, its resolver is this one.
  rm -f /etc/resolv.conf
  echo 'nameserver 10.0.2.3' >/etc/resolv.conf
}

# Fresh for every build; the private key of the client leaves the machine.
make_keys() {
  rm -f /etc/ssh/ssh_host_*
  ssh-keygen -q -t ed25519 -N '' -C pth -f /etc/ssh/ssh_host_ed25519_key
  ssh-keygen -q -t ed25519 -N '' -C pth -f "$out/id_ed25519"
  cp /etc/ssh/ssh_host_ed25519_key.pub "$out/host_key.pub"
  mkdir -p -m 700 /root/.ssh
  install -m 600 "$out/id_ed25519.pub" /root/.ssh/authorized_keys
}

start_sshd_early() {
  cat >/etc/ssh/sshd_config.d/10-pth.conf <<'END'
UseDNS no
HostKey /etc/ssh/ssh_host_ed25519_key
PermitRootLogin prohibit-password
MaxSessions 100
MaxStartups 100
END
  # Waits for a writable root, and for nothing else.
  cat >$units/ssh.service <<'END'
[Unit]
Description=OpenSSH server, early
DefaultDependencies=no
After=systemd-remount-fs.service systemd-tmpfiles-setup-dev.service
Before=shutdown.target
Conflicts=shutdown.target
[Service]
Type=simple
ExecStartPre=-/bin/mkdir -p -m 0755 /run/sshd
ExecStart=/usr/sbin/sshd -D
KillMode=process
Restart=on-failure
[Install]
WantedBy=sysinit.target
END
  rm -f $units/multi-user.target.wants/ssh.service
  mkdir -p $units/sysinit.target.wants
  ln -sf $units/ssh.service $units/sysinit.target.wants/ssh.service
  # A login need not wait for the end of the boot, nor be known to logind.
  mkdir -p /etc/tmpfiles.d
  : >/etc/tmpfiles.d/systemd-nologin.conf
  sed -i 's/^session.*pam_systemd\.so/#&/' /etc/pam.d/common-session
}

mask_units() {
  for unit in \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer \
    systemd-timesyncd.service systemd-tmpfiles-clean.timer getty@tty1.service serial-getty@ttyS0.service \
    systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-random-seed.service \
    systemd-pstore.service dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
    kmod-static-nodes.service modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service \
    modprobe@fuse.service systemd-machine-id-commit.service systemd-journal-flush.service \
    systemd-binfmt.service proc-sys-fs-binfmt_misc.automount keyboard-setup.service console-setup.service \
    systemd-networkd.service systemd-networkd.socket systemd-networkd-wait-online.service systemd-logind.service \
    systemd-sysusers.service systemd-udev-trigger.service systemd-udev-settle.service sshd-keygen.service; do
    ln -sf /dev/null $units/$unit
  done
  ln -sf /lib/systemd/system/multi-user.target $units/default.target
  # Needs a kind of socket that QEMU does not give, and complains on the console.
  mkdir -p /etc/systemd/system-generators
  ln -sf /dev/null /etc/systemd/system-generators/systemd-ssh-generator
  mkdir -p /etc/systemd/journald.conf.d
  printf '[Journal]\nStorage=volatile\n' >/etc/systemd/journald.conf.d/pth.conf
}

# What a first boot after an update does (ldconfig, catalogues) has been done by the packages already.
mark_updated() { touch -r /usr /etc/.updated /var/.updated; }

take_kernel() {
  kernel=$(ls /boot/vmlinuz-* | sort -V | tail -n 1)
  cp "$kernel" "$out/vmlinuz"
  chmod 644 "$out/vmlinuz"
  sh "$(dirname "$0")/make_initrd.sh" "${kernel#/boot/vmlinuz-}" "$out/initrd.img"
}

mkdir -p "$out"
name_machine
make_keys
start_sshd_early
mask_units
mark_updated
take_kernel
