# Runs Maven's tests: maven_runner.sh SCRATCH COMMAND [ARGUMENT...]
#
# Where a listener was built it is added to the tests' class path. Then the events file gets what Surefire reported of
# modules whose tests that listener did not hear, in pieces of base64, and the end of it all.
scratch=$1
shift
classes=$scratch/classes
[ ! -d "$classes" ] || set -- "$@" "-Dmaven.test.additionalClasspath=$classes"
touch "$scratch/begun"
"$@"
code=$?

encoded() { base64 | tr -d '\n'; }

printf '\n' >>"$PTH_TEST_EVENTS"
heard=$(grep -aE '^\{"type":"plan"' "$PTH_TEST_EVENTS")
find . \( -name node_modules -o -name .git \) -prune -o -name 'TEST-*.xml' -path '*-reports/*' \
  -newer "$scratch/begun" -type f -print |
  while IFS= read -r report; do
    module=${report%/*/*/*}
    module=$PWD${module#.}
    case $heard in *"\"base\":\"$module\""*) continue ;; esac
    base=$(printf %s "$module" | encoded)
    head -c 16777216 "$report" | base64 -w 60000 | while IFS= read -r piece; do
      printf '{"type":"report","base":"%s","data":"%s"}\n' "$base" "$piece"
    done
    printf '{"type":"report_ended","base":"%s"}\n' "$base"
  done >>"$PTH_TEST_EVENTS"
printf '\n{"type":"end"}\n' >>"$PTH_TEST_EVENTS"
exit $code
