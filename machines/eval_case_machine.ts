/**
 * Runs one case of evals once: the agent's session, a session for each grader that a model judges, the verdict, teardown.
 *
 * Started by the run of evals. After each session the slot `grade` says what is next: a question to the next judge, or the
 * verdicts of all graders. Sessions have limits of their own; one that is cancelled is waited for. A session that cannot be
 * run refuses its own case.
 */
import { assign, sendTo, setup } from "xstate";
import { agentSessionMachine } from "./agent_session_machine.ts";
import { judgedRun, refusedRun } from "./evals/case_result.ts";
import { messageOf } from "./message_of.ts";
import type { AgentSessionRequest, AgentSessionResult } from "./model/agent_session.ts";
import type { PlannedEval } from "./model/eval_request.ts";
import type { EvalGrading, EvalRunResult, EvalWork } from "./model/eval_result.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import type { TaskFact } from "./task/task.ts";

export interface EvalCaseInput {
  /** Id of the request for the whole run. */
  readonly requestId: string;
  readonly planned: PlannedEval;
  /** Place of the case among all, from 0. */
  readonly place: number;
  /** Number of the run, from 1. */
  readonly run: number;
}

export type EvalCaseEvent = TaskFact | { type: "eval_case.cancel" };

/** Fact for the run of evals; `error` is that of a session that could not be run. */
export interface EvalCaseFact {
  type: "eval_case.finished";
  place: number;
  run: number;
  result: EvalRunResult;
  version: string | undefined;
  error?: unknown;
}

interface EvalCaseContext extends EvalCaseInput {
  session: AgentSessionResult | undefined;
  judgements: AgentSessionResult[];
  /** Prompt of the judge to ask. */
  prompt: string;
  /** Names of the folders that sessions had in the environment. */
  folders: string[];
  cancelled: boolean;
  error: unknown;
  result: EvalRunResult | undefined;
}

/** Limits in ms: grading reads texts that may be large, teardown removes folders. */
const gradingMs = 60_000;
const teardownMs = 30_000;

const sessionsOf = ({ planned: { sessions } }: Pick<EvalCaseContext, "planned">) =>
  sessions as { work: AgentSessionRequest; judges: AgentSessionRequest[] };

/** Sessions of a case have numbers; the first is the agent's own. */
const folderOf = ({ requestId, place, run }: EvalCaseInput, number: number): string =>
  `agent-${requestId.slice(0, 8)}-${place}.${run}.${number}`;

const sessionInput = (context: EvalCaseContext, number: number) => {
  const { work, judges } = sessionsOf(context);
  const run = number === 0 ? work : { ...judges[number - 1]!, prompt: context.prompt };
  const requestId = `${context.requestId}:${context.place}.${context.run}.${number}`;
  return { requestId, caller: context.requestId, run: { ...run, folder: folderOf(context, number) } };
};

const resultOf = (event: unknown): AgentSessionResult => (event as { result: AgentSessionResult }).result;

const noteItsError = {
  type: "noteError",
  params: ({ event }: { event: { error: unknown } }) => ({ error: event.error }),
} as const;

