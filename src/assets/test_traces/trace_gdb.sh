#!/bin/sh
# Starts a test program under gdb, which keeps what it says to itself: the program has the streams.
here=${0%/*}
note() {
  name=$(printf %s "${2##*/}" | tr -cd '[:alnum:]._-')
  printf '{"kind":"note","text":"%s %s"}\n' "$name" "$1" >>"$here/trace.jsonl"
}

# gdb takes no scripts.
path=$(command -v -- "$1")
if [ "$(head -c 4 "$path" 2>/dev/null | tr -d '\0')" != "$(printf '\177ELF')" ]; then
  note "is no native program: its calls are not traced" "$1"
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
  note "is not known to have passed: gdb ended before it" "$1"
  code=125
fi
rm -f "$ended"
exit "$code"
