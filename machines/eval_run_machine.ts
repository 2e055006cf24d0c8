/**
 * Runs a plugin's evals: reads and plans the cases, runs each as often as it is asked for, several side by side.
 *
 * A task of the session. Only runs in flight are actors. A case that cannot be run is refused, and the others go on; what no
 * case could be run with (the environment is lost, the agent is not there) ends all of them.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import { type EvalCaseFact, evalCaseMachine } from "./eval_case_machine.ts";
import { caseResult, refusedRun } from "./evals/case_result.ts";
import { messageOf } from "./message_of.ts";
import type { EvalRequest, PlannedEvals } from "./model/eval_request.ts";
import type { EvalReport, EvalRunResult } from "./model/eval_result.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { beginTask, noteItsError, type TaskContext, type TaskFact, type TaskInput } from "./task/task.ts";

export interface EvalRunInput extends TaskInput {
  readonly evals: EvalRequest;
}

export type EvalRunEvent =
  | { type: "task.cancel" }
  | EvalCaseFact
  /** The actor of a case has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** One run of one case. */
interface EvalTurn {
  /** Place of the case among all, from 0. */
  place: number;
  /** Number of the run, from 1. */
  run: number;
}

/** Fact for the session, in addition to those of each task: a run has ended. */
export interface EvalFact {
  type: "eval.finished";
  name: string;
  run: number;
  runs: number;
  result: EvalRunResult;
  /** Runs that have ended, of those of all cases. */
  done: number;
  total: number;
}

interface EvalRunContext extends TaskContext, EvalRunInput {
  planned: PlannedEvals;
  queue: EvalTurn[];
  /** By the actor. */
  inFlight: Record<string, EvalTurn>;
  /** Results of each case, by the number of the run. */
  results: EvalRunResult[][];
  done: number;
  version: string | undefined;
}

/** Codes of errors that every other case would end with, too. */
const endsAll: readonly unknown[] = [
  "ENVIRONMENT_LOST",
  "RUNTIME_UNAVAILABLE",
  "DISK_FULL",
  "TOOLCHAIN_MISSING",
  "UNSUPPORTED",
  "NOT_NOW",
];

const turnsOf = ({ cases }: PlannedEvals): EvalTurn[] =>
  cases.flatMap(({ runs }, place) => Array.from({ length: runs }, (_, index) => ({ place, run: index + 1 })));

/** Ids are used again, as XState keeps the transitions that it found for each. */
function freeActor(inFlight: EvalRunContext["inFlight"]): string {
  let number = 1;
  while (`case-${number}` in inFlight) number++;
  return `case-${number}`;
}

const tellSession = (fact: EvalFact) => fact;

interface EndedRun {
  actor: string;
  result: EvalRunResult;
  version: string | undefined;
}

const takeIt = {
  type: "take",
  params: ({ context: { inFlight }, event }: { context: EvalRunContext; event: EvalCaseFact }): EndedRun => ({
    actor:
      Object.keys(inFlight).find((actor) =>
        inFlight[actor]!.place === event.place && inFlight[actor]!.run === event.run
      ) ?? "",
    result: event.result,
    version: event.version,
  }),
} as const;

/** Keeps the error of a case that every other would end with. */
const noteItsFailure = {
  type: "noteError",
  params: ({ event }: { event: EvalCaseFact }) => ({ error: event.error }),
} as const;

const takeDead = {
  type: "take",
  params: ({ event }: { event: { error: unknown; actorId: string } }): EndedRun => ({
    actor: event.actorId,
    result: refusedRun([messageOf(event.error)]),
    version: undefined,
  }),
} as const;

