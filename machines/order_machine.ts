/**
 * Looks whether verdicts depend on what ran before: repeats the quick tests of each group on one server that all groups
 * share, and searches the pair of tests that shows a difference.
 *
 * Started by the suite, one for each; hears of a group when its tests have ended on a server of their own. Bounded in tests,
 * trials and time.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import type { PlannedTest, RunRules } from "./model/observation.ts";
import { parentRef } from "./parent_ref.ts";
import type { PoolRef } from "./plugin_machine.ts";
import {
  advance,
  alike,
  beginSearch,
  type Conclusion,
  differs,
  divideByTime,
  isConclusion,
  type OrderEntry,
  type Search,
  type Suspect,
  trialOf,
} from "./suite/order_search.ts";
import {
  acceptedAfterOthers,
  concludeOrder,
  notRepeated,
  type OrderedVerdict,
} from "./suite/conclude_order.ts";
import { isUnstarted } from "./suite/alone.ts";
import { earlierTest, isCrash, laidOnEarlier, mayBeLeftBehind } from "./suite/left_behind.ts";
import { type TestFact, testMachine } from "./test_machine.ts";

export interface OrderInput {
  readonly pool: PoolRef;
  readonly rules: RunRules;
}

export type OrderEvent =
  /** Tests of a group that have ended. */
  | { type: "order.check"; entries: OrderEntry[] }
  /** Tells what is known of the group under way, and ends. */
  | { type: "order.cancel" }
  | TestFact
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

type Finished = Extract<TestFact, { type: "test.finished" }>;

/** Fact for the suite: one for each group; tests that are not named keep their verdict. */
export type OrderFact = {
  type: "order.checked";
  changed: Record<string, OrderedVerdict & { fact?: Finished }>;
};
type Changed = OrderFact["changed"];

interface OrderContext extends OrderInput {
  /** Tests of the group under way, in order, and those of them that wait. */
  entries: OrderEntry[];
  waiting: OrderEntry[];
  /** The server that groups share, with what ran on it. */
  shared: { connectionId: string | undefined; before: PlannedTest[] };
  suspects: Suspect[];
  search: Search | undefined;
  /** Tests of the trial under way that wait. */
  trial: PlannedTest[];
  changed: Changed;
  /** Tools whose tests ended their server. */
  crashed: string[];
  /** Counts so far: tests that ran, searches, and the time in ms that repeated tests took the first time. */
  spent: { runs: number; searches: number; ms: number };
}

/** Limits in ms on repeating the tests of one group, and on one search. */
const lookLimitMs = 10_000;
const searchLimitMs = 20_000;
/** Time in ms that tests which are repeated may take in all. */
const repeatedMs = 10_000;
/** Tests that differ whose pair is searched; of more the finding says that it was not. */
const mostSearches = 3;

const sharedGroup = "order: all groups";
const trialGroup = ({ spent, search }: OrderContext) =>
  `order: trial ${spent.searches}.${search?.trials ?? 0}`;
const actorOf = ({ spent }: Pick<OrderContext, "spent">) => `run-${spent.runs}`;
const idOf = ({ planned }: OrderEntry | { planned: PlannedTest }) => planned.test.id;

/** True where a test has met the crash of an earlier one, whose tool shows it in tests of its own. */
const isLeftBehind = (
  { crashed }: OrderContext,
  { planned, verdict }: OrderEntry,
  repeated: Finished,
  last: PlannedTest,
) =>
  verdict.status !== "failed" && crashed.includes(last.test.tool ?? "") &&
  mayBeLeftBehind(planned, repeated, earlierTest(last));

const concludeAll = (suspects: readonly Suspect[], conclusion: Conclusion): Changed =>
  Object.fromEntries(suspects.map((suspect) => [idOf(suspect.entry), concludeOrder(suspect, conclusion)]));