export const evalCaseMachine = setup({
  types: {
    context: {} as EvalCaseContext,
    input: {} as EvalCaseInput,
    events: {} as EvalCaseEvent,
  },
  actors: {
    session: agentSessionMachine,
    grade: slot<EvalGrading, { planned: PlannedEval; work: EvalWork }>("eval_case.grade"),
    /** Removes what sessions left in the environment. */
    cleanUp: slot<void, { folders: string[] }>("eval_case.clean_up"),
  },
  actions: {
    noteFolder: assign({
      folders: ({ context }) => [...context.folders, folderOf(context, context.folders.length)],
    }),
    noteError: assign((_, { error }: { error: unknown }) => ({
      error,
      result: refusedRun([messageOf(error)]),
    })),
    noteCancelled: assign({ cancelled: true, result: refusedRun(["it was cancelled"]) }),
    noteResult: assign((_, { result }: { result: EvalRunResult }) => ({ result })),
    noteLeftover: assign({
      result: ({ context: { result } }, { why }: { why: string }) => ({
        ...result!,
        warnings: [...result!.warnings, `folders of its sessions stay in the environment: ${why}`],
      }),
    }),
    endSession: sendTo("session", { type: "task.cancel" }),
  },
  guards: {
    isRefused: ({ context: { planned } }) => "refused" in planned.sessions,
    isCancelled: ({ context }) => context.cancelled,
    asksJudge: ({ context }, { grading }: { grading: EvalGrading }) =>
      "ask" in grading && context.judgements.length < sessionsOf(context).judges.length,
  },
  delays: { grading: gradingMs, teardown: teardownMs },
}).createMachine({
  id: "evalCase",
  description: "One run of one case of evals: the agent's session, its judges, the verdict.",
  context: ({ input }) => ({
    ...input,
    session: undefined,
    judgements: [],
    prompt: "",
    folders: [],
    cancelled: false,
    error: undefined,
    result: undefined,
  }),
  initial: "deciding",
  states: {
    deciding: {
      always: [
        {
          guard: "isRefused",
          target: "finished",
          actions: {
            type: "noteResult",
            params: ({ context: { planned: { sessions } } }) => ({
              result: refusedRun("refused" in sessions ? sessions.refused : []),
            }),
          },
        },
        { target: "working" },
      ],
    },
    working: {
      entry: "noteFolder",
      invoke: {
        id: "session",
        src: "session",
        input: ({ context }) => sessionInput(context, 0),
        onError: { target: "tearingDown", actions: noteItsError },
      },
      on: {
        "eval_case.cancel": { actions: ["noteCancelled", "endSession"] },
        "task.completed": [
          { guard: "isCancelled", target: "tearingDown" },
          { target: "grading", actions: assign({ session: ({ event }) => resultOf(event) }) },
        ],
        "task.failed": [
          { guard: "isCancelled", target: "tearingDown" },
          { target: "tearingDown", actions: noteItsError },
        ],
      },
    },
    grading: {
      invoke: {
        src: "grade",
        input: ({ context: { planned, session, judgements } }) => ({
          planned,
          work: { session: session!, judgements },
        }),
        onDone: [
          {
            guard: { type: "asksJudge", params: ({ event }) => ({ grading: event.output }) },
            target: "judging",
            actions: assign({ prompt: ({ event }) => "ask" in event.output ? event.output.ask : "" }),
          },
          {
            target: "tearingDown",
            actions: {
              type: "noteResult",
              params: ({ event: { output } }) => ({
                result: "ask" in output
                  ? refusedRun(["it asks for a judge that it does not have"])
                  : judgedRun(output),
              }),
            },
          },
        ],
        onError: { target: "tearingDown", actions: noteItsError },
      },
      on: { "eval_case.cancel": { target: "tearingDown", actions: "noteCancelled" } },
      after: {
        grading: {
          target: "tearingDown",
          actions: {
            type: "noteResult",
            params: { result: refusedRun([`its graders took more than ${gradingMs / 1000} s`]) },
          },
        },
      },
    },
    judging: {
      entry: "noteFolder",
      invoke: {
        id: "session",
        src: "session",
        input: ({ context }) => sessionInput(context, context.judgements.length + 1),
        onError: { target: "tearingDown", actions: noteItsError },
      },
      on: {
        "eval_case.cancel": { actions: ["noteCancelled", "endSession"] },
        "task.completed": [
          { guard: "isCancelled", target: "tearingDown" },
          {
            target: "grading",
            actions: assign({ judgements: ({ context, event }) => [...context.judgements, resultOf(event)] }),
          },
        ],
        "task.failed": [
          { guard: "isCancelled", target: "tearingDown" },
          { target: "tearingDown", actions: noteItsError },
        ],
      },
    },
    tearingDown: {
      invoke: {
        src: "cleanUp",
        input: ({ context: { folders } }) => ({ folders }),
        onDone: "finished",
        onError: {
          target: "finished",
          actions: { type: "noteLeftover", params: ({ event }) => ({ why: messageOf(event.error) }) },
        },
      },
      after: {
        teardown: {
          target: "finished",
          actions: {
            type: "noteLeftover",
            params: { why: `removing them took more than ${teardownMs / 1000} s` },
          },
        },
      },
    },
    finished: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { place, run, result, session, error } }): EvalCaseFact => ({
          type: "eval_case.finished",
          place,
          run,
          result: result!,
          version: session?.version,
          ...(error === undefined ? {} : { error }),
        }),
      ),
    },
  },
});
