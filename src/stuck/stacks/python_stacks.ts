import type { ThreadStack } from "../../../machines/model/stuck.ts";
import { defineStackWay, noStacks, runWay } from "./stack_way.ts";

/**
 * PTH's reporters of Python's frameworks have faulthandler write all stacks into a file next to their events file when the
 * process gets SIGUSR2. Where there is no such file, the signal would end the process.
 */
const script = `events=$(tr '\\0' '\\n' <"/proc/$1/environ" | sed -n 's/^PTH_TEST_EVENTS=//p' | head -n 1)
file=$events.stacks.$1
[ -n "$events" ] && [ -f "$file" ] && [ ! -h "$file" ] || exit 44
before=$(wc -c <"$file")
kill -USR2 "$1" || exit 45
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.05
  now=$(wc -c <"$file")
  [ "$now" -gt "$before" ] && [ "$now" = "$last" ] && break
  last=$now
done
tail -c "+$((before + 1))" "$file" | head -c 1000000`;

/** Python's own stacks, of a process that one of PTH's reporters was started in. */
export const pythonStacks = defineStackWay({
  name: "faulthandler",
  fits: ({ process: { pid }, sample: { threads } }) =>
    threads.some((thread) => thread.tid === pid && /^python/.test(thread.name)),
  async capture(access, { process: { pid } }, signal) {
    const { code, stdout } = await runWay(["sh", "-c", script, "sh", String(pid)], { access, signal });
    if (code === 44) throw noStacks("faulthandler was not set up in this process of Python");
    const threads = readPythonStacks(stdout, pid);
    if (code !== 0 || threads.length === 0) throw noStacks("faulthandler wrote no stacks");
    return { threads };
  },
});

/** Reads what faulthandler writes: a head for each thread, and its frames, innermost first. */
export function readPythonStacks(text: string, pid: number): ThreadStack[] {
  const threads: ThreadStack[] = [];
  for (const line of text.split("\n")) {
    const head = /^(?:Current thread|Thread) (0x[0-9a-f]+)(?: \[(.+)\])? \(most recent call first\):$/.exec(
      line,
    );
    if (head) threads.push({ pid, name: head[2] ?? `thread ${head[1]}`, frames: [] });
    const frame = /^ {2}File "(.+)", line (\d+) in (.+)$/.exec(line);
    if (frame) {
      const [, file, number, name] = frame;
      threads.at(-1)?.frames.push({ function: name!, file: file!, line: Number(number) });
    }
  }
  for (const thread of threads) {
    if (thread.frames.some((frame) => frame.function === "<module>")) thread.name = "main thread";
  }
  return threads.filter(({ frames }) => frames.length > 0);
}
