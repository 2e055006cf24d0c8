import t from "tap";
import { readNodeStacks } from "../../../src/stuck/stacks/node_stacks.ts";

t.test("frames below the expression that asked are read, of the main thread and of workers", (t) => {
  const own = "Error\n    at <anonymous>:4:24\n    at <anonymous>:12:3\n";
  const { threads, notes } = readNodeStacks([
    {
      name: "main thread",
      stack:
        `${own}    at Atomics.wait (<anonymous>)\n    at take (file:///p/a (b).mjs:6:11)\n    at file:///p/a.mjs:14:3`,
      handles: [],
      resources: [],
    },
    { name: "worker 1", stack: `${own}    at async ModuleLoader.import (node:internal/loader:606:24)` },
    { name: "worker 2", refused: true },
  ], 7);
  t.same(threads, [
    {
      pid: 7,
      tid: 7,
      name: "main thread",
      frames: [
        { function: "Atomics.wait" },
        { function: "take", file: "/p/a (b).mjs", line: 6 },
        { function: "<anonymous>", file: "/p/a.mjs", line: 14 },
      ],
    },
    {
      pid: 7,
      name: "worker 1",
      frames: [{ function: "async ModuleLoader.import", file: "node:internal/loader", line: 606 }],
    },
  ]);
  t.same(notes, ["process 7: the worker 2 answered its inspector with no stack"]);
  t.end();
});

t.test("an event loop in which no function runs tells what it waits for", (t) => {
  const idle = (handles: string[], resources: string[]) =>
    readNodeStacks([{ name: "main thread", stack: "Error\n    at <anonymous>:4:24", handles, resources }], 7)
      .threads[0]!.frames[0]!.function;
  t.match(
    idle(["Server on port 80", "Socket", "Socket"], ["Timeout"]),
    /waits for Server on port 80, Socket, and timers;/,
  );
  t.match(idle([], ["Timeout"]), /waits for Timeout; a promise that does not settle has no stack/);
  t.match(idle([], []), /waits for nothing;/);
  t.end();
});

t.test("answers of another form are no stacks", (t) => {
  t.throws(() => readNodeStacks(["x", { name: "main thread", stack: 5 }], 7), { code: "UNSUPPORTED" });
  t.end();
});
