# Runs a command whose JVMs connect to the tracer beside this script: trace_java.sh COMMAND [ARGUMENT...]
here=${0%/*}
address=$here/trace_java.address

untraced() {
  printf '{"kind":"note","text":"Calls of Java are not traced: %s"}\n' "$1" >>"$here/trace.jsonl"
  shift
  exec "$@"
}

javac -d "$here/java_tracer" --add-modules jdk.jdi "$here"/trace_java.java "$here"/java_*.java >/dev/null 2>&1 ||
  untraced "it takes a JDK of version 17 or newer, whose javac is on the PATH" "$@"
java --add-modules jdk.jdi -Xshare:auto -XX:TieredStopAtLevel=1 -cp "$here/java_tracer" TraceCalls "$here" \
  >/dev/null 2>"$here/trace_java.log" </dev/null &
tracer=$!
while [ ! -s "$address" ]; do
  kill -0 "$tracer" 2>/dev/null || untraced "the tracer ended at its start" "$@"
  sleep 0.05
done
agent="-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=$(cat "$address")"
JAVA_TOOL_OPTIONS="$agent${JAVA_TOOL_OPTIONS:+ $JAVA_TOOL_OPTIONS}" "$@"
code=$?
kill "$tracer"
wait "$tracer"
exit "$code"
