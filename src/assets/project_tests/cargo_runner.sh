# Runs a test program for Cargo: cargo_runner.sh PROGRAM [ARGUMENT...]
#
# Tells which one it is, has libtest say its events as JSON (for which its variable is set in this run alone, so that
# nothing is built anew), and tells how it ended. PTH_CARGO_TEST names the only test to run: all of its path, or its end.
# PTH_TRACE_PROGRAM names a script that starts a program traced.
program=$1
shift
wanted=$PTH_CARGO_TEST
unset PTH_CARGO_TEST
tab=$(printf '\t')

run() {
  kind=$1
  shift
  printf '\n##pth %s%s%s%s%s\n' "$kind" "$tab" "$PWD" "$tab" "$program"
  if [ -n "$PTH_TRACE_PROGRAM" ]; then sh "$PTH_TRACE_PROGRAM" "$@"; else "$@"; fi
  code=$?
  printf '\n##pth ended%s%s\n' "$tab" "$code"
  exit "$code"
}

if grep -aqF report-time "$program"; then
  if [ -n "$wanted" ]; then
    names=$(RUSTC_BOOTSTRAP=1 "$program" --list --format terse | PTH_WANTED=$wanted awk '
      BEGIN { wanted = ENVIRON["PTH_WANTED"] }
      !sub(/: (test|benchmark)$/, "") { next }
      $0 == wanted { exact = $0 }
      length($0) > length(wanted) + 2 && substr($0, length($0) - length(wanted) - 1) == "::" wanted { ends = ends $0 "\n" }
      END { if (exact != "") print exact; else printf "%s", ends }')
    [ -n "$names" ] || exit 0
    set -f
    IFS='
'
    set -- --exact $names
    unset IFS
  fi
  RUSTC_BOOTSTRAP=1
  export RUSTC_BOOTSTRAP
  run libtest "$program" "$@" -Z unstable-options --format json --report-time --show-output
fi

if [ -n "$wanted" ]; then
  name=${program##*/}
  own=${wanted##*/}
  own=$(printf %s "${own%.rs}" | tr - _)
  [ "$own" = "$(printf %s "${name%-*}" | tr - _)" ] || exit 0
fi
# Programs that bring a harness of their own often report as libtest does.
if grep -aqF 'test result: ' "$program"; then run lines "$program" "$@"; fi
run program "$program" "$@"
