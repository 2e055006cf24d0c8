#!/bin/sh
# Starts a test program under gdb, which keeps what it says to itself: the program has the streams.
here=${0%/*}
# gdb takes no scripts.
path=$(command -v -- "$1")
if [ "$(head -c 4 "$path" 2>/dev/null | tr -d '\0')" != "$(printf '\177ELF')" ]; then
  name=$(printf %s "${1##*/}" | tr -cd '[:alnum:]._-')
  printf '{"kind":"note","text":"%s is no native program: its calls are not traced"}\n' "$name" >>"$here/trace.jsonl"
  exec "$@"
fi
exec 3>&1 4>&2
SHELL=/bin/sh
export SHELL
# Rust's own printers show its strings and maps as people write them.
printers=$(rustc --print sysroot 2>/dev/null)/lib/rustlib/etc
[ -f "$printers/gdb_load_rust_pretty_printers.py" ] || printers=$here
ended=$here/ended.$$
gdb -q -nx -batch --directory="$printers" -iex "python import sys; sys.path.insert(0, '$printers'); exit_file = '$ended'" \
  -iex "add-auto-load-safe-path $printers" -x "$here/trace_gdb.py" --args "$@" >/dev/null 2>/dev/null
code=$?
if [ -f "$ended" ]; then
  code=$(cat "$ended")
elif [ "$code" = 0 ]; then
  # gdb ended by itself: how the program did is not known.
  code=125
fi
rm -f "$ended"
exit "$code"
