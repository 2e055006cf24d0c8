import type { LoopProof, StackFrame, ThreadStack } from "../../../machines/model/stuck.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import {
  attachFailure,
  defineStackWay,
  hasNativeStacks,
  namelessNotes,
  noStacks,
  type RunWay,
  runWay,
} from "./stack_way.ts";

const mark = "@@PTH ";

/** Attaches gdb, without anything that the process or its files bring for gdb, and runs a program of PTH's own in it. */
async function runInGdb(
  program: string,
  pid: number,
  { symbols = true, ...run }: RunWay & { symbols?: boolean },
): Promise<unknown[]> {
  // Debug information of the system's own libraries takes longer to read than all else.
  const settings = [
    "auto-load no",
    "auto-load safe-path /nowhere",
    "debuginfod enabled off",
    "debug-file-directory /nowhere",
    ...(symbols ? [] : ["sysroot /nowhere"]),
  ];
  const argv = [
    "gdb",
    "-nx",
    "-batch",
    ...settings.flatMap((each) => ["-iex", `set ${each}`]),
    "-p",
    String(pid),
  ];
  const code = 'python import os; exec(os.environ["PTH_GDB_PROGRAM"])';
  const { stdout, stderr } = await runWay([...argv, "-ex", code], {
    ...run,
    env: { ...run.env, PTH_GDB_PROGRAM: assetText(program) },
  });
  const lines = stdout.split("\n").filter((each) => each.startsWith(mark));
  if (lines.length === 0) throw attachFailure(stderr, "gdb");
  return lines.map((line) => jsonIn(line.slice(mark.length)));
}

const frameOf = (value: unknown): StackFrame[] => {
  if (!isObject(value) || typeof value["function"] !== "string") return [];
  const { file, line, arguments: words } = value;
  return [{
    function: value["function"].slice(0, 300),
    ...(typeof file === "string" ? { file: file.slice(0, 300) } : {}),
    ...(typeof line === "number" ? { line } : {}),
    ...(isObject(words) ? { arguments: words as Record<string, string> } : {}),
  }];
};

function threadOf(value: unknown, pid: number): ThreadStack[] {
  if (!isObject(value) || typeof value["tid"] !== "number" || !Array.isArray(value["frames"])) return [];
  const guards = Array.isArray(value["holds"]) ? value["holds"].filter(isObject) : [];
  // Debug information goes on to name a guard after it was dropped.
  const holds = guards.map(({ lock, at }) => ({ lock: String(lock), at: String(at), certain: false }));
  return [{
    pid,
    tid: value["tid"],
    name: String(value["name"]),
    frames: value["frames"].flatMap(frameOf),
    ...(holds.length === 0 ? {} : { holds }),
  }];
}

const threadsOf = (found: unknown, pid: number): ThreadStack[] =>
  (Array.isArray(found) ? found : []).flatMap((each) => threadOf(each, pid));

/** Native stacks with inlined frames, files, lines, plain arguments, and guards of locks. */
export const gdbStacks = defineStackWay({
  name: "gdb",
  traces: true,
  fits: hasNativeStacks,
  async capture(access, { process, byGdb }, signal) {
    const { pid } = process;
    if (byGdb !== undefined) return { threads: [...byGdb], notes: namelessNotes(byGdb, process) };
    const [found] = await runInGdb("stuck/gdb_stacks.py", pid, { access, signal });
    const threads = threadsOf(found, pid);
    if (threads.length === 0) throw noStacks("gdb found no threads");
    return { threads, notes: namelessNotes(threads, process) };
  },
});

/**
 * Tests whether the state of a thread repeats, so that it computes without end. Stops the process for a moment.
 * @param thread `brief`: only a short loop is looked for; `symbols`: the stacks of its process are taken, too
 */
export async function proveLoopByGdb(
  access: SamplerAccess,
  { pid, tid, brief, symbols }: { pid: number; tid: number; brief: boolean; symbols: boolean },
  signal: AbortSignal,
): Promise<LoopProof> {
  const env = {
    PTH_TID: String(tid),
    PTH_MOST_STEPS: brief ? "400" : "4000",
    PTH_GDB_STACKS: symbols ? assetText("stuck/gdb_stacks.py") : "",
  };
  const [found, stacks] = await runInGdb("stuck/gdb_loop.py", pid, { access, signal, env, symbols });
  if (!isObject(found)) throw noStacks("gdb gave no answer");
  const threads = threadsOf(stacks, pid);
  return {
    proven: found["proven"] === true,
    detail: String(found["detail"]).slice(0, 300),
    ...(threads.length === 0 ? {} : { stacks: { pid, threads } }),
  };
}
