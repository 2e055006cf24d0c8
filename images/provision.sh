#!/bin/sh
# Turns a bare Debian, Ubuntu or Fedora into a base image of PTH: Node.js 20+, Python 3.11+ with venv, git and common
# build tools. Every image runs this one script, containers and VM disks alike.
#
# What a host carries in lies over / before this runs: Node.js under /usr/local, its certificate authorities under
# /usr/local/share/ca-certificates/pth. Without them the distribution's own Node.js is taken.
set -eu

extra_cas=/usr/local/share/ca-certificates/pth
bundle=/etc/ssl/certs/ca-certificates.crt

say() { echo "provision: $*"; }

has_extra_cas() { ls "$extra_cas"/*.crt >/dev/null 2>&1; }

# A TLS-inspecting proxy must be trusted before the package that manages trust can be fetched.
trust_early() {
  if has_extra_cas && [ ! -s "$bundle" ]; then
    mkdir -p "$(dirname "$bundle")"
    cat "$extra_cas"/*.crt >"$bundle"
  fi
}

install_with_apt() {
  export DEBIAN_FRONTEND=noninteractive
  set -- ca-certificates curl git gcc g++ make libc6-dev python3 python3-dev python3-venv procps iproute2
  command -v node >/dev/null || set -- "$@" nodejs npm libnode-dev
  apt-get update
  apt-get install -y --no-install-recommends "$@"
  apt-get clean
  rm -rf /var/lib/apt/lists/*
  update-ca-certificates
}

install_with_dnf() {
  set -- ca-certificates curl git gcc gcc-c++ make glibc-devel python3 python3-devel procps-ng iproute \
    tar gzip xz findutils diffutils hostname shadow-utils
  command -v node >/dev/null || set -- "$@" nodejs npm nodejs-devel
  dnf install -y --setopt=install_weak_deps=False "$@"
  dnf clean all
  if has_extra_cas; then cp "$extra_cas"/*.crt /etc/pki/ca-trust/source/anchors/; fi
  update-ca-trust
  # One path for the bundle on every distribution.
  if [ ! -e "$bundle" ]; then
    mkdir -p "$(dirname "$bundle")"
    ln -s /etc/pki/tls/certs/ca-bundle.crt "$bundle"
  fi
}

# Native modules build against headers on the spot (npm_package_config_node_gyp_nodedir) instead of a download.
place_headers() {
  if [ ! -d /usr/local/include/node ] && [ -d /usr/include/node ]; then
    ln -s /usr/include/node /usr/local/include/node
  fi
}

check() {
  node_major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$node_major" -ge 20 ] || {
    say "Node.js $(node -v) is too old, 20 is needed; 'pth images build' carries one in from the host's npm" >&2
    exit 1
  }
  python3 -c 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 is needed")'
  for tool in npm git gcc g++ make ps ip; do
    command -v "$tool" >/dev/null || { say "$tool is missing after the installation" >&2; exit 1; }
  done
  say "node $(node -v), npm $(npm -v), $(python3 -V), $(git --version), $(gcc -dumpfullversion)"
}

trust_early
if command -v apt-get >/dev/null; then
  install_with_apt
elif command -v dnf >/dev/null; then
  install_with_dnf
else
  say "neither apt-get nor dnf: this distribution is not supported" >&2
  exit 1
fi
place_headers
check
