/**
 * Runs one test with a prompt, on which an agent works: setup, the agent's session, `verify`, a second session that judges
 * the checklist, the verdict, teardown.
 *
 * Started by the suite in place of a test. The commands run before the checklist is judged, so that they prove what the
 * first session did. The limit is that of both sessions and of the commands; a session that has to end is cancelled and
 * waited for. A session that cannot be run fails its own test.
 */
import { assign, sendTo, setup, stateIn } from "xstate";
import { agentSessionMachine } from "./agent_session_machine.ts";
import { messageOf } from "./message_of.ts";
import type { AgentSessionResult } from "./model/agent_session.ts";
import type { CommandObservation, PlannedTest } from "./model/observation.ts";
import type { PlannedAgent } from "./model/prompt_agent.ts";
import type { PromptJudgeInput, PromptWork } from "./model/prompt_work.ts";
import type { Verdict } from "./model/verdict.ts";
import { parentRef } from "./parent_ref.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { addSpending, budgetLeft } from "./budget/spending.ts";
import { judgePrompt } from "./prompt_test/judge_prompt.ts";
import { slot } from "./slot.ts";
import type { TaskFact } from "./task/task.ts";
import {
  cancelledNote,
  judgeLimitMs,
  judgementFailed,
  sendToSuite,
  teardownMs,
  teardownTimedOut,
  vacatingMs,
  withNote,
} from "./test/test_setup.ts";

export interface PromptTestInput {
  readonly planned: PlannedTest;
  readonly pool: PoolRef;
}

/** `test.cancel`: it ends without a verdict of its own, with its teardown. */
export type PromptTestEvent = TaskFact | { type: "pool.vacated" } | { type: "test.cancel" };

interface PromptTestContext extends PromptTestInput {
  work: PromptWork;
  cancelled: boolean;
  verdict: Verdict | undefined;
}

/** Time in ms that a session has to end once it was cancelled. */
const endMs = 60_000;

const sessionsOf = ({ planned: { agent } }: PromptTestContext) =>
  agent as Extract<PlannedAgent, { work: unknown }>;

const sessionInput = (context: PromptTestContext, part: "work" | "judge") => {
  const { planned: { test } } = context;
  const requestId = `${test.id}:${part}`;
  const run = sessionsOf(context)[part]!;
  if (part === "work") return { requestId, caller: requestId, run };
  const { session } = context.work;
  const rest = run.budget === undefined || session?.spent === undefined
    ? {}
    : { budget: budgetLeft(run.budget, session.spent) };
  const prompt = judgePrompt(test, context.work);
  return { requestId, caller: requestId, run: { ...run, ...rest, prompt } };
};

const resultOf = (event: unknown): AgentSessionResult => (event as { result: AgentSessionResult }).result;

