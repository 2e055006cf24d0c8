/** Types, slots, actions and guards of the agent session machine; its states are made from it. */
import { and, assign, or, sendTo, setup, stateIn } from "xstate";
import { spentWith } from "../budget/spending.ts";
import { spendingStop } from "../budget/spending_stop.ts";
import { cancelledError } from "../cancelled_error.ts";
import { calmMs, hangInspectionMachine } from "../hang_inspection_machine.ts";
import type { CheckCommand, CheckOutcome } from "../model/agent_fixture.ts";
import type {
  AgentDialog,
  AgentExit,
  AgentSessionRequest,
  AgentStop,
  CollectedSession,
  PreparedAgent,
} from "../model/agent_session.ts";
import type { Spending } from "../model/budget.ts";
import type { JudgedRequest, PlaybookEnd, Usage } from "../model/playbook.ts";
import type { HangInspection } from "../model/stuck.ts";
import { firstRequestMs } from "../playbook/agent_failures.ts";
import type { AgentSessionEvent } from "../playbook/agent_session_event.ts";
import { playbookMachine } from "../playbook_machine.ts";
import { callbackActor, slot } from "../slot.ts";
import type { TaskContext, TaskInput } from "../task/task.ts";

export interface AgentSessionInput extends TaskInput {
  readonly run: AgentSessionRequest;
}

export interface AgentWorkInput {
  requestId: string;
  run: AgentSessionRequest;
}

export interface AgentSessionContext extends TaskContext, AgentSessionInput {
  url: string | undefined;
  prepared: PreparedAgent | undefined;
  exit: AgentExit | undefined;
  /** Reason why the agent was stopped, the dialog that it showed last, and the inspection of its processes before a limit. */
  stop: { stopped?: AgentStop; dialog?: AgentDialog; inspection?: HangInspection };
  /** Turns of the playbook, and the cost of a real model. */
  played: PlaybookEnd & { spent: Spending };
  /** Findings once the agent has ended; `problems`: what went wrong in the teardown. */
  ended: {
    collected: CollectedSession | undefined;
    checks: Record<string, CheckOutcome>;
    problems: string[];
  };
}

export const noteItsUsage = {
  type: "noteUsage",
  params: ({ event }: { event: { usage: Usage | undefined } }) => ({ usage: event.usage }),
} as const;

export const playIt = {
  type: "askPlaybook",
  params: ({ event }: { event: { request: JudgedRequest } }) => ({ request: event.request }),
} as const;

export const noteItsDialog = {
  type: "noteDialog",
  params: ({ event }: { event: { dialog: AgentDialog } }) => ({ dialog: event.dialog }),
} as const;

export const tooLate = (what: string) => ({
  target: "#agentSession.serving.closing",
  actions: {
    type: "noteError",
    params: () => ({ error: new Error(`Cannot ${what}: it took too long`) }),
  },
} as const);

const checksOf = ({ run }: AgentSessionContext): CheckCommand[] => run.checks ?? [];

/** Input of slots that need nothing but the request. */
export const workInput = (
  { context: { requestId, run } }: { context: AgentSessionContext },
): AgentWorkInput => ({
  requestId,
  run,
});

/** Input of slots that work with the agent that is ready. */
export const preparedInput = (
  { context: { requestId, run, prepared } }: { context: AgentSessionContext },
): AgentWorkInput & { prepared: PreparedAgent } => ({ requestId, run, prepared: prepared! });

/** A session that has ended, for what is checked about it. */
export interface SessionCheckInput extends AgentWorkInput {
  collected: CollectedSession;
  /** Cost of a real model; undefined: a playbook answered. */
  spent: Spending | undefined;
}

export const checkInput = (
  { context: { requestId, run, ended, played } }: { context: AgentSessionContext },
): SessionCheckInput => ({
  requestId,
  run,
  collected: ended.collected!,
  spent: run.upstream === undefined ? undefined : played.spent,
});

/** Limits in ms: of the whole run, and of the time until the first request. */
export const wholeMs = ({ context }: { context: AgentSessionContext }) => context.run.timeoutMs;
export const firstMs = ({ context }: { context: AgentSessionContext }) =>
  firstRequestMs(context.prepared?.slowness);

