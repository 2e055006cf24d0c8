/**
 * Finds and ends what a server left running: the rest of its group, where SIGTERM ended its process alone, and by the mark in
 * its environment also detached children.
 */
import type { EndLeftBehind, LeftBehind } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { abortSentinel, raceAbort } from "../../core/waiting.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

/**
 * Reads the mark, tenths of a second for what is about to end by itself, as it has seen its parent go, whether to tell of
 * the group, and the group if there is one. Prints `survivor` or `orphan` with a command line for each process, and ends it:
 * the group as if all of it had been signalled, so that only what its members leave behind then is an orphan. The mark is on
 * stdin, so that neither the shell nor grep carries it.
 */
const script = `
read -r mark patience judged group
living() {
  for pid in $(marked); do
    case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c1) in Z | '') ;; *) echo "$pid" ;; esac
  done
}
marked() { grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
members() {
  [ -n "$group" ] || return 0
  cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\\([0-9]*\\) (.*) [^ZX] [0-9]* $group .*/\\1/p"
}
settle() {
  left=$1
  while [ "$left" -gt 0 ] && [ -n "$($2)" ]; do sleep 0.1; left=$((left - 1)); done
}
tell() {
  line=$(tr '\\0\\n' '  ' < "/proc/$2/cmdline" 2>/dev/null)
  [ -z "$line" ] || printf '%s %s\\n' "$1" "\${line% }"
}
if [ -n "$(members)" ]; then
  if [ "$judged" = true ]; then
    settle "$patience" members
    for pid in $(members); do tell survivor "$pid"; done
  fi
  kill -s TERM -- "-$group" 2>/dev/null
  settle 20 members
  kill -s KILL -- "-$group" 2>/dev/null
fi
[ -n "$(living)" ] || exit 0
settle "$patience" living
for pid in $(living); do
  line=$(tell orphan "$pid")
  kill -s KILL "$pid" 2>/dev/null && [ -n "$line" ] && printf '%s\\n' "$line"
done
true`;

/** Limit for the inspection, in ms. A server that stops all processes around it stops the inspecting one, too. */
const withinMs = 15_000;
/** Patience with what is about to end by itself, in tenths of a second; longer where its end is judged. */
const [patience, patienceInJudging] = [2, 10];

/**
 * Makes what ends the processes that carry a mark; an environment that is gone has nothing left, nor has an isolated one that
 * is about to go: it ends them, too.
 * @param leaving fires when the environment goes with its session
 * @throws {PthError} `EXEC_FAILED` where nothing can be found out in time: what is left ends with the environment
 */
export const endInstance =
  ({ runtime, info }: LiveEnvironment, mark: string, leaving?: AbortSignal): EndLeftBehind =>
  async ({ group, judged }) => {
    const soonGone = runtime.abilities.isolated ? leaving : undefined;
    if (soonGone?.aborted) return nothingLeft;
    const late = AbortSignal.timeout(withinMs);
    const words = [mark, judged ? patienceInJudging : patience, judged, group ?? ""].join(" ");
    try {
      const options = { cwd: "/", stdin: `${words}\n`, signal: late };
      const result = await raceAbort(runtime.exec(info.handle, ["sh", "-c", script], options), soonGone);
      return result === abortSentinel ? nothingLeft : readLeft(result.stdout);
    } catch (error) {
      if (!late.aborted) throw error;
      const state = `the environment ran no command to its end within ${withinMs / 1000} s`;
      throw new PthError("EXEC_FAILED", `Cannot look for what the server left: ${state}`, {
        next: ["Look at the environment's processes: the plugin may have stopped them", "Provision it again"],
      }, { cause: error });
    }
  };

const nothingLeft: LeftBehind = { orphans: [], survivors: [] };

function readLeft(told: string): LeftBehind {
  const of = (kind: string) =>
    told.split("\n").filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1));
  return { orphans: of("orphan"), survivors: of("survivor") };
}
