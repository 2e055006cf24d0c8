/**
 * One run of a suite: fans tests out over the workers and counts.
 *
 * Started by the session. Only tests in flight are actors; the others are data. Tests of Tiers 2 and 3 run alone. What
 * failed runs again, where that is asked for, once all others have ended, and alone, too: trouble of a moment and of tests
 * beside each other has passed by then.
 */
import { enqueueActions, sendTo, setup } from "xstate";
import type { Observation, PlannedTest, RunRules } from "./model/observation.ts";
import type { CallOutcome } from "./model/plugin.ts";
import { type Attempts, concludeSuite, countRetry, firstFailure } from "./suite/attempts.ts";
import { judgementFailed, leastTeardownMs } from "./test/test_setup.ts";
import { type TestFact, testMachine } from "./test_machine.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { parentRef } from "./parent_ref.ts";
import type { Verdict } from "./model/verdict.ts";

export interface SuiteInput {
  readonly pool: PoolRef;
  readonly tests: PlannedTest[];
  readonly workers: number;
  readonly rules: RunRules;
  /** Stop after so many failures. */
  readonly bail: number | undefined;
}

export type SuiteEvent =
  | { type: "suite.cancel" }
  | TestFact
  /** A test's actor has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

type Finished = Extract<TestFact, { type: "test.finished" }>;

/** Facts for the session: each test ends once, however often it ran. */
export type SuiteFact =
  | Exclude<TestFact, Finished>
  | (Finished & { attempts?: Attempts })
  /** A run of a test has ended, and the test will run again. */
  | {
    type: "test.retried";
    testId: string;
    /** Number of the run, from 1. */
    attempt: number;
    verdict: Verdict;
    observation: Observation;
    connectionId: string | undefined;
  }
  | { type: "suite.finished"; ran: number; reason: "complete" | "bailed" | "cancelled" };

interface SuiteContext extends SuiteInput {
  next: number;
  /** Last requested size of the pool. */
  poolSize: number;
  /** Ids of tests in flight, by actor id. */
  inFlight: Record<string, string>;
  finished: number;
  failed: number;
  /** Tests that failed and run again, by their place in the list; concluded ones are gone. */
  attempts: Record<number, Attempts>;
  /** Places of those that wait for their next run. */
  again: number[];
  /** The latest answers to valid calls, for negative tests that need one as control. */
  controls: { key: string; outcome: CallOutcome }[];
  /** Tools that let a generated test time out, and the name of that test. */
  silent: Record<string, string>;
}

/** Limit in ms on ending running tests once the suite is cancelled: their teardown, and a moment more. */
const cancelLimitMs = leastTeardownMs + 5000;

const tellSession = (fact: SuiteFact) => fact;
/** The end of a test that cannot tell it any more, but for its verdict. */
const unheard = (testId: string) => ({
  type: "test.finished" as const,
  testId,
  observation: { commands: [] },
  connectionId: undefined,
  pid: undefined,
});
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
  const first = tool !== undefined && openEnded && Object.hasOwn(silent, tool) ? silent[tool] : undefined;
  return first === undefined
    ? planned
    : { ...planned, skip: `not run: ${tool} gave no answer in "${first}"` };
}

/** Tests of one tool follow each other, so few controls need to be remembered. */
const remembered = 32;

const findControl = ({ controls }: SuiteContext, key: string) =>
  controls.find((control) => control.key === key)?.outcome;
/** With those that failed and have not passed since. */
const failing = ({ failed, attempts }: SuiteContext) =>
  failed + Object.values(attempts).filter(({ runs, failures }) => failures === runs).length;
const mayStartMore = (context: SuiteContext) =>
  context.next < context.tests.length && (context.bail === undefined || failing(context) < context.bail);
const placeOf = (actor: string) => Number.parseInt(actor.slice("test-".length), 10);
const inFlightOf = ({ inFlight }: SuiteContext, testId: string) =>
  Object.keys(inFlight).find((id) => inFlight[id] === testId);

