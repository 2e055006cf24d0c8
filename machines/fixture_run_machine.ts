/**
 * Runs the tests of a fixture one after the other, each in a session of an agent with a project of its own, and judges them.
 *
 * A task of the session. A test that does not pass runs again, as often as is allowed. A session that cannot run fails its
 * own test. Once enough tests have failed, or the budget is spent, the rest is told as not run.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import { addSpending, budgetLeft, nothingSpent, overBudget } from "./budget/spending.ts";
import type { AgentTest } from "./model/agent_fixture.ts";
import type { AgentSessionRequest } from "./model/agent_session.ts";
import type { Spending } from "./model/budget.ts";
import type {
  AgentTestResult,
  FixtureRunFact,
  FixtureRunRequest,
  FixtureRunResult,
  SessionOutcome,
} from "./model/fixture_run.ts";
import type { RealModel } from "./model/prompt_agent.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { sessionStep } from "./task/session_step.ts";
import {
  beginTask,
  noteItsError,
  stepId,
  taskActions,
  taskCancelled,
  type TaskContext,
  type TaskEvent,
  type TaskFact,
  type TaskInput,
  taskTransitions,
} from "./task/task.ts";

export interface FixtureRunInput extends TaskInput {
  readonly run: FixtureRunRequest;
}

/** Session of a test that is planned. */
export interface PlannedAgentTest {
  request: AgentSessionRequest;
  /** In ms since the epoch. */
  startedAt: number;
}

export interface PlanTestInput {
  test: AgentTest;
  programs: NonNullable<FixtureRunRequest["programs"]>;
  /** Model with the rest of the budget, for a test without a playbook. */
  real: RealModel | undefined;
}

export interface JudgeTestInput {
  test: AgentTest;
  outcome: SessionOutcome;
  startedAt: number;
  attempt: number;
}

interface FixtureRunContext extends TaskContext, FixtureRunInput {
  /** Place of the test under way, and its attempt from 1. */
  next: number;
  attempt: number;
  planned: PlannedAgentTest | undefined;
  outcome: SessionOutcome | undefined;
  results: AgentTestResult[];
  spent: Spending;
}

const testOf = ({ run, next }: FixtureRunContext): AgentTest => run.tests[next]!;

const failedOf = ({ results }: FixtureRunContext): number =>
  results.filter(({ judgement }) => judgement.status !== "pass").length;

/** Reason why no more tests run; undefined: the next one may. */
function endReason(context: FixtureRunContext): string | undefined {
  const { run: { bail, real }, spent } = context;
  const failed = failedOf(context);
  if (bail !== undefined && failed >= bail) {
    return `the run was to stop after ${bail === 1 ? "a failure" : `${bail} failures`}`;
  }
  return overBudget(spent, real?.budget);
}

function resultOf(context: FixtureRunContext): FixtureRunResult {
  const { run: { tests }, results } = context;
  const reason = endReason(context);
  return {
    results,
    notRun: tests.filter(({ id }) => !results.some((result) => result.id === id)).map((test) => ({
      id: test.id,
      reason: test.skip ?? reason!,
    })),
  };
}

const spentBy = ({ session }: AgentTestResult): Spending => session?.spent ?? nothingSpent;

const isAgain = ({ run, attempt, spent }: FixtureRunContext, result: AgentTestResult): boolean =>
  result.judgement.status !== "pass" && attempt <= run.retries &&
  overBudget(addSpending(spent, spentBy(result)), run.real?.budget) === undefined;

