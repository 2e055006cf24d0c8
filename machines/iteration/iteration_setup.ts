/** Types, slots, steps, actions and guards of the iteration machine. */
import { and, assign, cancel, enqueueActions, not, or, raise, sendTo, setup, stateIn } from "xstate";
import type { CheckpointArgs } from "../model/branch_work.ts";
import type { DiagnosisReport, FailureGroup } from "../model/diagnosis.ts";
import type { FixRecord, FixRequest } from "../model/fix.ts";
import type {
  Convergence,
  IterationOutcome,
  IterationPhase,
  IterationRecord,
  IterationRun,
  TestStatuses,
  TestStatusSummary,
} from "../model/iteration.ts";
import { parentRef } from "../parent_ref.ts";
import type { IterationInput } from "../model/iteration.ts";
import type { ReloadReport } from "../model/reload_report.ts";
import type { PluginInfo } from "../model/session.ts";
import type { SuiteOptions } from "../model/suite_options.ts";
import type { UnsentRequests } from "../session/session_requests.ts";
import { slot } from "../slot.ts";
import { branchStep, sessionStep } from "../task/session_step.ts";
import { stepId } from "../task/task.ts";
import { assessConvergence, isGreen, staleIterations } from "./assess_convergence.ts";
import {
  beginIteration,
  isPartial,
  isRefusedFix,
  isReloadReport,
  isUnknown,
  type IterationDiagnosed,
  type IterationReloaded,
  type IterationState,
  type IterationTested,
  type RecordDraft,
  type RefusedFix,
  remainingCauses,
} from "./iteration_state.ts";

export type IterationEvent =
  | {
    type: "iteration.run";
    run: IterationRun;
    standing: TestStatusSummary;
    statuses: TestStatuses;
    /** Id of the outside's request at whose root it is. */
    caller: string;
  }
  | { type: "iteration.cancel" }
  /** The step under way has not answered its cancel in time. */
  | { type: "iteration.give_up" }
  /** A slot or a step has failed. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** Facts for the session. */
export type IterationFact =
  | { type: "iteration.ended"; outcome: IterationOutcome }
  | { type: "iteration.failed"; error: unknown }
  | { type: "iteration.phase"; iteration: number; phase: IterationPhase }
  | { type: "iteration.reloaded"; reload: ReloadReport }
  | { type: "iteration.recorded"; record: IterationRecord; convergence: Convergence }
  | { type: "fix.committed"; iteration: number; fix: FixRecord }
  | { type: "fix.refused"; iteration: number; title: string; reason: string };

/** A request that brings the plugin up as the branch has it. */
export type LoadStepRequest = UnsentRequests["session.load_plugin" | "session.reload_plugin"];

/** A load or a reload, and what it came to. */
export interface SettleLoadStep {
  run: IterationRun;
  /** Fixes may have caused a failure. */
  withFixes: boolean;
  request: LoadStepRequest;
  loaded: PluginInfo | ReloadReport | undefined;
  /** Error that it failed with. */
  failure: unknown;
}

export interface ChooseTestsStep {
  number: number;
  /** `confirming` runs all tests, the others those of the run's scope. */
  phase: "testing" | "retesting" | "confirming";
  run: IterationRun;
  /** Commits of the fixes that were just made. */
  commits: string[];
}

/** Tests that run next. */
export interface ChosenTests {
  suite: SuiteOptions;
  /** Only tests that the fixes affect, and those that had failed. */
  partial: boolean;
}

export interface ProposeStep {
  number: number;
  run: IterationRun;
  diagnosis: DiagnosisReport | undefined;
  records: IterationRecord[];
  /** Number of proposals, and of root causes without one, that came before. */
  index: number;
}

/** A fix to apply, or the reason why there is none for its root cause; neither after the last one. */
export interface Proposed {
  proposal?: FixRequest;
  refused?: RefusedFix;
  /** Since the first proposal was asked for. */
  ms: number;
}

