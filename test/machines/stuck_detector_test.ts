import t from "tap";
import {
  type AnyEventObject,
  createActor,
  createMachine,
  fromCallback,
  fromPromise,
  SimulatedClock,
} from "xstate";
import { stuckDetectorMachine } from "../../machines/mod.ts";
import type { CaptureInput, ProveInput, StuckDetectorInput } from "../../machines/stuck_detector_machine.ts";
import type { CapturedStacks, LoopProof, StuckFact, StuckJudgement } from "../../machines/model/stuck.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

const deadlock = (certain: boolean): StuckJudgement => ({
  kind: "deadlock",
  certain,
  threads: [1, 2],
  cycle: [],
  detail: "both wait",
});
const loop = (alone: boolean): StuckJudgement => ({
  kind: "infinite_loop",
  certain: false,
  threads: [7],
  alone,
  detail: "computes",
});
const stacks: CapturedStacks = { threads: [], method: "gdb", notes: [] };

/** Time at which computing is tested for a loop of any length, and for which it is not before. */
const beforeFirstProof = 3200;

interface Options {
  judge(number: number): StuckJudgement | Error;
  capture?: (input: CaptureInput) => Promise<CapturedStacks>;
  prove?: (input: ProveInput) => Promise<LoopProof>;
  costMs?: number;
}

/** A detector with a sampler that answers at once, and a clock that the test turns. */
function open({ judge, capture = () => Promise.resolve(stacks), prove, costMs = 1 }: Options) {
  const facts: StuckFact[] = [];
  const clock = new SimulatedClock();
  let samples = 0;
  let captures = 0;
  const detector = stuckDetectorMachine.provide({
    actors: {
      sample: fromCallback<AnyEventObject, StuckDetectorInput>(({ sendBack, receive }) =>
        receive(({ number }) => {
          const judgement = judge(++samples);
          sendBack(
            judgement instanceof Error ? { type: "sampler.failed", reason: judgement.message } : {
              type: "sample.taken",
              number,
              judgement,
              costMs,
              at: clock.now(),
              spentMs: 2,
              aliveMs: 500,
            },
          );
        })
      ),
      captureStacks: fromPromise(({ input }: { input: CaptureInput }) => (captures++, capture(input))),
      proveLoop: fromPromise(({ input }: { input: ProveInput }) => prove!(input)),
    },
  });
  const parent = createActor(
    createMachine({
      invoke: { id: "detector", src: detector, input: { pid: 1, deadlineAt: 1 } },
      on: { "*": { actions: ({ event }) => facts.push(event as never) } },
    }),
    { clock },
  );
  parent.start();
  return {
    facts,
    kinds: () => facts.flatMap(({ type }) => type.startsWith("stuck.") ? [type] : []),
    samples: () => samples,
    captures: () => captures,
    print: () => parent.getSnapshot().children["detector"]!.send({ type: "output" }),
    async pass(ms: number) {
      for (let at = 0; at < ms; at += 100) {
        clock.increment(100);
        await settle();
      }
    },
    stop: () => parent.stop(),
  };
}

t.test("two samples that prove a deadlock are told once, with the stacks", async (t) => {
  const { kinds, facts, pass, samples } = open({ judge: () => deadlock(true) });
  await pass(500);
  t.same(kinds(), []);
  await pass(3000);
  t.same(kinds(), ["stuck.certain"]);
  t.match(facts[0], { judgement: { certain: true }, stacks });
  t.equal(samples(), 2);
});

t.test("output between two samples puts off what they prove", async (t) => {
  const { kinds, pass, print, stop } = open({ judge: () => deadlock(true) });
  for (let at = 0; at < 10; at++) {
    await pass(400);
    print();
  }
  t.same(kinds(), []);
  stop();
});

t.test("nothing is sampled while there is output", async (t) => {
  const { samples, pass, print, stop } = open({ judge: () => ({ kind: "working" }) });
  for (let at = 0; at < 20; at++) {
    await pass(200);
    print();
  }
  t.equal(samples(), 0);
  stop();
});

t.test("a suspicion is told once, and cleared by output", async (t) => {
  const { kinds, pass, print, captures, stop } = open({ judge: () => deadlock(false) });
  await pass(20_000);
  t.same(kinds(), ["stuck.suspected"]);
  print();
  t.same(kinds(), ["stuck.suspected", "stuck.cleared"]);
  t.equal(captures(), 1);
  stop();
});

t.test("a suspicion is cleared by a sample that says something else", async (t) => {
  const { kinds, pass, stop } = open({ judge: (at) => at < 5 ? deadlock(false) : { kind: "working" } });
  await pass(10_000);
  t.same(kinds(), ["stuck.suspected", "stuck.cleared"]);
  stop();
});

