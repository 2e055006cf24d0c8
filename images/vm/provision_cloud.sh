#!/bin/sh
# Turns a booted cloud image into an image of PTH: Packer runs it in the machine as root, after laying over / what the
# host carries in. From then on cloud-init has nothing to do: later boots neither wait for a seed nor change keys.
set -eu

scripts=/usr/local/share/pth

sh $scripts/provision.sh
sh $scripts/packages.sh

# Its network configuration may name the card of this one machine.
settle_network() {
  rm -f /etc/netplan/50-cloud-init.yaml /etc/network/interfaces.d/50-cloud-init
  [ -d /etc/systemd/network ] || return 0
  printf '[Match]\nName=e*\n[Network]\nDHCP=ipv4\n' >/etc/systemd/network/10-pth.network
  systemctl enable systemd-networkd.service
}

settle_ssh() {
  mkdir -p /etc/ssh/sshd_config.d
  # Comes before a cloud image's own file: the first setting counts.
  printf 'UseDNS no\nPermitRootLogin prohibit-password\nMaxSessions 100\nMaxStartups 100\n' \
    >/etc/ssh/sshd_config.d/10-pth.conf
}

mkdir -p /etc/cloud
touch /etc/cloud/cloud-init.disabled
# NetworkManager (Fedora) asks for an address on any card.
systemctl is-active --quiet NetworkManager || settle_network
settle_ssh
for unit in apt-daily.timer apt-daily-upgrade.timer dnf-makecache.timer; do systemctl mask "$unit" 2>/dev/null || true; done
sync