export interface RecordStep {
  draft: RecordDraft;
  /** Earlier iterations. */
  records: IterationRecord[];
  /** Root causes of what failed before the turn. */
  groups: FailureGroup[];
}

/** An iteration's record, and the state of the session to save with it. */
export interface IterationSummary {
  record: IterationRecord;
  checkpoint: CheckpointArgs;
}

/** Results of slots that the next step of the turn works with. */
interface PreparedSteps {
  load?: LoadStepRequest | undefined;
  loaded?: PluginInfo | ReloadReport | undefined;
  loadFailure?: unknown;
  /** Reason why the plugin does not run as the branch has it. */
  loadError?: string | undefined;
  tests?: ChosenTests;
  proposal?: FixRequest | undefined;
  summary?: IterationSummary;
}

interface IterationContext extends IterationInput {
  run: IterationRun;
  /** Id of the outside's request at the root of the run. */
  caller: string;
  turn: IterationState | undefined;
  /** Number of records when the run began. */
  begunWith: number;
  /** Commits of the run. */
  commits: FixRecord[];
  prepared: PreparedSteps;
  cancelled: boolean;
  error: unknown;
}

/** Limit in ms for the step under way to answer its cancel; then the run is answered without it. */
const giveUpMs = 3000;

const defaults = { maxIterations: 1, patience: 3 };
export const noRun: IterationRun = {};

function outcomeOf(context: IterationContext, awaiting: boolean): IterationOutcome {
  const turn = context.turn!;
  const green = isGreen(turn.after) && !awaiting && !context.cancelled;
  const diagnosis = turn.diagnosis;
  return {
    state: awaiting ? "awaiting_fixes" : green ? "green" : "stopped",
    ...(awaiting || green ? {} : { reason: stopReason(context) }),
    iteration: turn.number,
    records: context.records.slice(context.begunWith),
    convergence: assessConvergence(context.records, remainingCauses(diagnosis?.groups ?? [], turn.after)),
    standing: turn.after,
    ...(awaiting && diagnosis ? { diagnosis } : {}),
    fixes: context.commits,
  };
}

function stopReason(context: IterationContext): NonNullable<IterationOutcome["reason"]> {
  if (context.cancelled) return "cancelled";
  return isStuck(context) ? "no_progress" : "max_iterations";
}

const ranIterations = ({ records, begunWith }: IterationContext) => records.length - begunWith;
const isStuck = (context: IterationContext) =>
  Math.min(staleIterations(context.records), ranIterations(context)) >=
    (context.run.patience ?? defaults.patience);

