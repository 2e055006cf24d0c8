/**
 * One run of a suite: fans tests out over the workers and counts.
 *
 * Started by the session. Only tests in flight are actors. Checks have a lane of their own; tests of Tiers 2 and 3 run alone.
 * What failed runs again, where that is asked for, once all others have ended, and alone, too.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import type { PlannedTest, RunRules } from "./model/observation.ts";
import { afterEnd, noneAlone, runsAlone } from "./suite/alone.ts";
import { attemptsAfter, concludeSuite } from "./suite/attempts.ts";
import { type OrderFact, orderMachine } from "./order_machine.ts";
import { entriesOf, nextGroup, settleGroup, settleRest } from "./suite/group_order.ts";
import { isRepeatable } from "./suite/order_search.ts";
import { findControl, foresee, learn, type Learnt } from "./suite/learnt.ts";
import {
  checksOrder,
  isGroupOver,
  isWaiting,
  mayStartMore,
  nextStart,
  poolSizeFor,
  queueOf,
  type Schedule,
  slowAfterMs,
  testPlace,
} from "./suite/schedule.ts";
import { firstPace, freshPace, paceAfter, type PaceSample, serversFor } from "./suite/pace.ts";
import { serverStates } from "./suite/server_states.ts";
import type { SuiteEvent, SuiteFact } from "./suite/suite_events.ts";
import { promptTestMachine } from "./prompt_test_machine.ts";
import { cancelledNote, judgementFailed, leastTeardownMs } from "./test/test_setup.ts";
import { type TestFact, testMachine } from "./test_machine.ts";
import { addSpending, nothingSpent, withinBudget } from "./budget/spending.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import type { Verdict } from "./model/verdict.ts";

export interface SuiteInput {
  readonly pool: PoolRef;
  readonly tests: PlannedTest[];
  readonly workers: number;
  readonly rules: RunRules;
  /** Stop after so many failures. */
  readonly bail: number | undefined;
}

type Finished = Extract<TestFact, { type: "test.finished" }>;

