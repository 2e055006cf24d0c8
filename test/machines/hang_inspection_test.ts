import t from "tap";
import {
  type AnyEventObject,
  createActor,
  createMachine,
  fromCallback,
  fromPromise,
  SimulatedClock,
} from "xstate";
import { hangInspectionMachine } from "../../machines/mod.ts";
import type { HangInspectionInput } from "../../machines/hang_inspection_machine.ts";
import type { HangInspection } from "../../machines/model/stuck.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

const finding = (kind: HangInspection["kind"], certain?: boolean): HangInspection => ({
  kind,
  says: `hung: ${kind}`,
  threads: [{ pid: 1, tid: 1, waits: "a (1) waits" }],
  ...(certain === undefined ? {} : { certain }),
});

interface Options {
  /** Answer to each sample, counted from 1; undefined: none comes. */
  sample(number: number): HangInspection | string | undefined;
  capture?: (inspection: HangInspection) => Promise<HangInspection>;
}

/** An inspection of 2 s, whose sampler answers at once, and a clock that the test turns. */
function open({ sample, capture = (inspection) => Promise.resolve(inspection) }: Options) {
  const told: HangInspection[] = [];
  const clock = new SimulatedClock();
  let samples = 0;
  const machine = hangInspectionMachine.provide({
    actors: {
      sample: fromCallback<AnyEventObject, HangInspectionInput>(({ sendBack, receive }) =>
        receive(() => {
          const answer = sample(++samples);
          if (typeof answer === "string") sendBack({ type: "hang.not_sampled", reason: answer });
          else if (answer !== undefined) sendBack({ type: "hang.sampled", inspection: answer });
        })
      ),
      captureStacks: fromPromise(({ input }) => capture(input.inspection)),
    },
  });
  const parent = createActor(
    createMachine({
      invoke: { id: "inspection", src: machine, input: { of: { connectionId: "c" }, leftMs: 2000 } },
      on: { "hang.inspected": { actions: ({ event }) => void told.push(event["inspection"]) } },
    }),
    { clock },
  );
  parent.start();
  return {
    samples: () => samples,
    kinds: () => told.map(({ kind }) => kind),
    last: () => told.at(-1),
    isOver: () => parent.getSnapshot().children["inspection"]!.getSnapshot()!.status === "done",
    async pass(ms: number) {
      for (let at = 0; at < ms; at += 50) {
        clock.increment(50);
        await settle();
      }
    },
  };
}

t.test("the first sample has nothing to be compared with, and two that agree are enough", async (t) => {
  const { kinds, samples, pass, isOver } = open({ sample: () => finding("waiting") });
  t.same(kinds(), ["not_inspected"]);
  await pass(600);
  t.equal(samples(), 3);
  t.ok(isOver());
  t.same(kinds(), ["not_inspected", "waiting", "waiting", "waiting"]);
});

t.test("what is certain is told once a second sample agrees, then with its frames", async (t) => {
  const frames = [{ function: "store" }];
  const { kinds, last, pass } = open({
    sample: () => finding("deadlock", true),
    capture: (inspection) =>
      Promise.resolve({ ...inspection, threads: [{ ...inspection.threads[0]!, frames }] }),
  });
  await pass(300);
  t.same(kinds(), ["not_inspected"]);
  await pass(300);
  t.same(kinds(), ["not_inspected", "deadlock", "deadlock"]);
  t.match(last(), { threads: [{ frames }] });
});

t.test("samples that never agree on what is certain leave what they said before", async (t) => {
  const { kinds, samples, pass, isOver } = open({
    sample: (number) => number % 2 === 0 ? finding("waiting") : finding("deadlock", true),
  });
  await pass(1500);
  t.ok(isOver());
  t.equal(samples(), 5);
  t.same(kinds(), ["not_inspected", "waiting", "waiting"]);
});

t.test("a place without an interpreter, a process that is gone and a sampler without answers are named", async (t) => {
  const without = open({ sample: () => "there is neither Node 20 nor Deno" });
  await without.pass(50);
  t.match(without.last(), {
    kind: "not_inspected",
    says: "not inspected: there is neither Node 20 nor Deno",
  });
  const gone = open({ sample: () => finding("gone") });
  await gone.pass(50);
  t.equal(gone.last()!.kind, "gone");
  const mute = open({ sample: () => undefined });
  await mute.pass(1900);
  t.notOk(mute.isOver());
  await mute.pass(100);
  t.match(mute.last(), { kind: "not_inspected", says: "not inspected: the limit came first" });
  for (const { isOver } of [without, gone, mute]) t.ok(isOver());
});

t.test("stacks that cannot be had, or take too long, leave the finding as it is", async (t) => {
  for (const capture of [() => Promise.reject(new Error("no")), () => new Promise<never>(() => {})]) {
    const { last, pass, isOver } = open({ sample: () => finding("infinite_loop", false), capture });
    await pass(1500);
    t.ok(isOver());
    t.strictSame(last(), finding("infinite_loop", false));
  }
});
