#!/bin/sh
# Starts PTH's MCP server for Claude Code, which registers this file (.mcp.json).
#
# A fresh marketplace install has no dependencies: the first start fetches them once, everything said about it goes to
# stderr and a log file, and stdout stays the protocol's. Later starts go straight to the Deno binary.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
deno=$root/scripts/deno/node_modules/deno/deno
# Only the bootstrap writes this mark. A developer's own node_modules has none and is never replaced.
mark=$root/node_modules/.pth-bootstrapped

is_ready() {
  [ -d "$root/node_modules" ] && [ -x "$deno" ] && ! { [ -e "$mark" ] && [ "$root/package-lock.json" -nt "$mark" ]; }
}

if ! is_ready; then
  sh "$root/scripts/bootstrap.sh" >&2 || exit 3
fi

if [ -x "$deno" ]; then
  # The binary itself, not `deno task` or npm's wrapper: signals reach it, and it starts soonest.
  exec "$deno" run -A --quiet --no-lock --config "$root/deno.json" "$root/src/main.ts" "$@"
fi
# No Deno for this machine: the compiled tree does the same on Node.
exec node "$root/dist/src/main.js" "$@"
