/** Types, slots, actions and guards of the iteration machine. */
import { assign, sendTo, setup } from "xstate";
import type { DiagnosisReport, FailureGroup } from "../model/diagnosis.ts";
import type { FixRecord } from "../model/fix.ts";
import type {
  IterationOutcome,
  IterationPhase,
  IterationRecord,
  IterationRun,
  TestStatuses,
  TestStatusSummary,
} from "../model/iteration.ts";
import { parentRef } from "../parent_ref.ts";
import type { IterationInput } from "../model/iteration.ts";
import { slot } from "../slot.ts";
import { assessConvergence, isGreen, staleIterations } from "./assess_convergence.ts";
import {
  beginIteration,
  isPartial,
  isUnknown,
  type IterationDiagnosed,
  type IterationFixed,
  type IterationReloaded,
  type IterationState,
  type IterationTested,
  type RecordDraft,
  remainingCauses,
} from "./iteration_state.ts";

export type IterationEvent =
  | { type: "iteration.run"; run: IterationRun; standing: TestStatusSummary; statuses: TestStatuses }
  | { type: "iteration.cancel" };

/** Facts for the session. */
export type IterationFact =
  | { type: "iteration.ended"; outcome: IterationOutcome }
  | { type: "iteration.failed"; error: unknown }
  | { type: "iteration.phase"; iteration: number; phase: IterationPhase };

export interface RunTestsStep {
  number: number;
  /** `confirming` runs all tests, the others those of the run's scope. */
  phase: "testing" | "retesting" | "confirming";
  run: IterationRun;
  /** Commits of the fixes that were just made. */
  commits?: string[];
}

export interface FixStep {
  number: number;
  run: IterationRun;
  diagnosis: DiagnosisReport | undefined;
  records: IterationRecord[];
}

export interface ReloadStep {
  number: number;
  run: IterationRun;
}

export interface RecordStep {
  draft: RecordDraft;
  /** Earlier iterations. */
  records: IterationRecord[];
  /** Root causes of what failed before the turn. */
  groups: FailureGroup[];
}

interface IterationContext extends IterationInput {
  run: IterationRun;
  turn: IterationState | undefined;
  /** Number of records when the run began. */
  begunWith: number;
  /** Commits of the run. */
  commits: FixRecord[];
  cancelled: boolean;
  error: unknown;
}

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
    /** Brings the plugin up where it is not, and runs tests. */
    test: slot<IterationTested, RunTestsStep>("iteration.test"),
    diagnose: slot<IterationDiagnosed, { number: number }>("iteration.diagnose"),
    /** Applies the given fixes, or asks the fixer for one for each root cause; each is a commit. */
    fix: slot<IterationFixed, FixStep>("iteration.fix"),
    /** Makes the plugin run as the branch has it, and tests for tools that are new or changed. */
    reload: slot<IterationReloaded, ReloadStep>("iteration.reload"),
    /** Samples the environment's health and writes the checkpoint. */
    record: slot<IterationRecord, RecordStep>("iteration.record"),
  },
  actions: {
    begin: assign({
      run: ({ event }) => event.type === "iteration.run" ? event.run : noRun,
      begunWith: ({ context }) => context.records.length,
      commits: [],
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
    noteFixes: assign({
      turn: ({ context }, fixed: IterationFixed) => ({
        ...context.turn!,
        fixed,
        timings: { ...context.turn!.timings, fix: fixed.ms },
      }),
      commits: ({ context }, { fixes }: IterationFixed) => [...context.commits, ...fixes],
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
      records: ({ context }, record: IterationRecord) => [...context.records, record],
      last: (_, { number }: IterationRecord) => number,
    }),
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
