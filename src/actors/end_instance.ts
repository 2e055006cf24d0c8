/** Finds and ends what a server left running, by the mark in its environment (also detached children). */
import type { LiveEnvironment } from "./live_session.ts";

/**
 * Prints the command line of each process that carries the mark, and ends it. One that is about to end by itself, as it has
 * seen its parent go, gets a moment. The mark is on stdin, so that neither the shell nor grep carries it.
 */
const script = `
read -r mark
left() {
  for pid in $(grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
    case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c1) in Z | '') ;; *) echo "$pid" ;; esac
  done
}
[ -z "$(left)" ] && exit
sleep 0.2
for pid in $(left); do
  line=$(tr '\\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null)
  kill -KILL "$pid" 2>/dev/null && printf '%s\\n' "\${line% }"
done
true`;

/** Resolves to the command lines of what had to be ended; an environment that is gone has nothing left. */
export async function endInstance({ runtime, info }: LiveEnvironment, mark: string): Promise<string[]> {
  const result = await runtime.exec(info.handle, ["sh", "-c", script], { cwd: "/", stdin: `${mark}\n` });
  return result.stdout.split("\n").filter((line) => line !== "");
}