/** Tests of several steps rely on what they left behind themselves. */
function fits({ tests, inFlight, next, workers }: SuiteContext): boolean {
  const places = Object.keys(inFlight).map(placeOf);
  if (places.length === 0) return true;
  if (places.length >= workers) return false;
  return tests[next]!.test.tier === 1 && places.every((place) => tests[place]!.test.tier === 1);
}

/** Test to run next: one that did not run yet, else, when no test runs, one that failed. */
function nextStart(context: SuiteContext): { id: string; planned: PlannedTest } | undefined {
  const { tests, next, again, attempts, inFlight } = context;
  if (mayStartMore(context)) {
    return fits(context) ? { id: `test-${next}`, planned: foresee(context, tests[next]!) } : undefined;
  }
  const [place] = again;
  if (place === undefined || Object.keys(inFlight).length > 0) return undefined;
  return { id: `test-${place}-again-${attempts[place]!.retried + 1}`, planned: tests[place]! };
}

/** The test's runs so far, this one included; undefined where one run says all. */
function attemptsAfter({ attempts, rules }: SuiteContext, place: number, verdict: Verdict) {
  const before = attempts[place];
  if (before) return countRetry(before, verdict);
  return verdict.status === "failed" && (rules.retries ?? 0) > 0 ? firstFailure(verdict) : undefined;
}

const without = <Value>(record: Record<string, Value>, key: string | number): Record<string, Value> => {
  const { [String(key)]: _gone, ...rest } = record;
  return rest;
};

/** Facts of this test that later tests need. */
function learnt(
  { tests, controls, silent }: SuiteContext,
  place: number,
  { verdict, observation }: Finished,
): Pick<SuiteContext, "controls" | "silent"> {
  const { test, openEnded } = tests[place]!;
  const outcome = controlOf(observation);
  return {
    silent: verdict.category === "timeout" && test.tool && openEnded
      ? { [test.tool]: test.name, ...silent }
      : silent,
    controls: outcome && test.expect["well_behaved"]
      ? [{ key: controlKey(test.tool, test.input), outcome }, ...controls.slice(0, remembered - 1)]
      : controls,
  };
}

