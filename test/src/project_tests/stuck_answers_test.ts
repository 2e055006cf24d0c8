import t from "tap";
import type { StuckRun } from "../../../machines/model/project_test_run.ts";
import { stuckAnswers } from "../../../src/project_tests/stuck_answers.ts";

const frame = (name: string, file?: string, line = 1) => ({
  function: name,
  ...(file === undefined ? {} : { file, line }),
});

const stuck: StuckRun = {
  reason: "stuck",
  running: [{ name: "locks" }, { name: "other" }],
  elapsedMs: 800.4,
  judgement: { kind: "deadlock", certain: true, threads: [1, 2], cycle: [], detail: "each waits" },
  stacks: {
    method: "gdb",
    notes: [],
    threads: [
      { pid: 1, name: "cargo", frames: [frame("wait4", "./posix/wait4.c"), frame("main")] },
      {
        pid: 2,
        name: "worker-1",
        frames: [
          frame("futex", "/rustc/futex.rs"),
          frame("lock", "/rustc/mutex.rs"),
          frame("connect", "/project/src/db.rs", 7),
        ],
        holds: [{ lock: "0xa", at: "db.rs:6", certain: false }],
        waitsFor: { lock: "0xb", heldBy: "worker-2" },
      },
      {
        pid: 2,
        name: "worker-2",
        frames: [
          frame("futex"),
          frame("x".repeat(500), "/project/node_modules/a.js"),
          frame("migrate", "/project/src/db.rs", 9),
        ],
        holds: [{ lock: "0xb", certain: true }],
        waitsFor: { lock: "0xa", heldBy: "worker-1" },
      },
    ],
  },
};

t.test("threads with code of the project are told, with what leads there, their locks and the circle", (t) => {
  const [first, second] = stuckAnswers(stuck, "/project", ({ stack }) => stack);
  t.match(first, {
    name: "locks",
    elapsed_ms: 800,
    diagnosis: "Deadlock: worker-1 waits for worker-2 waits for worker-1; each waits",
    threads: [
      {
        name: "worker-1",
        stack: [
          "futex (/rustc/futex.rs:1)",
          "connect (src/db.rs:7)",
          "holds 0xa, taken at db.rs:6 (likely)",
          "waits for 0xb, held by worker-2",
        ],
      },
      {
        name: "worker-2",
        stack: ["futex", "migrate (src/db.rs:9)", "holds 0xb", "waits for 0xa, held by worker-1"],
      },
    ],
    suggested_traces: ["connect (src/db.rs:7)", "migrate (src/db.rs:9)"],
  });
  t.equal(first!.threads.length, 2);
  t.match(second, { name: "other", threads: [] }, "threads are told once");
  t.end();
});

t.test("where no thread runs code of the project, the innermost frames of all are told", (t) => {
  const threads = stuck.stacks!.threads.slice(0, 1);
  const [only] = stuckAnswers(
    { ...stuck, stacks: { ...stuck.stacks!, threads } },
    "/project",
    () => undefined,
  );
  t.same(only!.threads, [{ name: "cargo", stack: ["wait4 (./posix/wait4.c:1)", "main"] }]);
  t.end();
});

t.test("where there are no stacks, the reason is told", (t) => {
  const refused = {
    threads: [],
    method: "/proc",
    notes: ["process 7: gdb may not trace it: the kernel refuses it"],
  };
  const [only] = stuckAnswers({ ...stuck, stacks: refused }, "/project", () => undefined);
  t.equal(
    only!.diagnosis,
    "Deadlock: each waits; no stacks: process 7: gdb may not trace it: the kernel refuses it",
  );
  t.end();
});

t.test("threads of one name are told by their numbers, and make a circle only where each waits for the next", (t) => {
  const worker = (tid: number, heldBy?: string) => ({
    pid: 2,
    tid,
    name: "worker",
    frames: [frame("lock", "/project/src/db.rs", tid)],
    ...(heldBy === undefined ? {} : { waitsFor: { lock: "0xa", heldBy } }),
  });
  const told = (...threads: ReturnType<typeof worker>[]) =>
    stuckAnswers({ ...stuck, stacks: { ...stuck.stacks!, threads } }, "/project", () => undefined)[0]!;
  const circle = told(worker(1, "worker (2)"), worker(2, "worker (1)"));
  t.match(circle.diagnosis, "Deadlock: worker (1) waits for worker (2) waits for worker (1); each waits");
  t.same(circle.threads.map(({ name }) => name), ["worker (1)", "worker (2)"]);
  t.equal(told(worker(1, "worker (2)"), worker(2)).diagnosis, "Deadlock: each waits");
  t.end();
});