export const evalRunMachine = setup({
  types: {
    context: {} as EvalRunContext,
    input: {} as EvalRunInput,
    events: {} as EvalRunEvent,
  },
  actors: {
    /** Reads the evals from the session's source. */
    plan: slot<PlannedEvals, { evals: EvalRequest }>("eval_run.plan"),
    evalCase: evalCaseMachine,
  },
  actions: {
    noteError: assign((_, { error }: { error: unknown }) => ({ error })),
    noteCancel: assign({ cancelled: true, error: () => cancelledError("the evals") }),
    startCases: enqueueActions(({ context, enqueue }) => {
      const { requestId, evals, planned } = context;
      let { queue, inFlight } = context;
      while (queue.length > 0 && Object.keys(inFlight).length < evals.workers) {
        const [turn, ...rest] = queue as [EvalTurn, ...EvalTurn[]];
        const actor = freeActor(inFlight);
        const each = planned.cases[turn.place]!;
        queue = rest;
        inFlight = { ...inFlight, [actor]: turn };
        enqueue.spawnChild("evalCase", { id: actor, input: { requestId, planned: each, ...turn } });
      }
      enqueue.assign({ queue, inFlight });
    }),
    /** Keeps the result of a run, and frees its place. */
    take: enqueueActions(
      ({ context, enqueue }, { actor, result, version }: EndedRun) => {
        const { [actor]: turn, ...inFlight } = context.inFlight;
        if (turn === undefined) return;
        const { planned: { cases }, results } = context;
        const { place, run } = turn;
        const done = context.done + 1;
        enqueue.stopChild(actor);
        enqueue.assign({
          inFlight,
          done,
          version: context.version ?? version,
          results: results.map((runs, at) => at === place ? runs.toSpliced(run - 1, 1, result) : runs),
        });
        if (context.cancelled) return;
        const { case: { name }, runs } = cases[place]!;
        const total = cases.reduce((sum, each) => sum + each.runs, 0);
        enqueue.sendTo(
          parentRef,
          tellSession({ type: "eval.finished", name, run, runs, result, done, total }),
        );
      },
    ),
    cancelCases: enqueueActions(({ context, enqueue }) => {
      for (const actor of Object.keys(context.inFlight)) enqueue.sendTo(actor, { type: "eval_case.cancel" });
      enqueue.assign({ queue: [], cancelled: true });
    }),
  },
  guards: {
    endsAll: (_, { error }: { error: unknown }) =>
      endsAll.includes((error as { code?: unknown } | undefined)?.code),
    isOver: ({ context: { queue, inFlight } }) => queue.length === 0 && Object.keys(inFlight).length === 0,
  },
}).createMachine({
  id: "evalRun",
  description: "One run of a plugin's evals: its cases, several side by side.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    planned: { cases: [], warnings: [] },
    queue: [],
    inFlight: {},
    results: [],
    done: 0,
    version: undefined,
  }),
  initial: "planning",
  states: {
    planning: {
      invoke: {
        src: "plan",
        input: ({ context: { evals } }) => ({ evals }),
        onDone: {
          target: "running",
          actions: assign(({ event: { output } }) => ({
            planned: output,
            queue: turnsOf(output),
            results: output.cases.map(({ runs }) =>
              Array.from({ length: runs }, () => refusedRun(["it was not run"]))
            ),
          })),
        },
        onError: { target: "failed", actions: noteItsError },
      },
      on: { "task.cancel": { target: "failed", actions: "noteCancel" } },
    },
    running: {
      entry: "startCases",
      always: { guard: "isOver", target: "completed" },
      on: {
        "eval_case.finished": [
          {
            guard: { type: "endsAll", params: ({ event }) => ({ error: event.error }) },
            target: "stopping",
            actions: [takeIt, noteItsFailure],
          },
          { actions: [takeIt, "startCases"] },
        ],
        "xstate.error.actor.*": { actions: [takeDead, "startCases"] },
        "task.cancel": { target: "stopping", actions: "noteCancel" },
      },
    },
    /** Runs in flight end their sessions, and are waited for. */
    stopping: {
      entry: "cancelCases",
      always: { guard: "isOver", target: "failed" },
      on: {
        "eval_case.finished": { actions: takeIt },
        "xstate.error.actor.*": { actions: takeDead },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, evals, planned, results, version } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: {
            by: evals.by,
            agent: evals.agent.agent,
            version,
            cases: planned.cases.map((each, place) => caseResult(each.case, results[place]!)),
            warnings: planned.warnings,
          } satisfies EvalReport,
        }),
      ),
    },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, error } }): TaskFact => ({ type: "task.failed", requestId, error }),
      ),
    },
  },
});