t.test("a cycle that the stacks tell makes a suspicion certain", async (t) => {
  const { facts, pass } = open({
    judge: () => deadlock(false),
    capture: () => Promise.resolve({ ...stacks, cycle: ["a", "b"] }),
  });
  await pass(5000);
  t.match(facts, [{ type: "stuck.certain", judgement: { certain: true }, stacks: { cycle: ["a", "b"] } }]);
});

t.test("computing for long is tested for a loop, and certain where that is proven", async (t) => {
  const { facts, pass } = open({
    judge: () => loop(true),
    prove: ({ brief }) => Promise.resolve({ proven: !brief, detail: "its state repeats" }),
  });
  await pass(beforeFirstProof);
  t.same(facts, []);
  await pass(3000);
  t.match(facts, [{ type: "stuck.certain", judgement: { certain: true, detail: "its state repeats" } }]);
});

t.test("a short loop is proven early, and its stacks are those of the proof", async (t) => {
  const proof = { proven: true, detail: "it repeats", stacks: { pid: 7, threads: [] }, tookMs: 90 };
  const inputs: unknown[] = [];
  const { facts, pass } = open({
    judge: () => loop(true),
    prove: ({ brief }) => Promise.resolve(brief ? proof : { proven: false, detail: "late" }),
    capture: (input) => {
      inputs.push(input);
      return Promise.resolve({ ...stacks, tookMs: 10 });
    },
  });
  await pass(beforeFirstProof);
  t.match(facts, [{
    type: "stuck.certain",
    judgement: { certain: true },
    figures: { provenAfterMs: 990, verdictAfterMs: 1000, samplerSpentMs: 2, samplerAliveMs: 500 },
  }]);
  t.match(inputs, [{ mayEnd: true, proof }]);
});

t.test("a look for a short loop that finds none is no suspicion", async (t) => {
  const looks: boolean[] = [];
  const { kinds, pass, stop } = open({
    judge: () => loop(true),
    prove: ({ brief }) => {
      looks.push(brief);
      return Promise.reject(new Error("gdb is not there"));
    },
  });
  await pass(beforeFirstProof);
  t.same(kinds(), []);
  await pass(1000);
  t.same(kinds(), ["stuck.suspected"]);
  t.same(looks, [true, false]);
  stop();
});

t.test("a loop that is not proven is suspected, and tested again less and less often", async (t) => {
  let proofs = 0;
  const { kinds, pass, stop } = open({
    judge: () => loop(true),
    prove: () => Promise.resolve({ proven: ++proofs < 0, detail: "no" }),
  });
  await pass(60_000);
  t.same(kinds(), ["stuck.suspected"]);
  t.ok(proofs >= 3 && proofs <= 5, `${proofs} proofs`);
  stop();
});

t.test("computing beside threads that may end it is never tested, only suspected", async (t) => {
  const { kinds, pass, stop } = open({ judge: () => loop(false) });
  await pass(30_000);
  t.same(kinds(), ["stuck.suspected"]);
  stop();
});

t.test("what taking stacks did to the threads clears no suspicion", async (t) => {
  let stopped = 0;
  const { kinds, pass, captures, stop } = open({
    // The sample behind a stop shows threads that ran.
    judge: () => stopped-- > 0 ? { kind: "working" } : deadlock(false),
    capture: () => {
      stopped = 1;
      return Promise.resolve(stacks);
    },
  });
  await pass(60_000);
  t.same(kinds(), ["stuck.suspected"]);
  t.equal(captures(), 1);
  stop();
});

t.test("stacks of what is only suspected to compute without end are not taken", async (t) => {
  const { kinds, pass, captures, stop } = open({ judge: () => loop(false) });
  await pass(60_000);
  t.same(kinds(), ["stuck.suspected"]);
  t.equal(captures(), 0);
  stop();
});

t.test("what waits for long is looked at less often", async (t) => {
  const { samples, pass, stop } = open({
    judge: () => ({ kind: "waiting", for: "timer", detail: "sleeps" }),
  });
  await pass(60_000);
  t.ok(samples() < 45, `${samples()} samples`);
  stop();
});

t.test("dear samples are taken less often", async (t) => {
  const { samples, pass, stop } = open({ judge: () => ({ kind: "working" }), costMs: 50 });
  await pass(60_000);
  t.ok(samples() <= 14, `${samples()} samples`);
  stop();
});

t.test("without a sampler it says that nothing is watched, and is over", async (t) => {
  const { facts, pass } = open({ judge: () => new Error("there is no /proc here") });
  await pass(10_000);
  t.match(facts, [{ type: "stuck.not_watched", reason: "there is no /proc here" }]);
});

t.test("stacks that cannot be taken leave what is certain, with the reason", async (t) => {
  const { facts, pass } = open({
    judge: () => deadlock(true),
    capture: () => Promise.reject(new Error("no permission")),
  });
  await pass(3000);
  t.match(facts, [{ type: "stuck.certain", stacks: { method: "none", notes: ["no permission"] } }]);
});
