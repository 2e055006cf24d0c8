import t from "tap";
import type { ProcessSample, SampledThread, StuckJudgement } from "../../../machines/model/stuck.ts";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { captureStacks } from "../../../src/stuck/stacks/capture_stacks.ts";

const { signal } = new AbortController();

const thread = (pid: number, name: string, wait: SampledThread["wait"]): SampledThread => ({
  pid,
  tid: pid,
  name,
  wait,
  frozen: true,
  cpu: 0,
});
const loop: SampledThread["wait"] = { kind: "event_loop", watched: ["pipe:[1]"] };
/** A shell that waits for Node, which waits for a program that is stuck. */
const sample: ProcessSample = {
  processes: [
    { pid: 1, parent: 0, alarm: false },
    { pid: 2, parent: 1, alarm: false, runtime: "node" },
    { pid: 3, parent: 2, alarm: false },
  ],
  threads: [
    thread(1, "sh", { kind: "child" }),
    thread(2, "node", loop),
    thread(3, "program", { kind: "lock", address: "0x1" }),
  ],
  costMs: 1,
  spentMs: 1,
  aliveMs: 1,
};
const stuck = (...threads: number[]): StuckJudgement => ({
  kind: "deadlock",
  certain: true,
  threads,
  cycle: [],
  detail: "d",
});

/** A place in which each program is asked for, and gdb alone answers. */
function place(answer = '@@PTH [{"tid":3,"name":"program","frames":[{"function":"store"}]}]') {
  const asked: string[] = [];
  const access = {
    exec(words: readonly string[]) {
      const name = words.includes("gdb") ? `gdb ${words[words.indexOf("-p") + 1]}` : words.slice(4).join(" ");
      asked.push(name.split("\n")[0]!.slice(0, 40));
      const isThere = name.startsWith("gdb");
      return Promise.resolve({ code: isThere ? 0 : 127, stdout: isThere ? answer : "", stderr: "" });
    },
  } as unknown as SamplerAccess;
  return { access, asked };
}

t.test("what is stuck comes first, and what only waits for others shows that without a debugger", async (t) => {
  const { access, asked } = place();
  const found = await captureStacks(access, 1, { judgement: stuck(3), sample, mayEnd: false, signal });
  t.same(asked, ["gdb 3"]);
  t.match(found.threads.map(({ frames }) => frames[0]!.function), [
    "store",
    /waits for the end of node/,
    /waits in its event loop/,
  ]);
  t.equal(found.method, "gdb, /proc");
  t.same(found.notes, []);
});

t.test("a process of Node that is stuck itself shows native stacks where its inspector does not open", async (t) => {
  const { access, asked } = place('@@PTH [{"tid":2,"name":"node","frames":[{"function":"uv_run"}]}]');
  await captureStacks(access, 1, { judgement: stuck(2), sample, mayEnd: true, signal });
  t.ok(asked.includes("gdb 2"), asked.join());
});

t.test("stacks that a proof has taken are not taken again", async (t) => {
  const { access, asked } = place();
  const threads = [{ pid: 3, tid: 3, name: "program", frames: [{ function: "spin" }] }];
  const proof = { proven: true, detail: "it repeats", stacks: { pid: 3, threads } };
  const found = await captureStacks(access, 1, { judgement: stuck(3), sample, mayEnd: true, proof, signal });
  t.notOk(asked.some((each) => each === "gdb 3"), asked.join());
  t.match(found.threads[0], { frames: [{ function: "spin" }] });
});
