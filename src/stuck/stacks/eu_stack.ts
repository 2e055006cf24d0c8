import type { ThreadStack } from "../../../machines/model/stuck.ts";
import {
  attachFailure,
  defineStackWay,
  hasNativeStacks,
  nameless,
  namelessNotes,
  runWay,
} from "./stack_way.ts";

/** Native stacks by elfutils, where gdb is not there. */
export const euStacks = defineStackWay({
  name: "eu-stack",
  traces: true,
  fits: hasNativeStacks,
  async capture(access, { process, sample }, signal) {
    const { pid } = process;
    const { stdout, stderr } = await runWay(["eu-stack", "-s", "-m", "-n", "60", "-p", String(pid)], {
      access,
      signal,
    });
    const threads: ThreadStack[] = [];
    for (const line of stdout.split("\n")) {
      const tid = /^TID (\d+):/.exec(line)?.[1];
      if (tid !== undefined) {
        const name = sample.threads.find((each) => each.tid === Number(tid))?.name ?? "";
        threads.push({ pid, tid: Number(tid), name, frames: [] });
      }
      const frame = /^#\d+\s+(0x[0-9a-f]+)(?: (?!- )(\S.*?))?(?: - (\/.*))?$/.exec(line);
      if (frame !== null) {
        const [, address, name, file] = frame;
        threads.at(-1)?.frames.push({ function: (name ?? nameless(address!, file)).slice(0, 300) });
      }
      const place = /^ {4,}(\/.+?):(\d+)(?::\d+)?$/.exec(line);
      const last = threads.at(-1)?.frames.at(-1);
      if (place && last) Object.assign(last, { file: place[1], line: Number(place[2]) });
    }
    if (threads.every(({ frames }) => frames.length === 0)) {
      throw attachFailure(stderr, "eu-stack");
    }
    return { threads, notes: namelessNotes(threads, process) };
  },
});
