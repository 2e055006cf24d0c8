#!/bin/sh
# Installs what PTH needs to run, once, beside the sources: `node_modules` without development tools, and Deno.
#
# Two starts at once share one installation; it is staged and moved into place whole, and it goes on when the one who
# asked is gone (a client may give up waiting), so that the next start finds it done.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
lock=$root/.bootstrap.lock
log=$root/.bootstrap.log
stage=$root/.bootstrap
done_mark=node_modules/.pth-bootstrapped
success="PTH is installed"

install() {
  if [ -d "$root/node_modules" ] && [ ! -e "$root/$done_mark" ]; then
    # A developer's own: only Deno is missing.
    node "$root/scripts/install_deno.mjs" && [ -x "$root/scripts/deno/node_modules/deno/deno" ]
    return
  fi
  rm -rf "$stage"
  mkdir -p "$stage/scripts/deno"
  cp "$root/package.json" "$root/package-lock.json" "$stage/" || return 1
  cp "$root/scripts/install_deno.mjs" "$stage/scripts/"
  cp "$root/scripts/deno/package.json" "$stage/scripts/deno/"
  # `prepare` fetches Deno too.
  (cd "$stage" && npm ci --omit=dev --no-fund --no-audit --no-update-notifier) || return 1
  touch "$stage/$done_mark"
  if [ -x "$stage/scripts/deno/node_modules/deno/deno" ]; then
    rm -rf "$root/scripts/deno/node_modules"
    mv "$stage/scripts/deno/node_modules" "$root/scripts/deno/node_modules" || return 1
  elif [ ! -f "$root/dist/src/main.js" ]; then
    echo "Cannot install: npm has no Deno for this machine, and there is no dist/ to run on Node"
    return 1
  fi
  rm -rf "$root/node_modules"
  mv "$stage/node_modules" "$root/node_modules" || return 1
  rm -rf "$stage"
}

# The detached half: `bootstrap.sh --install`.
if [ "${1:-}" = --install ]; then
  echo $$ >"$lock/pid"
  trap 'rm -rf "$lock" "$stage"' EXIT
  install && echo "$success"
  exit
fi

if ! command -v npm >/dev/null 2>&1; then
  echo "Cannot start PTH: its dependencies are not installed and npm is not on PATH; install Node 20 or newer"
  exit 1
fi

# Whether the installer that holds the lock is alive; one that has just taken it has not written its pid yet.
is_held() {
  [ -d "$lock" ] || return 1
  for _ in 1 2 3 4 5; do
    pid=$(cat "$lock/pid" 2>/dev/null)
    [ -n "$pid" ] && break
    sleep 0.2
  done
  [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null
}

if [ -d "$lock" ] && ! is_held; then rm -rf "$lock"; fi
if mkdir "$lock" 2>/dev/null; then
  echo "PTH: installing dependencies once (log: $log)"
  nohup sh "$0" --install >"$log" 2>&1 </dev/null &
fi
while is_held; do sleep 0.2; done

if [ "$(tail -n 1 "$log")" = "$success" ]; then exit 0; fi
echo "Cannot start PTH: installing its dependencies failed; the end of $log:"
tail -n 20 "$log"
exit 1