export const orderMachine = setup({
  types: {
    context: {} as OrderContext,
    input: {} as OrderInput,
    events: {} as OrderEvent,
  },
  actors: { test: testMachine },
  actions: {
    /** Tests that would take too much time in all are not repeated, and the first of them says so. */
    take: assign(({ context: { spent, crashed }, event }) => {
      const { entries } = event as Extract<OrderEvent, { type: "order.check" }>;
      const { within, beyond, ms } = divideByTime(entries, repeatedMs - spent.ms);
      return {
        entries,
        waiting: within,
        changed: notRepeated(beyond),
        crashed: [...crashed, ...entries.filter(isCrash).flatMap(({ planned }) => planned.test.tool ?? [])],
        spent: { ...spent, ms: spent.ms + ms },
      };
    }),
    run: enqueueActions(
      ({ context, enqueue }, { planned, group }: { planned: PlannedTest; group: string }) => {
        const spent = { ...context.spent, runs: context.spent.runs + 1 };
        const known = context.entries.find((entry) => idOf(entry) === planned.test.id);
        enqueue.assign({ spent });
        enqueue.spawnChild("test", {
          id: actorOf({ spent }),
          input: {
            planned: { ...planned, group },
            rules: context.rules,
            pool: context.pool,
            control: known?.observation.control,
          },
        });
      },
    ),
    dropRun: enqueueActions(({ context, enqueue }) => enqueue.stopChild(actorOf(context))),
    cancelRun: sendTo(({ context }) => actorOf(context), { type: "test.cancel" }),
    noteSeen: assign(({ context, event }) => {
      const { verdict, connectionId } = event as Finished;
      const [entry, ...waiting] = context.waiting as [OrderEntry, ...OrderEntry[]];
      const sameServer = connectionId === context.shared.connectionId;
      const before = sameServer ? context.shared.before : [];
      const shared = { connectionId, before: [...before, entry.planned] };
      // What could not be judged in time, or had no server, says nothing.
      if (verdict.category === "timeout" || isUnstarted(event as Finished)) return { waiting, shared };
      const last = before.at(-1);
      if (last && isLeftBehind(context, entry, event as Finished, last)) {
        const laid = { verdict: laidOnEarlier(entry.verdict, earlierTest(last), entry.planned) };
        return { waiting, shared, changed: { ...context.changed, [idOf(entry)]: laid } };
      }
      if (differs(entry.verdict, verdict)) {
        return { waiting, shared, suspects: [...context.suspects, { entry, verdict, before }] };
      }
      if (entry.verdict.status !== "skipped" || verdict.status !== "passed") return { waiting, shared };
      const accepted = { verdict: acceptedAfterOthers(verdict), fact: event as Finished };
      return { waiting, shared, changed: { ...context.changed, [idOf(entry)]: accepted } };
    }),
    beginSearch: assign(({ context: { suspects, spent } }) => ({
      search: beginSearch(suspects[0]!),
      suspects: suspects.slice(1),
      spent: { ...spent, searches: spent.searches + 1 },
    })),
    beginTrial: assign(({ context: { search } }) => ({
      trial: [...trialOf(search!), search!.suspect.entry.planned],
    })),
    takeTrialTest: assign({ trial: ({ context }) => context.trial.slice(1) }),
    takeTrial: enqueueActions(({ context, event, enqueue }) => {
      const { verdict } = event as Finished;
      const { suspect } = context.search!;
      enqueue.sendTo(context.pool, { type: "pool.retire", group: trialGroup(context) });
      const next = isUnstarted(event as Finished)
        ? { kind: "unknown" as const }
        : advance(context.search!, differs(suspect.entry.verdict, verdict));
      if (!isConclusion(next)) return enqueue.assign({ search: next });
      const { like, others } = alike(suspect, next, context.suspects);
      const conclusion = { kind: "like" as const, other: suspect.entry.planned };
      enqueue.assign({
        search: undefined,
        suspects: others,
        changed: {
          ...context.changed,
          [idOf(suspect.entry)]: concludeOrder(suspect, next),
          ...concludeAll(like, conclusion),
        },
      });
    }),
    /** The search is given up; the server of its trial with it. */
    giveUp: enqueueActions(({ context, enqueue }) => {
      const open = context.search ? [context.search.suspect, ...context.suspects] : context.suspects;
      if (context.search) {
        enqueue.sendTo(context.pool, { type: "pool.retire", group: trialGroup(context) });
      }
      enqueue.assign({
        search: undefined,
        suspects: [],
        waiting: [],
        changed: {
          ...context.changed,
          ...notRepeated(context.waiting),
          ...concludeAll(open, { kind: "unknown" }),
        },
      });
    }),
    tell: sendTo(
      parentRef,
      ({ context }): OrderFact => ({ type: "order.checked", changed: context.changed }),
    ),
    takeDead: enqueueActions(({ context, event, enqueue }) => {
      const { actorId } = event as { actorId: string };
      if (actorId !== actorOf(context)) return;
      for (const leaseId of [...context.waiting.map(idOf), ...context.trial.map(({ test }) => test.id)]) {
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId, restart: true });
      }
    }),
  },
  guards: {
    hasWaiting: ({ context }) => context.waiting.length > 0,
    isSearchable: ({ context }) => context.suspects.length > 0 && context.spent.searches < mostSearches,
    isTrialOver: ({ context }) => context.trial.length === 1,
    isSearching: ({ context }) => context.search !== undefined,
    isOfRun: ({ event, context }) => (event as { actorId: string }).actorId === actorOf(context),
  },
  delays: { looking: lookLimitMs, searching: searchLimitMs },
}).createMachine({
  id: "order",
  description: "Looks whether verdicts depend on what ran before, and searches the smallest pair of tests.",
  context: ({ input }) => ({
    ...input,
    entries: [],
    waiting: [],
    shared: { connectionId: undefined, before: [] },
    suspects: [],
    search: undefined,
    trial: [],
    changed: {},
    crashed: [],
    spent: { runs: 0, searches: 0, ms: 0 },
  }),
  initial: "idle",
  on: { "xstate.error.actor.*": { guard: "isOfRun", target: ".dropped", actions: "takeDead" } },
  states: {
    idle: {
      on: {
        "order.cancel": "ended",
        "order.check": {
          target: "looking",
          actions: "take",
        },
      },
    },
    /** Repeats the group's tests on the server that all groups share. */
    looking: {
      initial: "choosing",
      on: { "order.cancel": "cancelling" },
      after: { looking: "stopping" },
      states: {
        choosing: {
          always: [{ guard: "hasWaiting", target: "running" }, { target: "#order.deciding" }],
        },
        running: {
          entry: {
            type: "run",
            params: ({ context }) => ({ planned: context.waiting[0]!.planned, group: sharedGroup }),
          },
          on: { "test.finished": { target: "choosing", actions: ["dropRun", "noteSeen"] } },
        },
      },
    },
    deciding: {
      always: [
        { guard: "isSearchable", target: "searching", actions: "beginSearch" },
        { target: "idle", actions: ["giveUp", "tell"] },
      ],
    },
    /** Trials on fresh servers, one after the other. */
    searching: {
      initial: "choosing",
      on: { "order.cancel": "cancelling" },
      after: { searching: "stopping" },
      states: {
        choosing: {
          always: [
            { guard: "isSearching", target: "running", actions: "beginTrial" },
            { target: "#order.deciding" },
          ],
        },
        running: {
          entry: {
            type: "run",
            params: ({ context }) => ({ planned: context.trial[0]!, group: trialGroup(context) }),
          },
          on: {
            "test.finished": [
              { guard: "isTrialOver", target: "choosing", actions: ["dropRun", "takeTrial"] },
              { target: "running", reenter: true, actions: ["dropRun", "takeTrialTest"] },
            ],
          },
        },
      },
    },
    /** The time is over: the run under way gives its server back. */
    stopping: {
      entry: "cancelRun",
      on: {
        "test.finished": { target: "dropped", actions: "dropRun" },
        "order.cancel": "cancelling",
      },
    },
    dropped: { always: { target: "idle", actions: ["giveUp", "tell"] } },
    cancelling: {
      entry: "cancelRun",
      on: {
        "test.finished": { target: "ended", actions: ["dropRun", "giveUp", "tell"] },
        "xstate.error.actor.*": {
          guard: "isOfRun",
          target: "ended",
          actions: ["takeDead", "giveUp", "tell"],
        },
      },
    },
    ended: { type: "final" },
  },
});
