import t from "tap";
import type {
  ProcessSample,
  RunnerThreads,
  SampledProcess,
  SampledThread,
  ThreadWait,
} from "../../../machines/model/stuck.ts";
import { judgeSample } from "../../../src/stuck/judge_sample.ts";

const lock = (owner?: number): ThreadWait => ({
  kind: "lock",
  address: "0x1",
  ...(owner === undefined ? {} : { owner }),
});
const running: ThreadWait = { kind: "running" };

type Part = Partial<SampledThread> & { tid: number; wait: ThreadWait };

const sampleOf = (
  threads: Part[],
  processes: Partial<SampledProcess>[] = [{}],
  rest: object = {},
): ProcessSample => ({
  processes: processes.map((each, at) => ({
    pid: 1 + at * 100,
    parent: at === 0 ? 0 : 1,
    alarm: false,
    ...each,
  })),
  threads: threads.map((each) => ({
    pid: 1,
    name: `t${each.tid}`,
    frozen: each.wait.kind !== "running",
    cpu: each.wait.kind === "running" ? 1 : 0,
    ...each,
  })),
  costMs: 1,
  spentMs: 1,
  aliveMs: 1,
  ...rest,
});
const judge = (sample: ProcessSample, budgetMs = 30_000, runner?: RunnerThreads) =>
  judgeSample(sample, { budgetMs, runner });

t.test("a tree without processes is gone", (t) => {
  t.same(judge({ processes: [], threads: [], costMs: 1, spentMs: 1, aliveMs: 1 }), { kind: "gone" });
  t.end();
});

t.test("owners in a circle are a certain deadlock, whatever else goes on", (t) => {
  const threads: Part[] = [
    { tid: 1, wait: running },
    { tid: 2, wait: lock(3) },
    { tid: 3, wait: lock(2) },
  ];
  const judgement = judge(sampleOf(threads));
  t.match(judgement, { kind: "deadlock", certain: true, cycle: [2, 3] });
  t.match(judgement, {
    detail: "t2 (2) waits for a lock that t3 (3) holds; t3 (3) waits for a lock that t2 (2) holds",
  });
  t.end();
});

t.test("a thread that waits for a lock of its own is a circle of one", (t) => {
  t.match(judge(sampleOf([{ tid: 1, wait: lock(1) }])), {
    kind: "deadlock",
    certain: true,
    cycle: [1],
    detail: "t1 (1) waits for a lock that it holds itself",
  });
  t.end();
});

t.test("a wait with a time limit is no part of a circle", (t) => {
  const threads: Part[] = [{ tid: 1, wait: lock(2), leftMs: 500 }, { tid: 2, wait: lock(1) }];
  t.match(judge(sampleOf(threads)), { kind: "waiting", for: "timer" });
  t.end();
});

t.test("threads that all wait for locks without owners are a certain deadlock", (t) => {
  const threads: Part[] = [{ tid: 1, wait: { kind: "join", target: 2 } }, { tid: 2, wait: lock() }];
  t.match(judge(sampleOf(threads)), { kind: "deadlock", certain: true, cycle: [], threads: [1, 2] });
  t.end();
});

t.test("a lock without a known owner may be given free by any thread that goes on", (t) => {
  const others: Part[] = [
    { tid: 2, wait: running },
    { tid: 2, wait: { kind: "timer" }, leftMs: 2000 },
    { tid: 2, wait: { kind: "input", from: "socket:[1]" } },
    { tid: 2, wait: { kind: "event_loop", watched: ["socket:[1]"] } },
    { tid: 2, wait: { kind: "signal" } },
    { tid: 2, wait: { kind: "stopped" } },
    { tid: 2, wait: { kind: "disk" } },
    { tid: 2, wait: { kind: "other", call: "io_uring_enter" } },
    { tid: 2, wait: { kind: "lock", address: "0x2", shared: true } },
    { tid: 2, wait: lock(), frozen: false },
  ];
  for (const other of others) {
    const judgement = judge(sampleOf([{ tid: 1, wait: lock() }, other]));
    t.not(judgement.kind, "deadlock", JSON.stringify(other));
  }
  t.end();
});

t.test("a first wake-up beyond the time limit is stuck beyond it", (t) => {
  const threads: Part[] = [
    { tid: 1, wait: { kind: "join", target: 2 } },
    { tid: 2, wait: { kind: "timer" }, leftMs: 90_000 },
    { tid: 3, wait: lock(), leftMs: 60_000 },
  ];
  t.match(judge(sampleOf(threads)), { kind: "beyond_timeout", certain: true, wakesInMs: 60_000 });
  t.match(judge(sampleOf(threads), 120_000), { kind: "waiting", for: "timer" });
  t.end();
});