export const iterationSetup = setup({
  types: {
    context: {} as IterationContext,
    input: {} as IterationInput,
    events: {} as IterationEvent,
  },
  actors: {
    /** Says how the plugin is to be brought up; resolves to undefined where it runs as the branch has it. */
    inspect: slot<LoadStepRequest | undefined, { run: IterationRun; changed: boolean }>("iteration.inspect"),
    load: sessionStep<"session.load_plugin" | "session.reload_plugin">(),
    /** Makes tests for tools that are new or changed; rejects with what no fix can change. */
    settleLoad: slot<IterationReloaded, SettleLoadStep>("iteration.settle_load"),
    chooseTests: slot<ChosenTests, ChooseTestsStep>("iteration.choose_tests"),
    runTests: sessionStep<"session.run_tests">(),
    /** Reads how the tests stand. */
    readStatus: slot<Omit<IterationTested, "partial">, { loadError: string | undefined }>(
      "iteration.read_status",
    ),
    diagnose: slot<IterationDiagnosed, void>("iteration.diagnose"),
    /** Takes the next of the given fixes, or asks the fixer about the next root cause. */
    propose: slot<Proposed, ProposeStep>("iteration.propose"),
    apply: sessionStep<"session.apply_fix">(),
    dropSnapshots: branchStep<"drop_fix_snapshots">(),
    /** Samples the environment's health and gathers what is to be saved. */
    summarize: slot<IterationSummary, RecordStep>("iteration.summarize"),
    checkpoint: branchStep<"checkpoint">(),
  },
  delays: { giveUp: giveUpMs },
  actions: {
    begin: assign({
      run: ({ event }) => event.type === "iteration.run" ? event.run : noRun,
      caller: ({ event }) => event.type === "iteration.run" ? event.caller : "",
      begunWith: ({ context }) => context.records.length,
      commits: [],
      prepared: {},
      cancelled: false,
      turn: ({ context, event }) => {
        if (event.type !== "iteration.run") return context.turn;
        const awaited = context.turn?.diagnosis && context.turn.number > context.last;
        const turn = beginIteration(context.last + 1, event.standing, event.statuses);
        if (!awaited || !event.run.fixes) return turn;
        // Fixes answer the diagnosis that they were awaited for.
        const statuses = { before: context.turn!.statuses.before, after: event.statuses };
        return { ...turn, ...context.turn!, after: event.standing, statuses };
      },
    }),
    nextTurn: assign({
      turn: ({ context }) =>
        beginIteration(context.last + 1, context.turn!.after, context.turn!.statuses.after),
      // Given fixes were for the first turn.
      run: ({ context: { run: { fixes: _given, ...run } } }) => run,
    }),
    noteTests: assign({
      turn: ({ context }, { standing, statuses, ms }: IterationTested) => ({
        ...context.turn!,
        before: standing,
        after: standing,
        statuses: { before: statuses, after: statuses },
        timings: { ...context.turn!.timings, test: ms },
      }),
    }),
    noteRetest: assign({
      turn: ({ context }, { standing, statuses: now, ms }: IterationTested) => {
        const { timings, ...turn } = context.turn!;
        const statuses = { before: turn.statuses.before, after: now };
        return {
          ...turn,
          after: standing,
          statuses,
          timings: { ...timings, retest: (timings.retest ?? 0) + ms },
        };
      },
    }),
    noteDiagnosis: assign({
      turn: ({ context }, { diagnosis, ms }: IterationDiagnosed) => ({
        ...context.turn!,
        diagnosis,
        timings: { ...context.turn!.timings, diagnose: ms },
      }),
    }),
    prepare: assign({
      prepared: ({ context }, prepared: PreparedSteps) => ({ ...context.prepared, ...prepared }),
    }),
    beginFixing: assign({
      turn: ({ context }) => ({ ...context.turn!, fixed: { fixes: [], refused: [] } }),
    }),
    noteFix: assign({
      turn: ({ context: { turn } }, { fix }: { fix: FixRecord }) => ({
        ...turn!,
        fixed: { ...turn!.fixed!, fixes: [...turn!.fixed!.fixes, fix] },
      }),
      commits: ({ context }, { fix }: { fix: FixRecord }) => [...context.commits, fix],
    }),
    noteRefused: assign({
      turn: ({ context: { turn } }, refused: RefusedFix) => ({
        ...turn!,
        fixed: { ...turn!.fixed!, refused: [...turn!.fixed!.refused, refused] },
      }),
    }),
    noteFixed: assign({
      turn: ({ context }, { ms }: { ms: number }) => ({
        ...context.turn!,
        timings: { ...context.turn!.timings, fix: ms },
      }),
    }),
    noteReload: assign({
      turn: ({ context }, reloaded: IterationReloaded) => {
        const { after, timings, ...turn } = context.turn!;
        const { loadError: _mended, ...standing } = after;
        const { loadError, ms } = reloaded;
        const now = loadError === undefined ? standing : { ...standing, loadError };
        return { ...turn, reloaded, after: now, timings: { ...timings, reload: ms } };
      },
    }),
    keepRecord: assign({
      records: ({ context }) => [...context.records, context.prepared.summary!.record],
      last: ({ context }) => context.prepared.summary!.record.number,
    }),
    tellRecord: sendTo(parentRef, ({ context: { records, turn } }): IterationFact => ({
      type: "iteration.recorded",
      record: records.at(-1)!,
      convergence: assessConvergence(records, remainingCauses(turn!.diagnosis?.groups ?? [], turn!.after)),
    })),
    tellFix: sendTo(parentRef, ({ context }, { fix }: { fix: FixRecord }): IterationFact => ({
      type: "fix.committed",
      iteration: context.turn!.number,
      fix,
    })),
    tellRefused: sendTo(parentRef, ({ context }, { title, reason }: RefusedFix): IterationFact => ({
      type: "fix.refused",
      iteration: context.turn!.number,
      title,
      reason,
    })),
    /** A load is known to the session. */
    tellReload: enqueueActions(({ enqueue }, { loaded }: { loaded: PluginInfo | ReloadReport }) => {
      if (!isReloadReport(loaded)) return;
      enqueue.sendTo(parentRef, { type: "iteration.reloaded", reload: loaded } satisfies IterationFact);
    }),
    cancelStep: sendTo(stepId, { type: "task.cancel" }),
    giveUpLater: raise({ type: "iteration.give_up" }, { delay: "giveUp", id: "giveUp" }),
    waitNoMore: cancel("giveUp"),
    answer: sendTo(parentRef, ({ context }, { awaiting }: { awaiting: boolean }): IterationFact => ({
      type: "iteration.ended",
      outcome: outcomeOf(context, awaiting),
    })),
    tellPhase: sendTo(parentRef, ({ context }, { phase }: { phase: IterationPhase }): IterationFact => ({
      type: "iteration.phase",
      iteration: context.turn!.number,
      phase,
    })),
    noteCancel: assign({ cancelled: true }),
    noteError: assign({ error: (_, { error }: { error: unknown }) => error }),
    fail: sendTo(parentRef, ({ context }): IterationFact => ({
      type: "iteration.failed",
      error: context.error,
    })),
  },
  guards: {
    isCancelled: ({ context }) => context.cancelled,
    /** A request to the session is under way, which can be cancelled. */
    isAsking: or([
      stateIn({ working: { testing: "loading" } }),
      stateIn({ working: { testing: "running" } }),
      stateIn({ working: { fixing: "applying" } }),
      stateIn({ working: { reloading: "loading" } }),
      stateIn({ working: { retesting: "running" } }),
      stateIn({ working: { confirming: "running" } }),
    ]),
    /** A cancel ends the run when the iteration is recorded: what is on the branch is in the history, too. */
    isRecording: stateIn({ working: "recording" }),
    /** The run was cancelled, and no request is under way whose answer is waited for. */
    endsCancelled: and(["isCancelled", not("isAsking"), not("isRecording")]),
    needsNoLoad: (_, { request }: { request: LoadStepRequest | undefined }) => request === undefined,
    loadFailed: (_, { loadError }: IterationReloaded) => loadError !== undefined,
    /** Tests that a part of the suite left out may still fail. */
    passesInPart: ({ context: { run, prepared } }, { standing }: Pick<IterationTested, "standing">) =>
      (isPartial(run) || prepared.tests!.partial) && isGreen(standing),
    isProposed: (_, { proposal }: Proposed) => proposal !== undefined,
    isRefused: (_, { refused }: Proposed) => refused !== undefined,
    isRefusal: (_, { error }: { error: unknown }) => isRefusedFix(error),
    madeFixes: ({ context }) => context.turn!.fixed!.fixes.length > 0,
    hasFixes: ({ context }) => context.run.fixes !== undefined,
    isGreen: ({ context }) => isGreen(context.turn!.after),
    mustConfirm: ({ context }) => isPartial(context.run) && isGreen(context.turn!.after),
    hasFixer: ({ context }) => context.run.fixer !== undefined,
    isSettled: ({ context }) => context.run.fixes !== undefined && !isUnknown(context.turn!.after),
    goesOn: ({ context }) =>
      !context.cancelled && !isGreen(context.turn!.after) && !isStuck(context) &&
      ranIterations(context) < (context.run.maxIterations ?? defaults.maxIterations),
  },
});
