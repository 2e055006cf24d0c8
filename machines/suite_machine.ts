/**
 * One run of a suite: fans tests out over the workers and counts (PTH design §5.3).
 *
 * Started by the session. Only tests in flight are actors; the others are data.
 */
import { enqueueActions, sendTo, setup } from "xstate";
import type { Observation, PlannedTest, RunRules } from "./model/observation.ts";
import type { CallOutcome } from "./model/plugin.ts";
import { type TestFact, testMachine } from "./test_machine.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { parentOf } from "./parent_of.ts";

export interface SuiteInput {
  pool: PoolRef;
  tests: PlannedTest[];
  workers: number;
  rules: RunRules;
  /** Stop after so many failures. */
  bail: number | undefined;
}

export type SuiteEvent = { type: "suite.cancel" } | TestFact;

/** What the session hears, besides the tests' own facts. */
export type SuiteFact =
  | TestFact
  | { type: "suite.finished"; ran: number; reason: "complete" | "bailed" | "cancelled" };

interface SuiteContext extends SuiteInput {
  next: number;
  /** Ids of tests in flight, by actor id. */
  inFlight: Record<string, string>;
  finished: number;
  failed: number;
  /** The latest answers to valid calls, for negative tests that need one as control. */
  controls: { key: string; outcome: CallOutcome }[];
  /** Tools that let a generated test time out, and the name of that test. */
  silent: Record<string, string>;
}

const tellSession = (fact: SuiteFact) => fact;
const controlKey = (tool: string | undefined, input: unknown) => `${tool} ${JSON.stringify(input)}`;
/** A control is only asked whether it succeeded: its content need not be kept. */
function controlOf({ outcome, loss, timedOut }: Observation): CallOutcome | undefined {
  const abridged = { raw: undefined, violations: [], durationMs: outcome?.durationMs ?? 0 };
  if (outcome) {
    return { ...abridged, kind: outcome.kind, text: outcome.text.slice(0, 400), isError: outcome.isError };
  }
  if (!loss && !timedOut) return undefined;
  const text = loss ? "the server ended" : "no answer in time";
  return { ...abridged, kind: "rpc_error", text, isError: true };
}

/** Waiting again for a tool that has shown that it never answers tells nothing; tests by hand always run. */
function foresee({ silent }: SuiteContext, planned: PlannedTest): PlannedTest {
  const { test: { tool }, openEnded } = planned;
  const first = tool !== undefined && openEnded ? silent[tool] : undefined;
  return first === undefined
    ? planned
    : { ...planned, skip: `not run: ${tool} gave no answer in "${first}"` };
}

/** Tests of one tool follow each other, so few controls need to be remembered. */
const remembered = 32;

const findControl = ({ controls }: SuiteContext, key: string) =>
  controls.find((control) => control.key === key)?.outcome;
const mayStartMore = ({ next, tests, failed, bail }: SuiteContext) =>
  next < tests.length && (bail === undefined || failed < bail);

export const suiteMachine = setup({
  types: {
    context: {} as SuiteContext,
    input: {} as SuiteInput,
    events: {} as SuiteEvent,
  },
  actors: { test: testMachine },
  actions: {
    startTests: enqueueActions(({ context, enqueue }) => {
      let { next } = context;
      const inFlight = { ...context.inFlight };
      while (mayStartMore({ ...context, next }) && Object.keys(inFlight).length < context.workers) {
        const planned = context.tests[next]!;
        const id = `test-${next}`;
        const { control, tool } = planned.test;
        enqueue.spawnChild("test", {
          id,
          input: {
            planned: foresee(context, planned),
            rules: context.rules,
            pool: context.pool,
            control: control && findControl(context, controlKey(tool, control.input)),
          },
        });
        inFlight[id] = planned.test.id;
        next++;
      }
      enqueue.assign({ next, inFlight });
    }),
    passOn: sendTo(parentOf, ({ event }) => event),
    stopTests: enqueueActions(({ context, enqueue }) => {
      for (const [actor, leaseId] of Object.entries(context.inFlight)) {
        enqueue.stopChild(actor);
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId, restart: true });
      }
      enqueue.assign({ inFlight: {} });
    }),
    resizePool: sendTo(({ context }) => context.pool, ({ context }) => ({
      type: "pool.resize",
      size: context.workers,
    })),
    shrinkPool: sendTo(({ context }) => context.pool, { type: "pool.resize", size: 1 }),
  },
  guards: {
    isDone: ({ context }) => Object.keys(context.inFlight).length === 0 && !mayStartMore(context),
  },
}).createMachine({
  id: "suite",
  context: ({ input }) => ({
    ...input,
    next: 0,
    inFlight: {},
    finished: 0,
    failed: 0,
    controls: [],
    silent: {},
  }),
  initial: "running",
  states: {
    running: {
      entry: ["resizePool", "startTests"],
      always: { guard: "isDone", target: "finished" },
      on: {
        "test.started": { actions: "passOn" },
        "test.finished": {
          actions: [
            enqueueActions(({ context, event, enqueue }) => {
              const actor = Object.keys(context.inFlight).find((id) => context.inFlight[id] === event.testId);
              if (actor === undefined) return;
              const { [actor]: _ended, ...inFlight } = context.inFlight;
              const { test, openEnded } = context.tests[Number(actor.slice("test-".length))]!;
              const outcome = controlOf(event.observation);
              enqueue.stopChild(actor);
              enqueue.assign({
                inFlight,
                finished: context.finished + 1,
                silent: event.verdict.category === "timeout" && test.tool && openEnded
                  ? { [test.tool]: test.name, ...context.silent }
                  : context.silent,
                failed: context.failed + (event.verdict.status === "failed" ? 1 : 0),
                controls: outcome && test.expect["well_behaved"]
                  ? [
                    { key: controlKey(test.tool, test.input), outcome },
                    ...context.controls.slice(0, remembered - 1),
                  ]
                  : context.controls,
              });
            }),
            "passOn",
            "startTests",
          ],
        },
        "suite.cancel": "cancelled",
      },
    },
    cancelled: {
      type: "final",
      entry: [
        "stopTests",
        "shrinkPool",
        sendTo(
          parentOf,
          ({ context }) =>
            tellSession({ type: "suite.finished", ran: context.finished, reason: "cancelled" }),
        ),
      ],
    },
    finished: {
      type: "final",
      entry: [
        "shrinkPool",
        sendTo(parentOf, ({ context }) =>
          tellSession({
            type: "suite.finished",
            ran: context.finished,
            reason: context.next < context.tests.length ? "bailed" : "complete",
          })),
      ],
    },
  },
});