t.test("an event loop with a late timer and a socket waits for input", (t) => {
  const threads: Part[] = [
    { tid: 1, wait: { kind: "event_loop", watched: ["socket:[1]"] }, leftMs: 90_000 },
  ];
  t.equal(judge(sampleOf(threads)).kind, "waiting");
  t.end();
});

t.test("a timer's signal may end any wait, so that nothing is certain", (t) => {
  t.match(judge(sampleOf([{ tid: 1, wait: lock() }], [{ alarm: true }])), {
    kind: "deadlock",
    certain: false,
  });
  t.end();
});

t.test("threads that were not seen, or not to be read, leave nothing certain", (t) => {
  for (const rest of [{ truncated: true }, { unreadable: true }]) {
    t.match(judge(sampleOf([{ tid: 1, wait: lock() }], [{}], rest)), { kind: "deadlock", certain: false });
  }
  t.end();
});

t.test("an event loop that waits for nothing from outside is only suspected", (t) => {
  const threads: Part[] = [{
    tid: 1,
    wait: { kind: "event_loop", watched: ["anon_inode:[eventfd]"], peers: [1] },
  }];
  t.match(judge(sampleOf(threads)), { kind: "deadlock", certain: false });
  t.end();
});

t.test("a wait for a child lives as the child does, or one of its children", (t) => {
  const processes = [{}, {}, { parent: 101 }];
  const wait: Part = { tid: 1, wait: { kind: "child", target: 101 } };
  const child: Part = { pid: 101, tid: 101, wait: { kind: "child" } };
  const grandchild = (wait: ThreadWait): Part => ({ pid: 201, tid: 201, wait });
  t.match(judge(sampleOf([wait, child, grandchild(running)], processes)), { kind: "working" });
  t.match(judge(sampleOf([wait, child, grandchild(lock())], processes)), { kind: "deadlock", certain: true });
  t.match(judge(sampleOf([wait], [{}])), { kind: "waiting", for: "child" }, "a child that has just ended");
  t.end();
});

t.test("a pipe within the tree lives as those at its other end do", (t) => {
  const reader: Part = { tid: 1, wait: { kind: "input", from: "pipe:[9]", peers: [101] } };
  t.match(judge(sampleOf([reader, { pid: 101, tid: 101, wait: running }], [{}, {}])), { kind: "working" });
  t.match(
    judge(
      sampleOf([reader, { pid: 101, tid: 101, wait: { kind: "child" } }, {
        pid: 101,
        tid: 102,
        wait: lock(),
      }], [
        {},
        {},
        { parent: 101 },
      ]),
    ),
    { kind: "waiting" },
  );
  const writer: Part = { pid: 101, tid: 101, wait: { kind: "output", to: "pipe:[8]", peers: [1] } };
  t.match(judge(sampleOf([reader, writer], [{}, {}])), { kind: "deadlock", certain: true });
  t.end();
});

t.test("a pipe whose writer is its only reader never gets anything", (t) => {
  const threads: Part[] = [{ tid: 1, wait: { kind: "input", from: "pipe:[9]", peers: [1] } }];
  t.match(judge(sampleOf(threads)), { kind: "deadlock", certain: true });
  t.end();
});

t.test("the main thread of libtest, which wakes up to complain, releases nothing", (t) => {
  const threads: Part[] = [{ tid: 1, wait: lock(), leftMs: 20_000 }, { tid: 2, wait: lock() }];
  t.match(judge(sampleOf(threads), 30_000, "libtest"), { kind: "deadlock", certain: true, threads: [2] });
  t.match(judge(sampleOf(threads)), { kind: "waiting", for: "timer" });
  t.end();
});

t.test("the monitor of Go's runtime releases nothing", (t) => {
  const threads: Part[] = [
    { tid: 1, wait: lock() },
    { tid: 2, wait: lock(), leftMs: 50_000, waitMs: 60_000 },
    { tid: 3, wait: { kind: "event_loop", watched: ["pipe:[1]"], peers: [1] } },
  ];
  t.match(judge(sampleOf(threads, [{ runtime: "go" }]), 120_000), { kind: "deadlock", certain: true });
  t.match(judge(sampleOf(threads), 120_000), { kind: "waiting", for: "timer" });
  t.end();
});

t.test("Node's scheduler releases nothing, unless it has a timer and so may be a worker", (t) => {
  const scheduler: Part = { tid: 2, wait: { kind: "event_loop", watched: ["pipe:[1]"], peers: [1] } };
  const threads: Part[] = [{ tid: 1, wait: lock() }, scheduler, { tid: 3, wait: lock() }];
  t.match(judge(sampleOf(threads, [{ runtime: "node" }])), {
    kind: "deadlock",
    certain: true,
    threads: [1, 3],
  });
  threads[1] = { ...scheduler, leftMs: 5000 };
  t.match(judge(sampleOf(threads, [{ runtime: "node" }])), { kind: "waiting", for: "timer" });
  t.end();
});

