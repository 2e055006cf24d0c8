/** Measuring tools one by one: what is leased, what a lost server costs, what a cancelled run leaves. */
import t from "tap";
import { createActor, fromCallback, fromPromise, setup, waitFor } from "xstate";
import {
  type MeasureInput,
  type PerformanceFact,
  performanceMachine,
} from "../../machines/performance_machine.ts";
import type { Measurement, PerformancePlan } from "../../machines/model/performance.ts";
import type { PoolEvent } from "../../machines/pool/pool_events.ts";
import type { PoolRef } from "../../machines/plugin_machine.ts";

type Act = (input: MeasureInput) => Promise<void> | "refused";

/** The machine below a parent that keeps what it hears, beside a pool that grants at once. */
function stage(tools: string[], act: Act = () => Promise.resolve()) {
  const log = {
    measured: [] as string[],
    released: [] as [string, boolean][],
    facts: [] as PerformanceFact[],
  };
  const plan: PerformancePlan = {
    tools: tools.map((tool) => ({ tool, inputs: [{ a: 1 }], calls: 5 })),
    unmeasured: [],
  };
  let connections = 0;
  const pool = createActor(fromCallback<PoolEvent>(({ receive }) =>
    receive((event) => {
      if (event.type === "lease.released") log.released.push([event.leaseId, event.restart === true]);
      if (event.type !== "lease.requested") return;
      const connectionId = `connection-${++connections}`;
      event.holder.send({
        type: "lease.granted",
        leaseId: event.leaseId,
        connectionId,
        connection: event.holder,
        pid: 7,
      });
    })
  )).start();
  const machine = performanceMachine.provide({
    actors: {
      prepare: fromPromise(() => Promise.resolve(plan)),
      measure: fromPromise<Measurement, MeasureInput>(async ({ input }) => {
        const { step, planned: { tool, inputs } } = input;
        log.measured.push(`${step} ${tool} ${JSON.stringify(inputs[0])} on ${input.connectionId}`);
        if (await act(input) === "refused") return { tool, reason: "it refuses" };
        const measured = step === "response" ? { responseMs: {} as never } : { throughput: {} as never };
        return { tool, input: { accepted: tool }, measured, notes: [] };
      }),
      assess: fromPromise(({ input }) => Promise.resolve({ ...input } as never)),
    },
  });
  const parent = setup({ types: { events: {} as PerformanceFact }, actors: { machine } }).createMachine({
    invoke: {
      id: "performance",
      src: "machine",
      input: { request: {}, known: {}, pool: pool as unknown as PoolRef },
    },
    on: { "performance.*": { actions: ({ event }) => log.facts.push(event) } },
  });
  const actor = createActor(parent).start();
  const child = () => actor.getSnapshot().children.performance!;
  return { actor, log, cancel: () => child().send({ type: "performance.cancel" }), child };
}

const ended = ({ actor, log }: ReturnType<typeof stage>) => waitFor(actor, () => log.facts.length > 0);

t.test("all tools answer alone first, then under rapid calls with the input that was accepted", async (t) => {
  const staged = stage(["a", "b"]);
  await ended(staged);
  t.same(staged.log.measured, [
    'response a {"a":1} on connection-1',
    'response b {"a":1} on connection-2',
    'throughput a {"accepted":"a"} on connection-3',
    'throughput b {"accepted":"b"} on connection-4',
  ]);
  t.same(staged.log.released.map(([, restart]) => restart), [false, false, false, false]);
  t.match(staged.log.facts, [{ type: "performance.finished", report: { measurements: { length: 4 } } }]);
});

t.test("a tool that refuses every input is not hurried", async (t) => {
  const staged = stage(["a", "b"], ({ planned }) => planned.tool === "a" ? "refused" : Promise.resolve());
  await ended(staged);
  t.same(staged.log.measured.map((line) => line.split(" ").slice(0, 2).join(" ")), [
    "response a",
    "response b",
    "throughput b",
  ]);
});

t.test("a lost server costs the figures of one tool, and is not used again", async (t) => {
  const staged = stage(
    ["a", "b"],
    ({ planned, step }) =>
      planned.tool === "a" && step === "response"
        ? Promise.reject(new Error("it exited with 3"))
        : Promise.resolve(),
  );
  await ended(staged);
  t.same(staged.log.released.map(([, restart]) => restart), [true, false, false]);
  const [{ report }] = staged.log.facts as unknown as [{ report: { measurements: object[] } }];
  t.match(report.measurements[0], { tool: "a", reason: "it exited with 3" });
  t.equal(report.measurements.length, 3);
});

t.test("a cancelled measuring ends at once and gives its server back as damaged", async (t) => {
  const staged = stage(["a"], () => new Promise<void>(() => {}));
  await waitFor(staged.child(), (snapshot: { value: unknown }) => snapshot.value === "measuring");
  staged.cancel();
  await ended(staged);
  t.match(staged.log.facts, [{ type: "performance.failed", error: { name: "AbortError" } }]);
  t.same(staged.log.released.map(([, restart]) => restart), [true]);
});

t.test("without tools there is a report without figures", async (t) => {
  const staged = stage([]);
  await ended(staged);
  t.match(staged.log.facts, [{ type: "performance.finished", report: { measurements: [] } }]);
});
