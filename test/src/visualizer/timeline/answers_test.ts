import t from "tap";
import { fromLines } from "./recorded.ts";
import { actor, event, snapshot } from "./written_recording.ts";

t.test("snapshots answer events in the order in which they were heard, also where they came while it was busy", async (t) => {
  const { index, answers } = await fromLines([
    actor(0, "x:0", "suite", { machine: "suite" }),
    event(1, "x:0", "xstate.init"),
    snapshot(2, "x:0", "running"),
    event(3, "x:0", "test.finished"), // 3
    event(4, "x:0", "test.started", {}, "x:1"), // 4: sent back while it took the one before
    snapshot(5, "x:0", "running"),
    snapshot(6, "x:0", "finished"),
    event(7, "x:0", "suite.cancel"), // 7: never looked at
    snapshot(8, "x:0", "finished", { status: "stopped" }),
    actor(9, "x:1", "0.suite.running", { slot: "work", parent: "x:0" }),
    event(9, "x:1", "xstate.init"), // 10
    snapshot(9, "x:1", undefined, { status: "done" }),
  ]);
  t.same([1, 3, 4, 7, 10].map((line) => answers.snapshotAfter(line)), [2, 5, 6, undefined, undefined]);
  t.same([2, 5, 6, 8, 11].map((line) => answers.eventBefore(line)), [1, 3, 4, undefined, undefined]);
  t.equal(index.length, 12);
});

t.test("where a recording begins within a step, it finds its way", async (t) => {
  const { answers } = await fromLines([
    actor(0, "x:0", "suite", { machine: "suite" }),
    snapshot(0, "x:0", "running"),
    snapshot(1, "x:0", "running"),
    event(2, "x:0", "test.started"), // 3
    snapshot(3, "x:0", "running"),
  ]);
  t.equal(answers.snapshotAfter(3), 4);
  t.equal(answers.eventBefore(1), undefined);
});
