#!/bin/sh
# Checks the prerequisites of PTH: pass or fail for each, and what to do about a failure.
# Exit code 0 when PTH can test plugins here, 1 when something required is missing.
set -u

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
root=$(cd "$(dirname "$0")/.." && pwd)
failures=0
tier1=0

pass() { echo "pass  $1"; }
note() { echo "note  $1"; [ -z "${2:-}" ] || echo "        $2"; }
miss() {
  echo "FAIL  $1"
  echo "        $2"
  failures=$((failures + 1))
}
has() { command -v "$1" >/dev/null 2>&1; }

check_node() {
  if ! has node; then
    miss "Node.js: not installed" "Install Node.js 20 or newer (https://nodejs.org)"
  elif [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    miss "Node.js: $(node -v) is too old" "Install Node.js 20 or newer (https://nodejs.org)"
  else
    pass "Node.js $(node -v)"
  fi
}

# A checkout has packages, an installed plugin a bundle of them.
check_dependencies() {
  for entry in "$root"/.installed/*/main.js; do
    if [ -e "$entry" ]; then
      pass "the bundle of an installed plugin is there"
      return
    fi
  done
  if [ -d "$root/node_modules/xstate" ]; then pass "npm packages are installed"
  else
    miss "npm packages: not installed" \
      "Run in $root: npm ci; as a plugin of Claude Code, which does so at its first start: node scripts/launcher/install.mjs"
  fi
}

check_git() {
  if ! has git; then
    miss "git: not installed" "Install git: apt-get install git"
    return
  fi
  version=$(git --version | cut -d' ' -f3)
  major=${version%%.*}
  rest=${version#*.}
  # Worktrees as PTH uses them came with 2.17.
  if [ "$major" -gt 2 ] || { [ "$major" -eq 2 ] && [ "${rest%%.*}" -ge 17 ]; }; then pass "git $version"
  else miss "git: $version is too old" "Install git 2.17 or newer"
  fi
}

check_docker() {
  if ! has docker && ! has podman && [ -z "${DOCKER_HOST:-}" ]; then
    note "Docker: not installed (Tier 1 and 2 containers)" "Install and start it: scripts/setup-host.sh"
  elif version=$(docker version --format '{{.Server.Version}}' 2>&1); then
    pass "Docker engine $version answers"
    tier1=1
    check_images
  elif [ -S /var/run/docker.sock ] && [ ! -w /var/run/docker.sock ]; then
    note "Docker: you may not use its socket" "Run: sudo usermod -aG docker $(id -un), then log in again"
  else
    note "Docker: its engine does not answer" "Start it: scripts/setup-host.sh"
  fi
}

check_images() {
  for folder in "$root"/images/*/; do
    name=$(basename "$folder")
    # systemd's stands on the distributions' and has no name of its own.
    [ -f "$folder/Dockerfile" ] && [ "$name" != systemd ] || continue
    if docker image inspect "pth-base-$name" >/dev/null 2>&1; then pass "base image $name is built"
    else note "base image $name is not built" "Build it where needed: deno task pth images build $name"
    fi
  done
}

# A sandbox needs namespaces: by root, or by a user where the kernel allows it.
check_sandbox() {
  if has bwrap && bwrap --ro-bind / / --unshare-pid true 2>/dev/null; then
    pass "sandbox: bubblewrap works"
    tier1=1
  elif unshare --user --map-root-user --mount true 2>/dev/null || unshare --mount true 2>/dev/null; then
    pass "sandbox: namespaces work (util-linux)"
    tier1=1
  else
    note "sandbox: namespaces are not allowed here" \
      "Install bubblewrap, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"
  fi
}

check_vm() {
  if ! has qemu-system-x86_64 && ! has qemu-system-aarch64; then
    note "QEMU: not installed (only for Tier 3)" "Install it where needed: apt-get install qemu-system qemu-utils"
  elif ! has virsh; then
    note "libvirt: not installed (only for Tier 3)" "Install it where needed: apt-get install libvirt-daemon-system"
  elif ! virsh -c qemu:///system list >/dev/null 2>&1; then
    note "libvirt: its daemon does not answer (only for Tier 3)" "Start it: systemctl start libvirtd"
  elif [ ! -w /dev/kvm ]; then
    note "KVM: /dev/kvm cannot be used, virtual machines will be slow" "Run: sudo usermod -aG kvm $(id -un)"
  else
    pass "libvirt and KVM answer"
  fi
}

check_node
check_dependencies
check_git
check_docker
check_sandbox
check_vm
if [ "$tier1" = 0 ]; then
  miss "isolation: neither a container engine nor a sandbox works" \
    "Run scripts/setup-host.sh; without it only --env host is left, which isolates nothing"
fi
if [ "$failures" = 0 ]; then echo "PTH can run here."
else echo "$failures required checks failed."
fi
[ "$failures" = 0 ]
