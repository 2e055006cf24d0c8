import { setTimeout as sleep } from "node:timers/promises";
import type { StackFrame, ThreadStack } from "../../../machines/model/stuck.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { defineStackWay, noStacks, runWay } from "./stack_way.ts";

/** In ms: until a dump has come, and pause between two looks. */
const longestDump = 1000;
const lookEvery = 20;
const mostGoroutines = 200;
const mostFrames = 60;
const longestName = 300;
/** Goroutines that the runtime has for itself. */
const ownGoroutine = /^(?:idle|force gc|GC |finalizer wait|cleanup wait|runnable, locked to thread, GC)/;

/** Go's own stacks of all goroutines, with the reasons of their waits: what the runtime prints on SIGQUIT, which ends the process. */
export const goStacks = defineStackWay({
  name: "SIGQUIT",
  fits: ({ process: { runtime }, mayEnd, command }) => runtime === "go" && mayEnd && command !== undefined,
  async capture(access, { process: { pid }, command }, signal) {
    const { printed, endsNow } = command!;
    const before = dumpsIn(printed()).length;
    endsNow();
    const { code } = await runWay(["sh", "-c", 'kill -QUIT "$1"', "sh", String(pid)], { access, signal });
    if (code !== 0) throw noStacks("the process is gone, or takes no signal from here");
    let text = "";
    for (
      const until = Date.now() + longestDump;
      Date.now() < until;
      await sleep(lookEvery, undefined, { signal })
    ) {
      const dumps = dumpsIn(printed());
      const last = dumps.length > before ? dumps.at(-1)! : "";
      // The registers are the end of it.
      if (last !== "" && (last === text || /^rip |^pc /m.test(last))) {
        text = last;
        break;
      }
      text = last;
    }
    const threads = readGoStacks(text, pid);
    if (threads.length === 0) throw noStacks("Go's runtime printed no goroutines on SIGQUIT");
    return { threads };
  },
});

/** Texts behind each head of a dump, in what was printed, as it is or within events of `go test -json`. */
function dumpsIn(printed: string): string[] {
  if (!printed.includes("SIGQUIT: quit")) return [];
  const plain = printed.split("\n").map((line) => {
    const event = line.startsWith("{") ? jsonIn(line) : undefined;
    return isObject(event) && typeof event["Output"] === "string" ? event["Output"] : `${line}\n`;
  }).join("");
  return plain.split(/^SIGQUIT: quit$/m).slice(1);
}

/** Reads the goroutines of a dump, but for those of the runtime itself, with the mutex that one waits for. */
export function readGoStacks(text: string, pid: number): ThreadStack[] {
  const threads: ThreadStack[] = [];
  for (const part of text.split(/\n\n+/)) {
    const lines = part.split("\n");
    const at = lines.findIndex((line) => /^goroutine \d+ (?:.*)?\[.+\]:$/.test(line));
    const [, number, reason] = /^goroutine (\d+) .*?\[(.+)\]:$/.exec(lines[at] ?? "") ?? [];
    if (number === undefined || number === "0" || ownGoroutine.test(reason!)) continue;
    if (threads.length >= mostGoroutines) break;
    const { frames, mutex } = framesIn(lines.slice(at + 1));
    threads.push({
      pid,
      name: `goroutine ${number} [${reason!.slice(0, 80)}]`,
      frames,
      ...(mutex === undefined ? {} : { waitsFor: { lock: mutex } }),
    });
  }
  return threads;
}

function framesIn(lines: string[]): { frames: StackFrame[]; mutex?: string } {
  const frames: StackFrame[] = [];
  let mutex: string | undefined;
  for (const line of lines) {
    const call = /^(created by \S.*|\S.*(?=\([^()]*\)$))/.exec(line)?.[1];
    const place = /^\t(.+):(\d+)(?: \+0x[0-9a-f]+.*)?$/.exec(line);
    const last = frames.at(-1);
    if (place !== null && last !== undefined) {
      Object.assign(last, { file: place[1]!.slice(0, longestName), line: Number(place[2]) });
    } else if (call !== undefined && frames.length < mostFrames) {
      frames.push({ function: call.slice(0, longestName) });
    }
    mutex ??= /^sync\.\(\*(?:RW)?Mutex\)\.(?:lockSlow|Lock|RLock)\((0x[0-9a-f]+)\??\)$/.exec(line)?.[1];
  }
  // What the runtime does to wait says less than the call that waits.
  const first = frames.findIndex((frame) => !/^(?:runtime|internal\/runtime)\./.test(frame.function));
  return {
    frames: frames.slice(Math.max(first, 0)).filter((frame) => frame.function !== "runtime.goexit"),
    ...(mutex === undefined ? {} : { mutex }),
  };
}