export const suiteMachine = setup({
  types: {
    context: {} as SuiteContext,
    input: {} as SuiteInput,
    events: {} as SuiteEvent,
  },
  actors: { test: testMachine },
  actions: {
    startTests: enqueueActions(({ context, enqueue }) => {
      let ahead = context;
      for (let start = nextStart(ahead); start !== undefined; start = nextStart(ahead)) {
        const { id, planned } = start;
        const { control, tool, tier } = planned.test;
        // Tests of several steps rely on one instance, so that no other may be idle beside it.
        const poolSize = tier === 1 || planned.skip !== undefined ? context.workers : 1;
        if (poolSize !== ahead.poolSize) {
          enqueue.sendTo(context.pool, { type: "pool.resize", size: poolSize });
        }
        enqueue.spawnChild("test", {
          id,
          input: {
            planned,
            rules: context.rules,
            pool: context.pool,
            control: control && findControl(context, controlKey(tool, control.input)),
          },
        });
        ahead = {
          ...ahead,
          poolSize,
          inFlight: { ...ahead.inFlight, [id]: planned.test.id },
          ...(mayStartMore(ahead) ? { next: ahead.next + 1 } : { again: ahead.again.slice(1) }),
        };
      }
      const { next, inFlight, again, poolSize } = ahead;
      enqueue.assign({ next, inFlight, again, poolSize });
    }),
    /** Frees the test's place; it ends here, or waits for its next run. */
    take: enqueueActions(({ context, event, enqueue }) => {
      const { verdict, ...fact } = event as Finished;
      const actor = inFlightOf(context, fact.testId);
      if (actor === undefined) return;
      const place = placeOf(actor);
      const attempts = attemptsAfter(context, place, verdict);
      enqueue.stopChild(actor);
      enqueue.assign({
        inFlight: without(context.inFlight, actor),
        ...learnt(context, place, event as Finished),
      });
      if (attempts !== undefined && attempts.retried < (context.rules.retries ?? 0)) {
        const { testId, observation, connectionId } = fact;
        const attempt = attempts.retried + 1;
        enqueue.assign({
          attempts: { ...context.attempts, [place]: attempts },
          again: [...context.again, place],
        });
        const retried = {
          type: "test.retried" as const,
          testId,
          attempt,
          verdict,
          observation,
          connectionId,
        };
        enqueue.sendTo(parentRef, tellSession(retried));
        return;
      }
      const concluded = attempts === undefined ? verdict : concludeSuite(attempts);
      enqueue.assign({
        attempts: without(context.attempts, place),
        finished: context.finished + 1,
        failed: context.failed + (concluded.status === "failed" ? 1 : 0),
      });
      enqueue.sendTo(parentRef, tellSession({ ...fact, verdict: concluded, ...(attempts && { attempts }) }));
    }),
    passOn: sendTo(parentRef, ({ event }) => event),
    /** Tests in flight take away what they made. */
    cancelTests: enqueueActions(({ context, enqueue }) => {
      for (const actor of Object.keys(context.inFlight)) enqueue.sendTo(actor, { type: "test.cancel" });
    }),
    /** Teardown that cannot be waited for any longer; the result says what came of it. */
    stopTests: enqueueActions(({ context, enqueue }) => {
      const note = `cancelled while it ran; its end took more than ${cancelLimitMs / 1000} s`;
      for (const [actor, testId] of Object.entries(context.inFlight)) {
        enqueue.stopChild(actor);
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId: testId, restart: true });
        const failed = context.attempts[placeOf(actor)];
        const verdict = failed ? concludeSuite(failed) : { status: "skipped" as const, note, findings: [] };
        enqueue.sendTo(parentRef, tellSession({ ...unheard(testId), verdict }));
      }
      enqueue.assign({ inFlight: {}, finished: context.finished + Object.keys(context.inFlight).length });
    }),
    /** A test whose actor has died is a test that could not be judged. */
    takeDead: enqueueActions(({ context, event, enqueue }) => {
      const { actorId, error } = event as { actorId: string; error: unknown };
      const testId = context.inFlight[actorId];
      if (testId === undefined) return;
      enqueue.sendTo(context.pool, { type: "lease.released", leaseId: testId, restart: true });
      enqueue.raise({ ...unheard(testId), verdict: judgementFailed(error) });
    }),
    resizePool: sendTo(({ context }) => context.pool, ({ context }) => ({
      type: "pool.resize",
      size: context.workers,
    })),
    shrinkPool: sendTo(({ context }) => context.pool, { type: "pool.resize", size: 1 }),
  },
  guards: {
    noneInFlight: ({ context }) => Object.keys(context.inFlight).length === 0,
    isDone: ({ context }) =>
      Object.keys(context.inFlight).length === 0 && !mayStartMore(context) && context.again.length === 0,
  },
  delays: { cancelling: cancelLimitMs },
}).createMachine({
  id: "suite",
  description: "One run of a suite: fans tests out over the workers and counts.",
  context: ({ input }) => ({
    ...input,
    next: 0,
    poolSize: input.workers,
    inFlight: {},
    finished: 0,
    failed: 0,
    attempts: {},
    again: [],
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
        "test.finished": { actions: ["take", "startTests"] },
        "xstate.error.actor.*": { actions: "takeDead" },
        "suite.cancel": "cancelling",
      },
    },
    /** Tests in flight run their teardown, within its limit. */
    cancelling: {
      entry: "cancelTests",
      always: { guard: "noneInFlight", target: "cancelled" },
      on: {
        "test.started": { actions: "passOn" },
        "test.finished": { actions: "take" },
        "xstate.error.actor.*": { actions: "takeDead" },
      },
      after: { cancelling: { target: "cancelled", actions: "stopTests" } },
    },
    cancelled: {
      type: "final",
      entry: [
        "shrinkPool",
        sendTo(
          parentRef,
          ({ context }) =>
            tellSession({ type: "suite.finished", ran: context.finished, reason: "cancelled" }),
        ),
      ],
    },
    finished: {
      type: "final",
      entry: [
        "shrinkPool",
        sendTo(parentRef, ({ context }) =>
          tellSession({
            type: "suite.finished",
            ran: context.finished,
            reason: context.next < context.tests.length ? "bailed" : "complete",
          })),
      ],
    },
  },
});