t.test("a Java VM's own threads release nothing, but what they leave is only suspected", (t) => {
  const threads: Part[] = [
    { tid: 1, wait: { kind: "join", target: 4 } },
    { tid: 2, wait: running, name: "VM Periodic Tas" },
    { tid: 3, wait: lock(), frozen: false, name: "G1 Service" },
    { tid: 4, wait: lock() },
  ];
  t.match(judge(sampleOf(threads, [{ runtime: "java" }])), {
    kind: "deadlock",
    certain: false,
    threads: [1, 4],
  });
  t.end();
});

t.test("a build tool and its threads in the VM of tests release nothing, and a VM that a test starts is another", (t) => {
  for (
    const [runner, own, main] of [
      ["surefire", "surefire-forked", "java"],
      ["gradle", "/[0:0:0:0:0:0:0", "Test worker"],
    ] as const
  ) {
    const threads: Part[] = [
      { tid: 1, wait: { kind: "timer" }, leftMs: 100 },
      { tid: 101, pid: 101, wait: { kind: "child" } },
      { tid: 201, pid: 201, wait: lock(), name: main },
      { tid: 202, pid: 201, wait: lock(), name: own, leftMs: 100 },
      { tid: 203, pid: 201, wait: { kind: "input", from: "pipe:[1]" }, name: own },
    ];
    const java = { runtime: "java" } as const;
    const sample = (more: Part[] = []) =>
      sampleOf([...threads, ...more], [java, {}, { ...java, parent: 101 }, { ...java, parent: 201 }]);
    t.match(judge(sample(), 30_000, runner), { kind: "deadlock", certain: false, threads: [201] });
    const child: Part = { tid: 301, pid: 301, wait: { kind: "timer" }, leftMs: 100 };
    t.match(judge(sample([child]), 30_000, runner), { kind: "waiting", for: "timer" });
    const idle: Part = { tid: 204, pid: 201, wait: lock(), name: "process reaper ", leftMs: 60_000 };
    t.match(judge(sample([idle]), 30_000, runner), { kind: "deadlock", threads: [201] });
    t.match(judge(sample()), { kind: "waiting" }, "without a build tool nothing is left away");
  }
  t.end();
});

t.test("computing without system calls is suspected, and provable where nothing else can end it", (t) => {
  const busy: Part = { tid: 1, wait: running, busy: true };
  t.match(judge(sampleOf([busy])), { kind: "infinite_loop", certain: false, threads: [1], alone: true });
  t.match(judge(sampleOf([busy, { tid: 2, wait: lock() }])), { alone: true });
  t.match(judge(sampleOf([busy, { tid: 2, wait: { kind: "timer" }, leftMs: 1000 }])), { alone: false });
  t.match(judge(sampleOf([busy, { tid: 2, wait: running, busy: true }])), { alone: false });
  t.match(judge(sampleOf([busy], [{ alarm: true }])), { alone: false });
  t.match(judge(sampleOf([busy], [{}], { unreadable: true })), { alone: false });
  t.match(judge(sampleOf([busy, { tid: 2, wait: running }])), { kind: "working" });
  t.end();
});

t.test("a runtime's own threads do not keep a loop from being provable, but threads of the program do", (t) => {
  const busy: Part = { tid: 1, wait: running, busy: true };
  const turn: Part = { tid: 3, wait: lock(), leftMs: 40, waitMs: 50, frozen: true };
  const monitor: Part = { ...turn, name: "VM Periodic Tas" };
  t.match(judge(sampleOf([busy, monitor], [{ runtime: "java" }])), { kind: "infinite_loop", alone: true });
  // It may as well sleep for a moment, and then end the loop.
  t.match(judge(sampleOf([busy, turn], [{ runtime: "java" }])), { kind: "infinite_loop", alone: false });
  const scheduler: Part = { tid: 2, wait: { kind: "event_loop", watched: ["pipe:[1]"], peers: [1] } };
  t.match(judge(sampleOf([busy, scheduler, { tid: 3, wait: lock() }], [{ runtime: "node" }])), {
    alone: true,
  });
  t.match(judge(sampleOf([busy, scheduler, turn], [{ runtime: "node" }])), { alone: false });
  // Goroutines that wait have no threads.
  t.match(judge(sampleOf([busy], [{ runtime: "go" }])), { kind: "infinite_loop", alone: false });
  t.end();
});
