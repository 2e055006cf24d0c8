/** Finds and ends what a server left running, by the mark in its environment (also detached children). */
import { PthError } from "../../core/errors.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

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

/** Limit for the inspection, in ms. A server that stops all processes around it stops the inspecting one, too. */
const withinMs = 15_000;

/**
 * Resolves to the command lines of what had to be ended; an environment that is gone has nothing left.
 * @throws {PthError} `EXEC_FAILED` where nothing can be found out in time: what is left ends with the environment
 */
export async function endInstance({ runtime, info }: LiveEnvironment, mark: string): Promise<string[]> {
  const late = AbortSignal.timeout(withinMs);
  try {
    const options = { cwd: "/", stdin: `${mark}\n`, signal: late };
    const result = await runtime.exec(info.handle, ["sh", "-c", script], options);
    return result.stdout.split("\n").filter((line) => line !== "");
  } catch (error) {
    if (!late.aborted) throw error;
    const state = `the environment ran no command to its end within ${withinMs / 1000} s`;
    throw new PthError("EXEC_FAILED", `Cannot look for what the server left: ${state}`, {
      next: ["Look at the environment's processes: the plugin may have stopped them", "Provision it again"],
    }, { cause: error });
  }
}