interface SuiteContext extends SuiteInput, Schedule {
  /** Last requested size of the pool. */
  pooled: { size: number; spares: number };
  finished: number;
  learnt: Learnt;
  spent: typeof nothingSpent;
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
const inFlightOf = ({ inFlight }: SuiteContext, testId: string) =>
  Object.keys(inFlight).find((id) => inFlight[id] === testId);
/** Counts with the verdicts that are reported now. */
const countedWith = ({ finished, failed }: SuiteContext, verdicts: readonly Verdict[]) => ({
  finished: finished + verdicts.length,
  failed: failed + verdicts.filter(({ status }) => status === "failed").length,
});
const orderActor = "order";
const tellUnderWay = {
  type: "tellPending",
  params: ({ context, event }: { context: SuiteContext; event: OrderFact }) =>
    settleGroup(context, event.changed),
} as const;
const tellAll = {
  type: "tellPending",
  params: ({ context }: { context: SuiteContext }) => settleRest(context, true),
} as const;
const tellOthers = {
  type: "tellPending",
  params: ({ context }: { context: SuiteContext }) => settleRest(context, false),
} as const;
const slowTimer = (actor: string) => `slow ${actor}`;

const without = <Value>(record: Record<string, Value>, key: string | number): Record<string, Value> => {
  const { [String(key)]: _gone, ...rest } = record;
  return rest;
};

/** A test that was cancelled since its tool never answers has not run, as those after it. */
function unlessForeseen({ learnt }: SuiteContext, planned: PlannedTest, verdict: Verdict): Verdict {
  const { skip } = foresee(learnt, planned);
  return verdict.note === cancelledNote && skip !== undefined
    ? { status: "skipped", note: skip, findings: [] }
    : verdict;
}

export const suiteMachine = setup({
  types: {
    context: {} as SuiteContext,
    input: {} as SuiteInput,
    events: {} as SuiteEvent,
  },
  actors: {
    test: testMachine,
    promptTest: promptTestMachine,
    order: orderMachine,
    /** Resolves after `ms`. */
    measurePace: slot<PaceSample, { ms: number }>("suite.measure_pace"),
  },
  actions: {
    startTests: enqueueActions(({ context, enqueue }) => {
      let ahead = context;
      for (let start = nextStart(ahead); start !== undefined; start = nextStart(ahead)) {
        const { actor, place, queue } = start;
        const planned = foresee(context.learnt, context.tests[place]!);
        ahead = { ...ahead, queue, inFlight: { ...ahead.inFlight, [actor]: planned.test.id } };
        const pooled = planned.test.check === undefined ? poolSizeFor(ahead, planned) : ahead.pooled;
        if (pooled.size !== ahead.pooled.size || pooled.spares !== ahead.pooled.spares) {
          enqueue.sendTo(context.pool, { type: "pool.resize", ...pooled });
        }
        ahead = { ...ahead, pooled };
        if (planned.agent !== undefined && planned.skip === undefined) {
          enqueue.spawnChild("promptTest", {
            id: actor,
            input: { planned: withinBudget(planned, context.spent), pool: context.pool },
          });
          continue;
        }
        enqueue.spawnChild("test", {
          id: actor,
          input: {
            planned,
            rules: context.rules,
            pool: context.pool,
            control: findControl(context.learnt, planned.test),
            slowTools: context.slow.tools,
            alone: runsAlone(actor),
          },
        });
      }
      const { queue, inFlight, pooled } = ahead;
      enqueue.assign({ queue, inFlight, pooled });
    }),
    /** A test of a group that takes long goes on while the next ones run. */
    watchTime: enqueueActions(({ context, event, enqueue }) => {
      const { testId } = event as Extract<TestFact, { type: "test.started" }>;
      const actor = inFlightOf(context, testId);
      if (actor === undefined || context.tests[testPlace(actor)]!.group === undefined) return;
      enqueue.raise({ type: "test.slow", testId }, { delay: slowAfterMs, id: slowTimer(actor) });
    }),
    noteSlow: assign(({ context, event }) => {
      const { testId } = event as Extract<SuiteEvent, { type: "test.slow" }>;
      const actor = inFlightOf(context, testId);
      if (actor === undefined) return {};
      const { actors, tools } = context.slow;
      const { tool } = context.tests[testPlace(actor)]!.test;
      return {
        slow: {
          actors: [...actors, actor],
          tools: tool === undefined || tools.includes(tool) ? tools : [...tools, tool],
        },
      };
    }),
    /** Frees the test's place; it ends here, or waits for its next run. */
    take: enqueueActions(({ context, event, enqueue }) => {
      const finished = event as Finished;
      const actor = inFlightOf(context, finished.testId);
      if (actor === undefined) return;
      const place = testPlace(actor);
      const planned = context.tests[place]!;
      const end = afterEnd(context.alone, actor, place, planned, finished);
      const { alone, held, fact: { verdict: judged, ...fact }, released } = end;
      const verdict = unlessForeseen(context, planned, judged);
      const learnt = held
        ? context.learnt
        : learn(context.learnt, planned, { ...fact, verdict }, context.tests);
      const inFlight = without(context.inFlight, actor);
      const { group } = planned;
      const slow = { ...context.slow, actors: context.slow.actors.filter((id) => id !== actor) };
      const spent = addSpending(context.spent, finished.spent);
      const freed = { spent, inFlight, learnt, alone, slow };
      if (group !== undefined) enqueue.cancel(slowTimer(actor));
      enqueue.stopChild(actor);
      // Others of a tool that never answers began while it was only slow.
      for (const other of learnt.silent === context.learnt.silent ? [] : Object.keys(inFlight)) {
        const before = foresee(context.learnt, context.tests[testPlace(other)]!).skip;
        if (before !== foresee(learnt, context.tests[testPlace(other)]!).skip) {
          enqueue.sendTo(other, { type: "test.cancel" });
        }
      }
      const tellRetried = (attempt: number) => {
        const { testId, observation, connectionId } = fact;
        const type = "test.retried";
        enqueue.sendTo(
          parentRef,
          tellSession({ type, testId, attempt, verdict, observation, connectionId }),
        );
      };
      if (held) {
        enqueue.assign(freed);
        return void (held === "crash" && tellRetried(1));
      }
      const attempts = attemptsAfter(context, place, verdict);
      if (attempts !== undefined && attempts.retried < (context.rules.retries ?? 0)) {
        enqueue.assign({
          ...freed,
          attempts: { ...context.attempts, [place]: attempts },
          queue: { ...context.queue, again: [...context.queue.again, place] },
        });
        tellRetried(attempts.retried + 1);
        return;
      }
      if (group !== undefined && isGroupOver({ ...context, inFlight }, group)) {
        enqueue.sendTo(context.pool, { type: "pool.retire", group });
      }
      const entry = { planned, verdict, observation: fact.observation };
      if (
        attempts === undefined && group !== undefined && context.order.isOn && isRepeatable(entry) &&
        !runsAlone(actor)
      ) {
        const pending = { ...context.order.pending, [place]: { ...fact, verdict } };
        enqueue.assign({ ...freed, order: { ...context.order, pending } });
        enqueue.sendTo(parentRef, tellSession({ type: "test.pending", testId: fact.testId }));
        return;
      }
      const concluded = attempts === undefined ? verdict : concludeSuite(attempts);
      const verdicts = [concluded, ...released.map((each) => each.verdict)];
      const left = without(context.attempts, place);
      enqueue.assign({ ...freed, attempts: left, ...countedWith(context, verdicts) });
      for (const each of released) enqueue.sendTo(parentRef, tellSession(each));
      enqueue.sendTo(parentRef, tellSession({ ...fact, verdict: concluded, ...(attempts && { attempts }) }));
    }),
    beginOrder: enqueueActions(({ context, enqueue }) => {
      if (!context.order.isOn) return;
      const { pool, rules } = context;
      enqueue.spawnChild("order", { id: orderActor, input: { pool, rules } });
    }),
    /** A group whose tests have ended is looked at before the next one begins. */
    checkOrder: enqueueActions(({ context, enqueue }) => {
      const group = nextGroup(context);
      if (group === undefined) return;
      enqueue.sendTo(orderActor, { type: "order.check", entries: entriesOf(context, group) });
      enqueue.assign({ order: { ...context.order, group } });
    }),
    tellPending: enqueueActions((
      { context, enqueue },
      { facts, order }: ReturnType<typeof settleGroup>,
    ) => {
      enqueue.assign({ order, ...countedWith(context, facts.map(({ verdict }) => verdict)) });
      for (const fact of facts) enqueue.sendTo(parentRef, tellSession(fact));
    }),
    /** Gives back what the look at the order may have leased: a test that it repeats is not in flight itself. */
    stopOrder: enqueueActions(({ context, enqueue }) => {
      const inFlight = Object.values(context.inFlight);
      for (const { test: { id }, group } of context.tests) {
        if (group === undefined || inFlight.includes(id)) continue;
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId: id, restart: true });
      }
      enqueue.stopChild(orderActor);
    }),
    passOn: sendTo(parentRef, ({ event }) => event),
    /** Tests in flight take away what they made. */
    cancelTests: enqueueActions(({ context, enqueue }) => {
      for (const actor of Object.keys(context.inFlight)) enqueue.sendTo(actor, { type: "test.cancel" });
      if (context.order.group !== undefined) enqueue.sendTo(orderActor, { type: "order.cancel" });
    }),
    /** Teardown that cannot be waited for any longer; the result says what came of it. */
    stopTests: enqueueActions(({ context, enqueue }) => {
      const note = `cancelled while it ran; its end took more than ${cancelLimitMs / 1000} s`;
      for (const [actor, testId] of Object.entries(context.inFlight)) {
        enqueue.stopChild(actor);
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId: testId, restart: true });
        const failed = context.attempts[testPlace(actor)];
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
      size: context.pace.servers,
    })),
    notePace: assign(({ context }, sample: PaceSample) => ({ pace: paceAfter(context, sample) })),
    widen: assign(({ context }, sample: PaceSample) => ({
      pace: { ...context.pace, servers: serversFor(context, sample) },
    })),
    widenFully: assign(({ context }) => ({ pace: { ...context.pace, servers: context.workers } })),
    beginPace: assign(({ context }) => ({ pace: freshPace(context) })),
    shrinkPool: sendTo(({ context }) => context.pool, { type: "pool.resize", size: 1 }),
  },
  guards: {
    isWide: ({ context }) => context.pace.servers >= context.workers,
    savesTime: ({ context }, sample: PaceSample) => serversFor(context, sample) > context.pace.servers,
    noneInFlight: ({ context }) =>
      Object.keys(context.inFlight).length === 0 && context.order.group === undefined,
    isDone: ({ context }) =>
      Object.keys(context.inFlight).length === 0 && !mayStartMore(context) &&
      context.queue.again.length === 0 && Object.keys(context.alone.held).length === 0 &&
      Object.keys(context.order.pending).length === 0,
    isOrder: ({ event }) => (event as { actorId: string }).actorId === orderActor,
  },
  delays: { cancelling: cancelLimitMs, serverStart: ({ context }) => context.rules.startMs ?? 0 },
}).createMachine({
  id: "suite",
  description: "One run of a suite: fans tests out over the workers and counts.",
  context: ({ input }) => ({
    ...input,
    queue: queueOf(input.tests, input.rules),
    pace: firstPace(input),
    pooled: { size: firstPace(input).servers, spares: 0 },
    inFlight: {},
    slow: { actors: [], tools: [] },
    order: { isOn: checksOrder(input), pending: {}, group: undefined },
    finished: 0,
    failed: 0,
    attempts: {},
    alone: noneAlone,
    learnt: { controls: [], silent: {} },
    spent: nothingSpent,
  }),
  initial: "running",
  states: {
    running: {
      entry: ["resizePool", "beginOrder", "startTests"],
      always: { guard: "isDone", target: "finished" },
      on: {
        "test.started": { actions: ["passOn", "watchTime"] },
        "test.slow": { actions: ["noteSlow", "checkOrder", "startTests"] },
        "test.finished": { actions: ["take", "checkOrder", "startTests"] },
        "order.checked": { actions: [tellUnderWay, "checkOrder", "startTests"] },
        "xstate.error.actor.*": [
          { guard: "isOrder", actions: ["stopOrder", tellAll, "startTests"] },
          { actions: "takeDead" },
        ],
        "suite.cancel": "cancelling",
      },
      ...serverStates,
    },
    /** Tests in flight run their teardown, within its limit. */
    cancelling: {
      entry: ["cancelTests", tellOthers],
      always: { guard: "noneInFlight", target: "cancelled" },
      on: {
        "test.started": { actions: "passOn" },
        "test.finished": { actions: "take" },
        "order.checked": { actions: tellUnderWay },
        "xstate.error.actor.*": [
          { guard: "isOrder", actions: ["stopOrder", tellAll] },
          { actions: "takeDead" },
        ],
      },
      after: { cancelling: { target: "cancelled", actions: ["stopOrder", tellAll, "stopTests"] } },
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
            reason: isWaiting(context.queue) ? "bailed" : "complete",
          })),
      ],
    },
  },
});
