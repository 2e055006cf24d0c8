# Runs Maven's tests: maven_runner.sh SCRATCH COMMAND [ARGUMENT...]
#
# Where a listener was built it is added to the tests' class path. Of modules whose tests that listener does not hear, the
# events file gets what Surefire reports of each class, in pieces of base64 that are
# written at once each, and at last the end of it all.
scratch=$1
shift
classes=$scratch/classes
[ ! -d "$classes" ] || set -- "$@" "-Dmaven.test.additionalClasspath=$classes"
touch "$scratch/begun" "$scratch/found"

encoded() { base64 | tr -d '\n'; }

# Hands over the reports that are whole and new; with `all` those that are not whole, too.
collect() {
  find . \( -name node_modules -o -name .git -o -name src \) -prune -o -name 'TEST-*.xml' -path '*-reports/*' \
    -newer "$scratch/begun" -type f -print | grep -vxFf "$scratch/found" >"$scratch/new"
  [ -s "$scratch/new" ] || return
  heard=$(grep -aE '^\{"type":"plan"' "$PTH_TEST_EVENTS")
  while IFS= read -r report; do
    [ "$1" = all ] || tail -c 200 "$report" | grep -aq '</testsuite>' || continue
    printf '%s\n' "$report" >>"$scratch/found"
    module=${report%/*/*/*}
    module=$PWD${module#.}
    case $heard in *"\"base\":\"$module\""*) continue ;; esac
    base=$(printf %s "$module" | encoded)
    head -c 16777216 "$report" | base64 -w 3000 | while IFS= read -r piece; do
      printf '{"type":"report","base":"%s","data":"%s"}\n' "$base" "$piece"
    done
    printf '{"type":"report_ended","base":"%s"}\n' "$base"
  done <"$scratch/new" >>"$PTH_TEST_EVENTS"
}

# Has no parent here: what looks for stuck tests would take it for one of their processes that goes on.
follow() {
  while kill -0 "$1" 2>/dev/null && mkdir "$scratch/collecting" 2>/dev/null; do
    collect whole
    rmdir "$scratch/collecting"
    sleep 1
  done
}
(follow $$ </dev/null >/dev/null 2>&1 &)

"$@"
code=$?

# From now on the other finds the folder, and ends.
waited=0
until mkdir "$scratch/collecting" 2>/dev/null || [ "$waited" -ge 100 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
printf '\n' >>"$PTH_TEST_EVENTS"
collect all
printf '{"type":"end"}\n' >>"$PTH_TEST_EVENTS"
exit $code
