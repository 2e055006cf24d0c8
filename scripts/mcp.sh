#!/bin/sh
# Starts PTH's MCP server for Claude Code, which registers this file (.mcp.json). Stdout is the protocol's.
#
# A developer's checkout runs on its Deno. An installed plugin has neither packages nor Deno: the launcher starts the bundle
# that it made at the first start, and makes one where there is none.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
deno=$root/scripts/deno/node_modules/deno/deno

# The mark is from an earlier version of PTH, which installed Deno and packages itself: no developer's checkout.
if [ -x "$deno" ] && [ -d "$root/node_modules" ] && ! [ -e "$root/node_modules/.pth-bootstrapped" ]; then
  # The binary itself, not `deno task` or npm's wrapper: signals reach it, and it starts soonest.
  export DENO_NO_UPDATE_CHECK=1 # Deno asks its publisher now and then, else
  exec "$deno" run -A --quiet --no-lock --config "$root/deno.json" "$root/src/main.ts" "$@"
fi
if ! command -v node >/dev/null 2>&1; then
  echo "Cannot start PTH: node is not on PATH; install Node.js 20.3 or newer with npm, and start again" >&2
  exit 3
fi
exec node "$root/scripts/launcher/launch.mjs" "$@"
