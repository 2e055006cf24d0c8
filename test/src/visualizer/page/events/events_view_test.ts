import t from "tap";
import type { EventRow } from "../../../../../src/visualizer/timeline/timeline.ts";
import { minColumnWidth, widestCell } from "../../../../../src/visualizer/page/events/events_view.tsx";

const event = (type: string, source?: string): EventRow => ({
  position: 1,
  settled: 1,
  at: 0,
  ...(source !== undefined && { source: { actor: "x:9", id: source } }),
  target: { actor: "x:0", id: "connection-1" },
  type,
  gist: "",
  trouble: false,
  ignored: false,
});

t.test("columns are as wide as the widest entries", (t) => {
  const columns = widestCell(
    [event("pool.opened"), event("connection.cancel_call", "session-of-tests")],
    minColumnWidth,
  );
  t.same(columns, { ends: "session-of-tests".length + "connection-1".length + 3, type: 22 });
  t.end();
});

t.test("columns never get narrower, so that rows do not jump while one scrolls", (t) => {
  const before = { ends: 25, type: 30 };
  t.same(widestCell([event("a")], before), before);
  t.same(widestCell([], before), before);
  t.end();
});

t.test("one very long name does not take the room of what matters", (t) => {
  t.same(widestCell([event("x".repeat(500), "y".repeat(500))], minColumnWidth), { ends: 32, type: 46 });
  t.end();
});

t.test("of work that ends the type says which it was", (t) => {
  const done = event("xstate.done.actor.0.connection.open.calling", "0.connection.open.calling");
  t.same(widestCell([done], minColumnWidth), { ends: "work → connection-1".length, type: 29 });
  t.end();
});
