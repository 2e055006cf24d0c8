import t from "tap";
import { treeRows } from "../../../../../src/visualizer/page/tree/tree_rows.ts";
import { row } from "../actor_row.ts";
import { moveActors } from "../../../../../src/visualizer/page/connect_feed.ts";

const rows = [
  row("x:0", { id: "harness", machine: "harness", value: "active" }),
  row("x:1", { id: "session", machine: "session", parent: "x:0", value: { open: { plugin: "ready" } } }),
  row("x:2", { id: "call-1", machine: "call", parent: "x:1", health: "ended", status: "done" }),
  row("x:3", { id: "0.call.explainingLoss", slot: "explainLoss", parent: "x:2" }),
  row("x:4", { id: "pool", machine: "pool", parent: "x:1", value: "serving" }),
];
const all = { folded: new Set<string>(), endedOfEach: Infinity, text: "" };
const shape = (options: Partial<typeof all>) =>
  treeRows(rows, { ...all, ...options }).map(({ row, depth }) => `${depth} ${row.id}`);

t.test("children stand below their parent, one level further in", (t) => {
  t.same(shape({}), ["1 harness", "2 session", "3 call-1", "4 0.call.explainingLoss", "3 pool"]);
  t.end();
});

t.test("what is folded away is no row", (t) => {
  t.same(shape({ folded: new Set(["x:1"]) }), ["1 harness", "2 session"]);
  t.match(treeRows(rows, { ...all, folded: new Set(["x:2"]) })[2], { hasChildren: true, open: false });
  t.end();
});

t.test("an ended actor that hides stays where something of it lives", (t) => {
  t.same(shape({ endedOfEach: 0 }), [
    "1 harness",
    "2 session",
    "3 call-1",
    "4 0.call.explainingLoss",
    "3 pool",
  ]);
  const dead = rows.map((entry) => entry.actor === "x:3" ? { ...entry, health: "ended" as const } : entry);
  const left = treeRows(dead, { ...all, endedOfEach: 0 }).map(({ row }) => row.id);
  t.same(left, ["harness", "session", "pool"]);
  t.end();
});

t.test("of many that ended only the last ones are rows, what failed, and what is selected", (t) => {
  const ended = { parent: "x:1", health: "ended", status: "done" } as const;
  const many = [
    ...rows.slice(0, 2),
    ...[10, 11, 12, 13].map((number) => row(`x:${number}`, ended)),
    row("x:14", { ...ended, health: "failing", status: "error" }),
    row("x:15", { parent: "x:1" }),
    row("x:16", ended),
  ];
  const shown = (selected?: string) =>
    treeRows(many, { ...all, endedOfEach: 2, selected }).map(({ row }) => row.actor).slice(2);
  t.same(shown(), ["x:13", "x:14", "x:15", "x:16"]);
  t.same(shown("x:10"), ["x:10", "x:13", "x:14", "x:15", "x:16"]);
  t.end();
});

t.test("a filter finds names, machines, slots and states, and shows what is around a hit", (t) => {
  t.same(shape({ text: " EXPLAINloss " }), ["1 harness", "2 session", "3 call-1", "4 0.call.explainingLoss"]);
  t.same(shape({ text: "plugin.ready" }), ["1 harness", "2 session"]);
  t.same(shape({ text: "serving", folded: new Set(["x:0"]) }), ["1 harness", "2 session", "3 pool"]);
  t.same(shape({ text: "no such thing" }), []);
  const test = row("x:5", { id: "test-0", name: "echo answers", machine: "test" });
  t.match(treeRows([...rows, test], { ...all, text: "answers" }), [{ row: test }]);
  t.end();
});

t.test("an actor whose parent is not in the list is an outermost one", (t) => {
  t.same(treeRows([row("x:7", { parent: "x:6" })], all).map(({ depth }) => depth), [1]);
  t.end();
});

t.test("actors that moved are where they moved to, and the others are left alone", (t) => {
  const moved = moveActors(rows, [
    { actor: "x:4", value: "draining", status: "active", taken: [] },
    { actor: "x:3", status: "done", taken: [] },
    { actor: "x:99", value: "new", status: "active", taken: [] },
  ]);
  t.match(moved[4], { value: "draining", status: "active", health: "well" });
  t.match(moved[3], { status: "done", health: "ended" });
  t.equal(moved[1], rows[1]);
  t.equal(moved.length, rows.length, "who is new comes with the next list");
  t.end();
});
