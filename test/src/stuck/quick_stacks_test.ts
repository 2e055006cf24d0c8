import t from "tap";
import type { HangInspection } from "../../../machines/model/stuck.ts";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { quickStacks, scriptStacks } from "../../../src/stuck/stacks/quick_stacks.ts";
import { withFrames } from "../../../src/stuck/stacks/with_frames.ts";

const inspection = (kind: HangInspection["kind"], runtime?: "node" | "java"): HangInspection => ({
  kind,
  certain: true,
  says: "hung",
  threads: [{ pid: 7, tid: 7, waits: "a (7) waits", ...(runtime === undefined ? {} : { runtime }) }],
});

/** A place in which each command is noted and fails. */
function refusing() {
  const ran: string[] = [];
  const exec = (argv: readonly string[]) => {
    ran.push(argv.includes("eu-stack") ? "eu-stack" : "inspector");
    return Promise.resolve({ code: 127, stdout: "", stderr: "", durationMs: 1, truncated: false });
  };
  return { ran, access: { exec } as unknown as SamplerAccess };
}

t.test("only what is stuck is asked for stacks, and a program that has no script for none of one", async (t) => {
  const { signal } = new AbortController();
  for (
    const [found, quick, script] of [
      [inspection("waiting", "node"), [], []],
      [inspection("working"), [], []],
      [inspection("deadlock"), ["eu-stack"], []],
      [inspection("deadlock", "java"), [], []],
      [inspection("infinite_loop", "node"), [], ["inspector"]],
    ] as const
  ) {
    const { ran, access } = refusing();
    t.strictSame((await quickStacks(access, found, signal)).threads, found.threads, "the waits alone tell");
    t.strictSame(ran.splice(0), quick);
    t.strictSame((await scriptStacks(access, found, signal)).threads, found.threads);
    t.strictSame(ran, script);
  }
});

t.test("the innermost place that is no library's is named, and another one in its stead later", (t) => {
  const native = [
    { function: "lock", file: "/usr/include/c++/12/mutex", line: 3 },
    { function: "store", file: "/usr/src/app/a.cc", line: 8 },
  ];
  const first = withFrames(inspection("deadlock"), new Map([[7, native]]));
  t.equal(first.says, "hung: deadlock, certain: a (7) waits, in store (/usr/src/app/a.cc:8)");
  t.strictSame(first.threads[0]!.frames, native);
  const script = [
    { function: "wait", file: "/w/node_modules/x/i.js", line: 1 },
    { function: "load", file: "/w/b.mjs", line: 9 },
  ];
  const second = withFrames(first, new Map([[7, script]]));
  t.equal(second.says, "hung: deadlock, certain: a (7) waits, in load (/w/b.mjs:9)");
  t.equal(withFrames(first, new Map([[7, []]])).says, first.says);
  t.end();
});