export const promptTestMachine = setup({
  types: {
    context: {} as PromptTestContext,
    input: {} as PromptTestInput,
    events: {} as PromptTestEvent,
  },
  actors: {
    session: agentSessionMachine,
    prepare: slot<void, { planned: PlannedTest }>("prompt_test.prepare"),
    verify: slot<CommandObservation[], { planned: PlannedTest }>("prompt_test.verify"),
    judge: slot<Verdict, PromptJudgeInput>("prompt_test.judge"),
    /** Resolves to what went wrong, if anything. */
    cleanUp: slot<string | undefined, { planned: PlannedTest }>("prompt_test.clean_up"),
  },
  actions: {
    note: assign({ work: ({ context }, seen: Partial<PromptWork>) => ({ ...context.work, ...seen }) }),
    noteCancelled: assign({
      cancelled: true,
      verdict: { status: "skipped", note: cancelledNote, findings: [] },
    }),
    noteError: assign({
      work: ({ context }, { error }: { error: unknown }) => ({ ...context.work, error }),
    }),
    addNote: assign({
      verdict: ({ context }, { note }: { note: string | undefined }) => withNote(context.verdict!, note),
    }),
    endSession: sendTo("session", { type: "task.cancel" }),
    vacatePool: sendTo(({ context }) => context.pool, ({ self }) => ({ type: "pool.vacate", asker: self })),
  },
  guards: {
    hasProblem: ({ context: { planned: { agent } } }) => agent === undefined || "problem" in agent,
    startsServer: ({ context }) => sessionsOf(context).startsServer,
    hasVerify: ({ context }) => context.planned.test.verify.length > 0,
    hasChecklist: ({ context }) => sessionsOf(context).judge !== undefined,
    isCancelled: ({ context }) => context.cancelled,
    hasFailed: ({ context }, { result }: { result: AgentSessionResult }) =>
      context.work.timedOut === true || result.failures.length > 0,
    isVerifying: stateIn({ acting: "verifying" }),
  },
  delays: {
    limit: ({ context }) => context.planned.timeoutMs,
    lost: ({ context }) => context.planned.timeoutMs + endMs,
    vacating: vacatingMs,
    judging: judgeLimitMs,
    teardown: teardownMs,
  },
}).createMachine({
  id: "promptTest",
  description: "One test with a prompt, on which an agent works.",
  context: ({ input }) => ({ ...input, work: { commands: [] }, cancelled: false, verdict: undefined }),
  entry: sendTo(
    parentRef,
    ({ context: { planned: { test } } }) =>
      sendToSuite({ type: "test.started", testId: test.id, connectionId: "the agent's own", pid: undefined }),
  ),
  initial: "deciding",
  states: {
    deciding: {
      always: [
        {
          guard: "hasProblem",
          target: "judging",
          actions: {
            type: "noteError",
            params: ({ context: { planned: { agent } } }) => ({
              error: new Error(agent !== undefined && "problem" in agent ? agent.problem : "it has no agent"),
            }),
          },
        },
        { guard: "startsServer", target: "vacating" },
        { target: "preparing" },
      ],
    },
    /** The plugin's server may not bear another instance. */
    vacating: {
      entry: "vacatePool",
      on: {
        "pool.vacated": "preparing",
        "test.cancel": { target: "finished", actions: "noteCancelled" },
      },
      after: { vacating: "preparing" },
    },
    preparing: {
      invoke: {
        src: "prepare",
        input: ({ context: { planned } }) => ({ planned }),
        onDone: "acting",
        onError: {
          target: "judging",
          actions: { type: "note", params: ({ event }) => ({ setupFailure: messageOf(event.error) }) },
        },
      },
      on: { "test.cancel": { target: "cleaningUp", actions: "noteCancelled" } },
      after: {
        limit: {
          target: "judging",
          actions: {
            type: "note",
            params: ({ context }) => ({
              setupFailure: `it took more than ${context.planned.timeoutMs / 1000} s`,
            }),
          },
        },
      },
    },
    acting: {
      initial: "working",
      on: {
        "test.cancel": [
          { guard: "isVerifying", target: "cleaningUp", actions: "noteCancelled" },
          { actions: ["noteCancelled", "endSession"] },
        ],
        "task.failed": [
          { guard: "isCancelled", target: "cleaningUp" },
          {
            target: "judging",
            actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
          },
        ],
      },
      after: {
        limit: [
          { guard: "isVerifying", target: "judging", actions: { type: "note", params: { timedOut: true } } },
          { actions: [{ type: "note", params: { timedOut: true } }, "endSession"] },
        ],
        lost: [{ guard: "isCancelled", target: "cleaningUp" }, { target: "judging" }],
      },
      states: {
        working: {
          invoke: {
            id: "session",
            src: "session",
            input: ({ context }) => sessionInput(context, "work"),
            onError: {
              target: "#promptTest.judging",
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
            },
          },
          on: {
            "task.completed": [
              { guard: "isCancelled", target: "#promptTest.cleaningUp" },
              {
                guard: { type: "hasFailed", params: ({ event }) => ({ result: resultOf(event) }) },
                target: "#promptTest.judging",
                actions: { type: "note", params: ({ event }) => ({ session: resultOf(event) }) },
              },
              {
                guard: "hasVerify",
                target: "verifying",
                actions: { type: "note", params: ({ event }) => ({ session: resultOf(event) }) },
              },
              {
                guard: "hasChecklist",
                target: "askingJudge",
                actions: { type: "note", params: ({ event }) => ({ session: resultOf(event) }) },
              },
              {
                target: "#promptTest.judging",
                actions: { type: "note", params: ({ event }) => ({ session: resultOf(event) }) },
              },
            ],
          },
        },
        verifying: {
          invoke: {
            src: "verify",
            input: ({ context: { planned } }) => ({ planned }),
            onDone: [
              {
                guard: "hasChecklist",
                target: "askingJudge",
                actions: { type: "note", params: ({ event }) => ({ commands: event.output }) },
              },
              {
                target: "#promptTest.judging",
                actions: { type: "note", params: ({ event }) => ({ commands: event.output }) },
              },
            ],
            onError: {
              target: "#promptTest.judging",
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
            },
          },
        },
        askingJudge: {
          invoke: {
            id: "session",
            src: "session",
            input: ({ context }) => sessionInput(context, "judge"),
            onError: {
              target: "#promptTest.judging",
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
            },
          },
          on: {
            "task.completed": [
              { guard: "isCancelled", target: "#promptTest.cleaningUp" },
              {
                target: "#promptTest.judging",
                actions: { type: "note", params: ({ event }) => ({ judgement: resultOf(event) }) },
              },
            ],
          },
        },
      },
    },
    judging: {
      invoke: {
        src: "judge",
        input: ({ context: { planned, work } }) => ({ planned, work }),
        onDone: { target: "cleaningUp", actions: assign({ verdict: ({ event }) => event.output }) },
        onError: {
          target: "cleaningUp",
          actions: assign({ verdict: ({ event }) => judgementFailed(event.error) }),
        },
      },
      on: { "test.cancel": { target: "cleaningUp", actions: "noteCancelled" } },
      after: {
        judging: {
          target: "cleaningUp",
          actions: assign({ verdict: judgementFailed(`it took more than ${judgeLimitMs / 1000} s`) }),
        },
      },
    },
    cleaningUp: {
      invoke: {
        src: "cleanUp",
        input: ({ context: { planned } }) => ({ planned }),
        onDone: {
          target: "finished",
          actions: { type: "addNote", params: ({ event }) => ({ note: event.output }) },
        },
        onError: {
          target: "finished",
          actions: {
            type: "addNote",
            params: ({ event }) => ({ note: `teardown failed: ${messageOf(event.error)}` }),
          },
        },
      },
      after: {
        teardown: { target: "finished", actions: { type: "addNote", params: teardownTimedOut } },
      },
    },
    finished: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { planned: { test }, verdict, work: { commands, session, judgement } } }) =>
          sendToSuite({
            type: "test.finished",
            testId: test.id,
            verdict: verdict!,
            observation: { commands },
            connectionId: undefined,
            pid: undefined,
            ...(session?.spent === undefined ? {} : { spent: addSpending(session.spent, judgement?.spent) }),
          }),
      ),
    },
  },
});
