/** Starts a command with the variables that follow it, with PATH and the environment's labels, and nothing else. */
export const cleanStart: readonly string[] = [
  "sh",
  "-c",
  'set -- PTH_SESSION="$PTH_SESSION" PTH_ENVIRONMENT="$PTH_ENVIRONMENT" PTH_RUNTIME="$PTH_RUNTIME" ' +
  'PTH_OWNER="$PTH_OWNER" PATH="$PATH" "$@"; exec env -i "$@"',
  "sh",
];
