import t from "tap";
import { and, type AnyStateMachine, not, setup } from "xstate";
import { refusedAt } from "../../../../src/visualizer/timeline/refused_at.ts";
import { recorded } from "./recorded.ts";

/** Guards that say yes where their name is among those allowed, and write down each no of theirs. */
function asking(allowed: Set<string>) {
  const no: string[] = [];
  const guard = (name: string) => () => {
    if (allowed.has(name)) return true;
    no.push(name);
    return false;
  };
  const guards = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, guard(name)]));
  return { no, made: setup({ guards: guards as Record<string, () => boolean> }) };
}

type Made = ReturnType<typeof asking>["made"];

/** For each event: the guards that refused in truth, and those that the recording tells of. */
async function compare(build: (made: Made) => AnyStateMachine, allowed: string[], events: string[]) {
  const { no, made } = asking(new Set(allowed));
  const machine = build(made);
  const truth: string[][] = [];
  const { index, answers } = await recorded(machine, (running) => {
    truth.push(no.splice(0));
    for (const type of events) {
      running.send({ type });
      truth.push(no.splice(0));
    }
  });
  const told = index.actors[0]!.snapshots.map((line) => refusedAt(index, answers, machine, line));
  return {
    truth: truth.map((names) => [...new Set(names)].sort()),
    told: told.map((refused) => refused.map(({ guard }) => guard).sort()),
    refused: told,
  };
}

t.test("every guard before the one that was taken refused", async (t) => {
  const { truth, told, refused } = await compare(
    (made) =>
      made.createMachine({
        id: "m",
        initial: "one",
        states: {
          one: { on: { go: [{ guard: "a", target: "two" }, { guard: "b", target: "two" }, { guard: "c" }] } },
          two: {},
        },
      }),
    ["b"],
    ["go"],
  );
  t.same(told, truth);
  t.match(refused[1], [{ event: "go", transition: "m.one|go|0", guard: "a" }]);
});

t.test("where nothing was taken, all refused: inner states first, then those around them, then patterns", async (t) => {
  const { truth, told } = await compare(
    (made) =>
      made.createMachine({
        initial: "outer",
        on: { "*": { guard: "d", actions: () => {} } },
        states: {
          outer: {
            initial: "inner",
            on: { go: { guard: "b", target: "other" }, "go.*": { guard: "c", target: "other" } },
            states: { inner: { on: { go: { guard: "a", target: "deep" } } }, deep: {} },
          },
          other: {},
        },
      }),
    [],
    ["go", "go.on", "else"],
  );
  t.same(told, truth);
  t.same(told.slice(1), [["a", "b", "c", "d"], ["c", "d"], ["d"]]);
});

t.test("a state around the one that took the event was not asked, and what nothing guards is taken", async (t) => {
  const { truth, told } = await compare(
    (made) =>
      made.createMachine({
        initial: "outer",
        states: {
          outer: {
            initial: "inner",
            on: { go: { guard: "b", target: "other" } },
            states: { inner: { on: { go: [{ guard: "a", target: "deep" }, { target: "deep" }] } }, deep: {} },
          },
          other: {},
        },
      }),
    [],
    ["go", "go"],
  );
  t.same(told, truth);
  t.same(told.slice(1), [["a"], ["b"]]);
});

t.test("regions are asked each for itself, and what is around them only where none of them took it", async (t) => {
  const build = (made: Made) =>
    made.createMachine({
      type: "parallel",
      on: { go: { guard: "c", actions: () => {} } },
      states: {
        left: { initial: "l1", states: { l1: { on: { go: { guard: "a", target: "l2" } } }, l2: {} } },
        right: { initial: "r1", states: { r1: { on: { go: { guard: "b", target: "r2" } } }, r2: {} } },
      },
    });
  const one = await compare(build, ["b"], ["go"]);
  t.same(one.told, one.truth);
  t.same(one.told[1], ["a"]);
  const none = await compare(build, [], ["go"]);
  t.same(none.told, none.truth);
  t.same(none.told[1], ["a", "b", "c"]);
});

t.test("guards of always refuse when it rests, and before the one that was taken on the way", async (t) => {
  const { truth, told, refused } = await compare(
    (made) =>
      made.createMachine({
        initial: "one",
        always: { guard: "f", target: ".two" },
        states: {
          one: { on: { go: "choosing" } },
          choosing: { always: [{ guard: "a", target: "one" }, { guard: "b", target: "two" }] },
          two: { always: { guard: "c", target: "one" } },
        },
      }),
    ["b"],
    ["go", "nothing"],
  );
  t.same(told, truth);
  t.match(refused[1]!.map(({ event }) => event), ["", "", ""]);
});

t.test("guards made of others are told by their parts, and a forbidden event asks nobody", async (t) => {
  const { told } = await compare(
    (made) =>
      made.createMachine({
        initial: "one",
        on: { stop: { guard: "a", target: ".two" } },
        states: { one: { on: { go: { guard: and(["a", not("b")]), target: "two" }, stop: {} } }, two: {} },
      }),
    [],
    ["go", "stop"],
  );
  t.same(told.slice(1), [["a and not b"], []]);
});

t.test("one that may have agreed and was overruled by another region is not called a refusal", async (t) => {
  const { truth, told } = await compare(
    (made) =>
      made.createMachine({
        initial: "both",
        states: {
          both: {
            type: "parallel",
            states: {
              left: { initial: "l1", states: { l1: { on: { go: "#out" } } } },
              right: { initial: "r1", states: { r1: { on: { go: { guard: "a", target: "r2" } } }, r2: {} } },
            },
          },
          out: { id: "out" },
        },
      }),
    ["a"],
    ["go"],
  );
  t.same(told, truth);
});
