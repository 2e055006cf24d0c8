# Packs the crate of a folder ($1), or takes the one that is given ($3), unpacks it in a folder ($2), and prints where.
set -e
mkdir -p -- "$2/crate"
crate=$3
if [ -z "$crate" ]; then
  cd -- "$1"
  cargo package --allow-dirty --no-verify --quiet --target-dir "$2/packing" >&2
  crate=$(ls -- "$2/packing/package/"*.crate | head -n 1)
fi
tar -xzf "$crate" -C "$2/crate"
printf '%s\n' "$2/crate/"*