export const agentSessionSetup = setup({
  types: {
    context: {} as AgentSessionContext,
    input: {} as AgentSessionInput,
    events: {} as AgentSessionEvent,
  },
  actors: {
    playbook: playbookMachine,
    /** Serves the model; hears the playbook's facts. */
    serve: callbackActor<AgentWorkInput>("agent_session.serve"),
    /** Lays out the project that the agent begins with. */
    setUp: slot<void, AgentWorkInput>("agent_session.set_up"),
    prepare: slot<PreparedAgent, AgentWorkInput & { url: string }>("agent_session.prepare"),
    /** Runs the agent; hears `agent.stop`. */
    work: callbackActor<AgentWorkInput & { prepared: PreparedAgent }>("agent_session.work"),
    inspect: hangInspectionMachine,
    collect: slot<CollectedSession, AgentWorkInput & { prepared: PreparedAgent }>("agent_session.collect"),
    /** Runs the checks in the project; one that fails is an outcome. */
    check: slot<Record<string, CheckOutcome>, SessionCheckInput>("agent_session.check"),
    /** Resolves to what went wrong. */
    tearDown: slot<string[], AgentWorkInput>("agent_session.tear_down"),
  },
  actions: {
    noteError: assign((_, { error }: { error: unknown }) => ({ error })),
    noteDialog: assign(({ context: { stop } }, { dialog }: { dialog: AgentDialog }) => ({
      stop: { ...stop, dialog },
    })),
    noteStop: assign(({ context: { stop } }, { stopped }: { stopped: AgentStop }) => ({
      stop: { ...stop, stopped },
    })),
    noteInspection: assign(({ context: { stop } }, { inspection }: { inspection: HangInspection }) => ({
      stop: { ...stop, inspection },
    })),
    noteUsage: assign(({ context: { played, run } }, { usage = {} }: { usage: Usage | undefined }) => ({
      played: { ...played, spent: spentWith(played.spent, usage, run.budget) },
    })),
    refuseMore: sendTo(
      "playbook",
      ({ context }, { usage }: { usage: Usage | undefined }) => ({
        type: "playbook.broke",
        message: spendingStop(context, usage)!,
        upstream: true,
      }),
    ),
    noteCollected: assign((
      { context: { ended } },
      { collected }: { collected: CollectedSession },
    ) => ({ ended: { ...ended, collected } })),
    noteChecks: assign((
      { context: { ended } },
      { checks }: Pick<AgentSessionContext["ended"], "checks">,
    ) => ({
      ended: { ...ended, checks },
    })),
    noteProblems: assign((
      { context: { ended } },
      { problems }: Pick<AgentSessionContext["ended"], "problems">,
    ) => ({ ended: { ...ended, problems } })),
    noteCancel: assign({ cancelled: true, error: () => cancelledError("the agent session") }),
    askPlaybook: sendTo("playbook", (_, { request }: { request: JudgedRequest }) => ({
      type: "playbook.requested",
      request,
    })),
    askToStop: sendTo("work", { type: "agent.stop" }),
    endPlaybook: sendTo("playbook", { type: "playbook.end" }),
    tellServer: sendTo("serve", ({ event }) => event),
  },
  guards: {
    isCancelled: ({ context }) => context.cancelled,
    hasFailed: ({ context: { error, ended } }) => error !== undefined || ended.collected === undefined,
    hasStart: ({ context }) => context.run.start !== undefined,
    hasChecks: ({ context }) => checksOf(context).length > 0,
    /** A project that was begun with, at least in part. */
    hasTeardown: ({ context: { run, url } }) =>
      url !== undefined && run.start !== undefined && (run.teardown ?? []).length > 0,
    isOverBudget: ({ context }, { usage }: { usage: Usage | undefined }) =>
      spendingStop(context, usage) !== undefined,
    /** One reason is enough. */
    isStopping: stateIn({ serving: { running: "stopping" } }),
    isSilent: stateIn({ serving: { running: "waiting" } }),
    /** The time until its first request is nearly over, before the whole time is. */
    isLate: and([
      stateIn({ serving: { running: "waiting" } }),
      ({ context }) => firstMs({ context }) < wholeMs({ context }),
    ]),
    isAsking: or([
      stateIn({ serving: { running: "asking" } }),
      stateIn({ serving: { running: "askingAtWork" } }),
    ]),
  },
  /** In ms. */
  delays: {
    whole: wholeMs,
    nearlyWhole: ({ context }) => calmMs(wholeMs({ context })),
    firstRequest: firstMs,
    nearlyFirst: ({ context }) => calmMs(firstMs({ context })),
    refused: 30_000,
    linger: 30_000,
    dialog: 10_000,
    dialogAtWork: 30_000, // a tool may run meanwhile
    stop: 30_000,
    preparation: 300_000, // an emulated machine takes minutes for an agent of hundreds of MB
    collection: 30_000,
    checks: ({ context }) => checksOf(context).reduce((sum, { timeoutMs }) => sum + timeoutMs, 10_000),
    teardown: 60_000,
  },
});
