import t from "tap";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { euStacks } from "../../../src/stuck/stacks/eu_stack.ts";

/** Recorded of a program whose main thread waits for a lock. */
const printed = `PID 61 - process
TID 61:
#0  0x00007f5e3f0a2f16 __GI___lll_lock_wait - /usr/lib/x86_64-linux-gnu/libc.so.6
    ./nptl/lowlevellock.c:49:3
#1  0x0000561f6f6f1245 load_all - /work/plugin/server
    /work/plugin/server.c:8:112
#2  0x0000561f6f6f1399 main - /work/plugin/server
    /work/plugin/server.c:14
`;

t.test("a place is a file and a line, whether a column follows or not", async (t) => {
  const result = { code: 0, stdout: printed, stderr: "", durationMs: 1, truncated: false };
  const access = { exec: () => Promise.resolve(result) } as unknown as SamplerAccess;
  const sample = { processes: [], threads: [], costMs: 0, spentMs: 0, aliveMs: 0 };
  const target = { process: { pid: 61, parent: 0, alarm: false }, sample, mayEnd: false };
  const { threads } = await euStacks.capture(access, target, new AbortController().signal);
  t.match(threads, [{
    tid: 61,
    frames: [
      { function: "__GI___lll_lock_wait" },
      { function: "load_all", file: "/work/plugin/server.c", line: 8 },
      { function: "main", file: "/work/plugin/server.c", line: 14 },
    ],
  }]);
});
