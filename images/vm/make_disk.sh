#!/bin/sh
# Turns a tar of a root file system into a qcow2 disk that is one ext4 file system, without mounting anything. Runs on
# the host as root, or as the root of a user namespace. $1: tar, $2: disk to write, $3: size. Works beside the disk.
set -eu

work=$2.work
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

mkdir -p "$work/root"
# Device nodes need a real root; the kernel brings its own /dev.
tar -C "$work/root" -xf "$1" --numeric-owner --exclude='./dev/*'
rm "$1"
truncate -s "$3" "$work/disk.raw"
# Tables are written when they are needed, else an emulated machine is busy with them for minutes.
mkfs.ext4 -q -F -L root -E lazy_itable_init=1,lazy_journal_init=1,nodiscard -d "$work/root" "$work/disk.raw"
qemu-img convert -O qcow2 "$work/disk.raw" "$2"