export const fixtureRunMachine = setup({
  types: {
    context: {} as FixtureRunContext,
    input: {} as FixtureRunInput,
    events: {} as TaskEvent,
  },
  actors: {
    plan: slot<PlannedAgentTest, PlanTestInput>("fixture_run.plan"),
    run: sessionStep<"session.run_agent">(),
    judge: slot<AgentTestResult, JudgeTestInput>("fixture_run.judge"),
  },
  actions: {
    ...taskActions<FixtureRunContext>(),
    noteTaskCancelled: assign(taskCancelled),
    nextTest: assign(({ context: { next } }) => ({ next: next + 1, attempt: 1 })),
    note: assign(({ context }, { result }: { result: AgentTestResult }) => ({
      results: [...context.results, result],
      spent: addSpending(context.spent, spentBy(result)),
    })),
    noteAttempt: assign(({ context: { attempt, spent } }, { result }: { result: AgentTestResult }) => ({
      attempt: attempt + 1,
      spent: addSpending(spent, spentBy(result)),
    })),
    tellStarted: sendTo(parentRef, ({ context }): FixtureRunFact => {
      const { id, name } = testOf(context);
      const { run: { fixture }, attempt } = context;
      return { type: "agent_test.started", fixture: fixture.name, id, name, attempt };
    }),
    tellFinished: sendTo(
      parentRef,
      ({ context }, { result }: { result: AgentTestResult }): FixtureRunFact => {
        const { id, name } = testOf(context);
        const { session: _, ...rest } = result;
        const again = isAgain(context, result);
        return {
          type: "agent_test.finished",
          fixture: context.run.fixture.name,
          id,
          name,
          result: rest,
          again,
        };
      },
    ),
  },
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    isCancelled: ({ context }) => context.cancelled,
    isOver: ({ context }) => context.next >= context.run.tests.length || endReason(context) !== undefined,
    isSkipped: ({ context }) => testOf(context).skip !== undefined,
    runsAgain: ({ context }, { result }: { result: AgentTestResult }) => isAgain(context, result),
  },
}).createMachine({
  id: "fixtureRun",
  description: "Runs the tests of a fixture, one after the other, and judges them.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    next: 0,
    attempt: 1,
    planned: undefined,
    outcome: undefined,
    results: [],
    spent: nothingSpent,
  }),
  initial: "choosing",
  on: taskTransitions,
  states: {
    choosing: {
      always: [
        { guard: "isCancelled", target: "failed", actions: "noteTaskCancelled" },
        { guard: "isOver", target: "completed" },
        { guard: "isSkipped", target: "choosing", reenter: true, actions: "nextTest" },
        { target: "planning" },
      ],
    },
    planning: {
      entry: "tellStarted",
      invoke: {
        id: stepId,
        src: "plan",
        input: ({ context }) => {
          const { run: { programs = {}, real }, spent } = context;
          const left = real?.budget === undefined ? {} : { budget: budgetLeft(real.budget, spent) };
          return { test: testOf(context), programs, real: real && { ...real, ...left } };
        },
        onDone: { target: "running", actions: assign({ planned: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
    },
    running: {
      invoke: {
        id: stepId,
        src: "run",
        input: ({ context: { planned, caller, cancelled } }) => ({
          request: { type: "session.run_agent", run: planned!.request, caller },
          cancelled,
        }),
        onDone: {
          target: "judging",
          actions: assign({ outcome: ({ event }) => ({ session: event.output }) }),
        },
        onError: [
          { guard: "isCancelled", target: "failed", actions: noteItsError },
          { target: "judging", actions: assign({ outcome: ({ event }) => ({ error: event.error }) }) },
        ],
      },
    },
    judging: {
      invoke: {
        id: stepId,
        src: "judge",
        input: ({ context }) => ({
          test: testOf(context),
          outcome: context.outcome!,
          startedAt: context.planned!.startedAt,
          attempt: context.attempt,
        }),
        onDone: [
          {
            guard: { type: "runsAgain", params: ({ event }) => ({ result: event.output }) },
            target: "choosing",
            actions: [
              { type: "tellFinished", params: ({ event }) => ({ result: event.output }) },
              { type: "noteAttempt", params: ({ event }) => ({ result: event.output }) },
            ],
          },
          {
            target: "choosing",
            actions: [
              { type: "tellFinished", params: ({ event }) => ({ result: event.output }) },
              { type: "note", params: ({ event }) => ({ result: event.output }) },
              "nextTest",
            ],
          },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }): TaskFact => ({
          type: "task.completed",
          requestId: context.requestId,
          result: resultOf(context),
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
