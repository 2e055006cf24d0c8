/**
 * Measures a plugin's tools one by one: first how each answers alone, then under rapid calls.
 *
 * Started by the session, which lets no suite run meanwhile. Leases a server for each tool, so that one that is lost costs the
 * figures of its tool alone. Gives no verdict.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import type {
  MeasuredStep,
  Measurement,
  PerformancePlan,
  PerformanceReport,
  PerformanceRequest,
  PlannedMeasurement,
} from "./model/performance.ts";
import type { LeaseFact } from "./pool/pool_events.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";

export interface PerformanceInput {
  request: PerformanceRequest;
  /** Inputs from tests that passed, by tool. */
  known: Record<string, Record<string, unknown>>;
  /** Pool that grants leases. */
  pool: PoolRef;
}

export type PerformanceEvent = { type: "performance.cancel" } | LeaseFact;

/** Facts for the session. */
export type PerformanceFact =
  | { type: "performance.finished"; report: PerformanceReport }
  | { type: "performance.failed"; error: unknown };

export interface MeasureInput {
  step: MeasuredStep;
  planned: PlannedMeasurement;
  connectionId: string;
}

interface PerformanceContext extends PerformanceInput {
  plan: PerformancePlan;
  step: MeasuredStep;
  /** Tools to measure under rapid calls, once each has answered alone. */
  hurried: PlannedMeasurement[];
  /** Place of the next tool. */
  next: number;
  /** Counts the leases, so that each has an id of its own. */
  leases: number;
  connectionId: string | undefined;
  measurements: Measurement[];
  report: PerformanceReport | undefined;
  error: unknown;
}

const tellSession = (fact: PerformanceFact) => fact;
const leaseOf = ({ leases }: PerformanceContext): string => `performance-${leases}`;

const plannedFor = ({ step, plan, hurried, next }: PerformanceContext): PlannedMeasurement | undefined =>
  (step === "response" ? plan.tools : hurried)[next];

/** Rapid calls are made with the input that was accepted; a tool that accepted none is left out. */
const accepted = ({ measurements }: PerformanceContext): PlannedMeasurement[] =>
  measurements.flatMap((each) =>
    "measured" in each ? [{ tool: each.tool, inputs: [each.input], calls: 0 }] : []
  );

export const performanceMachine = setup({
  types: {
    context: {} as PerformanceContext,
    input: {} as PerformanceInput,
    events: {} as PerformanceEvent,
  },
  actors: {
    prepare: slot<PerformancePlan, Pick<PerformanceInput, "request" | "known">>("performance.prepare"),
    /** Rejects where the server is lost. */
    measure: slot<Measurement, MeasureInput>("performance.measure"),
    assess: slot<PerformanceReport, { plan: PerformancePlan; measurements: Measurement[] }>(
      "performance.assess",
    ),
  },
  actions: {
    requestLease: enqueueActions(({ context, self, enqueue }) => {
      const leases = context.leases + 1;
      enqueue.assign({ leases });
      enqueue.sendTo(context.pool, {
        type: "lease.requested",
        leaseId: leaseOf({ ...context, leases }),
        holder: self,
      });
    }),
    releaseLease: enqueueActions(({ context, enqueue }, { restart }: { restart: boolean }) => {
      enqueue.sendTo(context.pool, { type: "lease.released", leaseId: leaseOf(context), restart });
      enqueue.assign({ connectionId: undefined });
    }),
    note: assign({
      measurements: (
        { context },
        { measurement }: { measurement: Measurement },
      ) => [...context.measurements, measurement],
      next: ({ context }) => context.next + 1,
    }),
    /** Named as the platform names it, so that it is known as no fault. */
    refuse: assign({
      error: () =>
        Object.assign(new Error("Cannot finish measuring: it was cancelled"), { name: "AbortError" }),
    }),
    noteLoss: assign({
      measurements: ({ context }, { reason }: { reason: string }) => [
        ...context.measurements,
        { tool: plannedFor(context)!.tool, reason },
      ],
      next: ({ context }) => context.next + 1,
    }),
  },
  guards: {
    hasMore: ({ context }) => plannedFor(context) !== undefined,
    isFirstStep: ({ context }) => context.step === "response",
  },
}).createMachine({
  id: "performance",
  description: "Measures a plugin's tools one by one: first how each answers alone, then under rapid calls.",
  context: ({ input }) => ({
    ...input,
    plan: { tools: [], unmeasured: [] },
    step: "response",
    hurried: [],
    next: 0,
    leases: 0,
    connectionId: undefined,
    measurements: [],
    report: undefined,
    error: undefined,
  }),
  initial: "preparing",
  on: {
    "performance.cancel": { target: ".failed", actions: "refuse" },
  },
  states: {
    preparing: {
      invoke: {
        src: "prepare",
        input: ({ context: { request, known } }) => ({ request, known }),
        onDone: { target: "choosing", actions: assign({ plan: ({ event }) => event.output }) },
        onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    choosing: {
      always: [
        { guard: "hasMore", target: "leasing" },
        {
          guard: "isFirstStep",
          target: "choosing",
          reenter: true,
          actions: assign({ step: "throughput", next: 0, hurried: ({ context }) => accepted(context) }),
        },
        { target: "assessing" },
      ],
    },
    leasing: {
      entry: "requestLease",
      on: {
        "lease.granted": {
          target: "measuring",
          actions: assign({ connectionId: ({ event }) => event.connectionId }),
        },
        "lease.refused": { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
        "performance.cancel": {
          target: "failed",
          actions: [{ type: "releaseLease", params: { restart: false } }, "refuse"],
        },
      },
    },
    measuring: {
      invoke: {
        src: "measure",
        input: ({ context }) => ({
          step: context.step,
          planned: plannedFor(context)!,
          connectionId: context.connectionId!,
        }),
        onDone: {
          target: "choosing",
          actions: [
            { type: "note", params: ({ event }) => ({ measurement: event.output }) },
            { type: "releaseLease", params: { restart: false } },
          ],
        },
        onError: {
          target: "choosing",
          actions: [
            { type: "noteLoss", params: ({ event }) => ({ reason: messageOf(event.error) }) },
            { type: "releaseLease", params: { restart: true } },
          ],
        },
      },
      on: {
        "connection.lost": {
          target: "choosing",
          actions: [
            {
              type: "noteLoss",
              params: ({ event }) => ({ reason: `the server was lost: ${event.loss.message}` }),
            },
            { type: "releaseLease", params: { restart: true } },
          ],
        },
        "performance.cancel": {
          target: "failed",
          actions: [{ type: "releaseLease", params: { restart: true } }, "refuse"],
        },
      },
    },
    assessing: {
      invoke: {
        src: "assess",
        input: ({ context: { plan, measurements } }) => ({ plan, measurements }),
        onDone: { target: "done", actions: assign({ report: ({ event }) => event.output }) },
        onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    done: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }) => tellSession({ type: "performance.finished", report: context.report! }),
      ),
    },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }) => tellSession({ type: "performance.failed", error: context.error }),
      ),
    },
  },
});
