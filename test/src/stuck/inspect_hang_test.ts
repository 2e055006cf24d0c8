import t from "tap";
import type { ProcessSample, SampledThread, ThreadWait } from "../../../machines/model/stuck.ts";
import { inspectHang } from "../../../src/stuck/inspect_hang.ts";
import { inspectedStacks } from "../../../src/stuck/inspected_stacks.ts";

const stdin: ThreadWait = { kind: "input", from: "its stdin" };
const lock: ThreadWait = { kind: "lock", address: "0x1" };

type Part = Partial<SampledThread> & { tid: number; wait: ThreadWait };

/** Threads of a process 1 that runs a program, and of its child 9. */
const sampleOf = (program: string, threads: Part[], runtime?: "node"): ProcessSample => ({
  processes: [
    { pid: 1, parent: 0, alarm: false, program, ...(runtime === undefined ? {} : { runtime }) },
    { pid: 9, parent: 1, alarm: false, program: "cat" },
  ],
  threads: threads.map((each) => ({ pid: 1, name: program, frozen: true, cpu: 0, ...each })),
  costMs: 1,
  spentMs: 1,
  aliveMs: 1,
});

t.test("a main thread that waits for threads of which one reads stdin is suspected to wait for ever", (t) => {
  const threads: Part[] = [{ tid: 1, wait: lock }, { tid: 2, wait: stdin }, { tid: 3, wait: lock }];
  t.match(inspectHang(sampleOf("python3.11", threads), 1000), {
    kind: "deadlock",
    certain: false,
    says: "hung: deadlock, suspected: python3.11 (1) waits for a lock or a condition; " +
      "python3.11 (3) waits for a lock or a condition",
  });
  // A thread pool of a compiled program waits like that for its next message.
  t.match(inspectHang(sampleOf("server", threads), 1000), {
    kind: "waiting",
    says: /^hung: calls nothing: server \(1\)/,
  });
  t.end();
});

t.test("a sleep beyond the limit is suspected to be all, though a thread reads stdin", (t) => {
  const threads: Part[] = [{ tid: 1, wait: { kind: "timer" }, leftMs: 60_000 }, { tid: 2, wait: stdin }];
  t.match(inspectHang(sampleOf("python3", threads), 1000), {
    kind: "beyond_timeout",
    certain: false,
    says: "hung: goes on only after the limit, suspected: python3 (1) sleeps for 60 s more",
  });
  t.equal(inspectHang(sampleOf("python3", threads), 90_000).kind, "waiting");
  t.end();
});

t.test("a main thread that reads stdin itself waits for the next message", (t) => {
  t.match(inspectHang(sampleOf("python3", [{ tid: 1, wait: stdin }, { tid: 2, wait: lock }]), 1000), {
    kind: "waiting",
    says: "hung: calls nothing: python3 (1) waits for input from its stdin; " +
      "python3 (2) waits for a lock or a condition",
  });
  t.end();
});

t.test("of an event loop what leads out is named, and of a runtime its main thread alone", (t) => {
  const peer = "a connection to 127.0.0.1:9999";
  const watched = ["anon_inode:[eventfd]", "pipe:[5]", peer, "its stdin"];
  const threads: Part[] = [
    { tid: 1, wait: { kind: "event_loop", watched } },
    { tid: 2, wait: lock },
    { pid: 9, tid: 9, name: "cat", wait: stdin },
  ];
  const { kind, says, threads: named } = inspectHang(sampleOf("node", threads, "node"), 1000);
  t.equal(kind, "waiting");
  t.equal(
    says,
    `hung: calls nothing: node (1) waits in its event loop for ${peer}, its stdin; cat (9) waits for input from its stdin`,
  );
  t.same(named.map(({ tid }) => tid), [1, 9]);
  t.end();
});

t.test("a thread that computes is an endless loop, and with others that go on it works", (t) => {
  const busy: Part = { tid: 1, wait: { kind: "running" }, frozen: false, busy: true, cpu: 0.98 };
  t.match(inspectHang(sampleOf("python3", [busy, { tid: 2, wait: stdin }]), 1000), {
    kind: "infinite_loop",
    certain: false,
    says: "hung: endless loop, suspected: python3 (1) computes, at 98 % of a processor",
  });
  const other: Part = { tid: 3, wait: { kind: "running" }, frozen: false, cpu: 0.5 };
  t.match(inspectHang(sampleOf("python3", [busy, other]), 1000), {
    kind: "working",
    says: /^not hung: it works/,
  });
  t.end();
});

t.test("a process that is gone, and names that would repaint a terminal, stay one plain line", (t) => {
  t.match(inspectHang({ processes: [], threads: [], costMs: 1, spentMs: 1, aliveMs: 1 }, 1000), {
    kind: "gone",
    says: "not inspected: its process is gone",
  });
  const from = `a\n\x1b[2J${"b".repeat(500)}`;
  const { says } = inspectHang(sampleOf("x", [{ tid: 1, wait: { kind: "input", from } }]), 1000);
  t.notOk(["\n", "\x1b"].some((control) => says.includes(control)));
  t.ok(says.length <= 400);
  t.end();
});

t.test("the stacks of an inspection are those of threads whose frames are known", (t) => {
  const frames = [{ function: "store", file: "/src/a.c", line: 7 }, { function: "main" }];
  t.equal(
    inspectedStacks({
      kind: "deadlock",
      certain: true,
      says: "hung: deadlock",
      threads: [{ pid: 1, tid: 1, waits: "a (1) waits", frames }],
    }),
    "a (1) waits\n  store (/src/a.c:7)\n  main",
  );
  t.end();
});
