import type { StackFrame, ThreadStack } from "../../../machines/model/stuck.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import { attachFailure, defineStackWay, noStacks, runWay } from "./stack_way.ts";

const mostThreads = 50;
const mostFrames = 60;
const longestName = 300;

/**
 * JavaScript's own stacks of Node's main thread and of its workers, by the inspector. Opening it prints a line, and a program may
 * take its signal for itself: it is only for what is about to be ended.
 */
export const nodeStacks = defineStackWay({
  name: "inspector",
  fits: ({ process: { runtime }, mayEnd }) => runtime === "node" && mayEnd,
  async capture(access, { process: { pid } }, signal) {
    const program = [`/proc/${pid}/exe`, "--input-type=module", "-e", assetText("stuck/node_stacks.mjs")];
    const { stdout, stderr } = await runWay(["env", "-u", "NODE_OPTIONS", ...program], {
      access,
      signal,
      env: { PTH_PID: String(pid) },
    });
    const found = jsonIn(stdout);
    if (!isObject(found)) throw attachFailure(stderr, "Node's inspector");
    if (!Array.isArray(found["threads"])) throw noStacks(String(found["unavailable"]));
    return readNodeStacks(found["threads"], pid);
  },
});

/** Reads what the threads of a process of Node answered; those that did not are told in notes. */
export function readNodeStacks(
  answers: readonly unknown[],
  pid: number,
): { threads: ThreadStack[]; notes: string[] } {
  const threads: ThreadStack[] = [];
  const notes: string[] = [];
  for (const answer of answers.slice(0, mostThreads)) {
    if (!isObject(answer)) continue;
    const name = String(answer["name"]).slice(0, longestName);
    if (typeof answer["stack"] !== "string") {
      notes.push(`process ${pid}: the ${name} answered its inspector with no stack`);
      continue;
    }
    const frames = framesIn(answer["stack"]);
    threads.push({
      pid,
      ...(name === "main thread" ? { tid: pid } : {}),
      name,
      frames: frames.length > 0 ? frames : [{ function: idle(answer) }],
    });
  }
  if (threads.length === 0) throw noStacks("the threads did not answer Node's inspector");
  return { threads, notes };
}

/** The frames below those of the expression that asked for them. */
function framesIn(stack: string): StackFrame[] {
  const lines = stack.split("\n").flatMap((line) => /^\s+at (.+)$/.exec(line)?.[1] ?? []);
  while (/^<anonymous>:\d+:\d+$/.test(lines[0] ?? "")) lines.shift();
  return lines.slice(0, mostFrames).map((line) => {
    const [, named, place] = /^(.+?) \((.+)\)$/.exec(line) ?? [, undefined, line];
    const [, async, bare] = /^(async )?(.+)$/.exec(place!)!;
    const found = /^(?:file:\/\/)?(.+?):(\d+):\d+$/.exec(bare!);
    const name = (named ?? `${async ?? ""}<anonymous>`).slice(0, longestName);
    return found === null
      ? { function: name }
      : { function: name, file: found[1]!.slice(0, longestName), line: Number(found[2]) };
  });
}

/** Says what keeps an event loop in which no function runs: a promise that never settles has no stack. */
function idle({ handles, resources }: Record<string, unknown>): string {
  const kept = [handles, resources].find((list): list is unknown[] => Array.isArray(list) && list.length > 0);
  const what = kept === undefined
    ? "nothing"
    : [...new Set(kept.map((each) => String(each).slice(0, 80)))].slice(0, 8).join(", ");
  const timers = Array.isArray(resources) && resources.includes("Timeout") && kept === handles
    ? ", and timers"
    : "";
  return `no function runs: its event loop waits for ${what}${timers}; a promise that does not settle has no stack`;
}
