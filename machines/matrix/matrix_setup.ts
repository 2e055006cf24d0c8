/** Types, slots, actions and guards of the matrix machine. */
import { assign, sendTo, setup } from "xstate";
import type { FixRecord, FixRequest } from "../model/fix.ts";
import type { IterationOutcome, IterationRun } from "../model/iteration.ts";
import type {
  EntryResult,
  MatrixAnswer,
  MatrixEnd,
  MatrixEntry,
  MatrixEntryReport,
  MatrixPhase,
  MatrixRun,
} from "../model/matrix.ts";
import { parentRef } from "../parent_ref.ts";
import { slot } from "../slot.ts";
import {
  brokenReport,
  countUntested,
  type MatrixStop,
  seenBefore,
  type SeenEntry,
  seenOf,
  stopsOf,
} from "./matrix_stops.ts";

export type MatrixStep = "verifying" | "reverifying";

export type MatrixEvent =
  | { type: "matrix.run"; run: MatrixRun }
  | { type: "matrix.answer"; answer: MatrixAnswer }
  | { type: "matrix.cancel" };

/** Facts for the session. */
export type MatrixFact =
  | { type: "matrix.ended"; outcome: MatrixEnd }
  | { type: "matrix.failed"; error: unknown }
  | { type: "matrix.phase"; entry: string; phase: MatrixPhase };

export interface ProvisionStep {
  entry: MatrixEntry;
}

export interface Provisioned {
  environment: NonNullable<MatrixEntryReport["environment"]>;
  ms: number;
}

export interface TestEntryStep {
  entry: MatrixEntry;
  run: IterationRun;
  /** True if supplied fixes left failures, which are examined once more. */
  again: boolean;
}

/** Whole suite on the distribution before any fix. */
export interface EntryTestResult {
  outcome: IterationOutcome;
  look: EntryResult;
  ms: number;
}

export interface FixEntryStep {
  entry: MatrixEntry;
  run: IterationRun;
  /** Given ones; without them the run's fixer is asked. */
  fixes: FixRequest[] | undefined;
  phase: MatrixStep;
}

export interface MatrixContext {
  request: MatrixRun | undefined;
  stops: MatrixStop[];
  /** Index of the current stop. */
  index: number;
  /** By the entry's name, in the order of the first visit. */
  seen: SeenEntry[];
  /** Commits of the whole matrix run. */
  made: FixRecord[];
  fixes: FixRequest[] | undefined;
  /** Outcome of the current stop while it awaits fixes. */
  awaited: IterationOutcome | undefined;
  again: boolean;
}

/** Tells the last visit of the primary entry apart: fixes for others must not have harmed it. */
export const phaseOf = ({ stops, index }: MatrixContext): MatrixStep =>
  stops[index]!.again ? "reverifying" : "verifying";

export const entryAt = ({ stops, index }: MatrixContext): MatrixEntry => stops[index]!.entry;

/** The report of the stop under way, changed. */
function changed(context: MatrixContext, change: (seen: SeenEntry) => SeenEntry): SeenEntry[] {
  const entry = entryAt(context);
  const known = context.seen.some(({ report }) => report.name === entry.name);
  const all = known ? context.seen : [...context.seen, seenOf(entry)];
  return all.map((one) => one.report.name === entry.name ? change(one) : one);
}

function endOf(context: MatrixContext, state: MatrixEnd["state"]): MatrixEnd {
  const { stops, index, seen, made, awaited, request } = context;
  const at = stops[Math.min(index, stops.length - 1)];
  // The primary one stands first, though it was visited last.
  const last = seen.find(({ report }) => report.name === request!.primary.name);
  const visited = last === undefined ? seen : [last, ...seen.filter((one) => one !== last)];
  // Nothing is known of those that were not reached, and that is told.
  const unseen = [request!.primary, ...request!.others].filter(({ name }) =>
    seen.every(({ report }) => report.name !== name)
  );
  return {
    state,
    ...(at === undefined ? {} : { at: at.entry.name }),
    entries: [...visited, ...unseen.map(seenOf)],
    fixes: made,
    ...(state === "awaiting_fixes" && awaited ? { awaited } : {}),
    ...(index >= stops.length ? { primaryVerified: last?.report.state === "passed" } : {}),
  };
}

export const matrixSetup = setup({
  types: {
    context: {} as MatrixContext,
    events: {} as MatrixEvent,
  },
  actors: {
    /** Replaces the environment; a plugin that does not load there is looked at like any failure. */
    provision: slot<Provisioned, ProvisionStep>("matrix.provision"),
    /** One iteration without fixes: tests, and diagnoses what fails. */
    testEntry: slot<EntryTestResult, TestEntryStep>("matrix.test"),
    /** The loop, with fixes that were given or a fixer. */
    fixEntry: slot<EntryTestResult, FixEntryStep>("matrix.fix"),
  },
  actions: {
    begin: assign(({ context, event }) =>
      event.type !== "matrix.run" ? context : {
        ...context,
        request: event.run,
        stops: stopsOf(event.run),
        index: 0,
        seen: seenBefore(event.run),
        made: [],
        fixes: undefined,
        awaited: undefined,
        again: false,
      }
    ),
    noteEnvironment: assign({
      awaited: undefined,
      again: false,
      fixes: undefined,
      seen: ({ context }, { environment, ms }: Provisioned) =>
        changed(context, (one) => ({
          ...one,
          report: { ...one.report, environment, durationMs: one.report.durationMs + ms },
        })),
    }),
    noteBroken: assign({
      seen: ({ context }, { error }: { error: unknown }) =>
        changed(context, (one) => ({ ...one, report: brokenReport(one.report, error) })),
    }),
    noteLook: assign({
      awaited: (_, { outcome }: EntryTestResult) => outcome,
      seen: ({ context }, looked: EntryTestResult) =>
        changed(context, (one) => {
          const first = context.again || one.report.failedFirst !== undefined;
          const failedFirst = looked.outcome.standing.failing.map(({ id }) => id);
          const seen = withLook(one, looked);
          const report = first ? seen.report : { ...seen.report, failedFirst };
          // The first look stays, but for what the fixes for others broke.
          const harmed = context.stops[context.index]!.again && failedFirst.length > 0;
          return { ...seen, report, look: harmed ? looked.look : one.look ?? looked.look };
        }),
    }),
    noteMended: assign({
      awaited: (_, { outcome }: EntryTestResult) => outcome,
      made: ({ context }, { outcome }: EntryTestResult) => [...context.made, ...outcome.fixes],
      seen: ({ context }, mended: EntryTestResult) => {
        const { fixes } = mended.outcome;
        const now = changed(context, (one) => ({
          ...withLook(one, mended),
          ...(one.look === undefined ? {} : { look: one.look }),
        }));
        return countUntested(now, entryAt(context), fixes);
      },
    }),
    takeFixes: assign({
      fixes: ({ context, event }) =>
        event.type === "matrix.answer" && "fixes" in event.answer ? event.answer.fixes : context.fixes,
    }),
    lookAgain: assign({ again: true, fixes: undefined }),
    goOn: assign({ index: ({ context }) => context.index + 1 }),
    answer: sendTo(
      parentRef,
      ({ context }, { state }: { state: MatrixEnd["state"] }): MatrixFact => ({
        type: "matrix.ended",
        outcome: endOf(context, state),
      }),
    ),
    tellPhase: sendTo(parentRef, ({ context }, { phase }: { phase: MatrixPhase }): MatrixFact => ({
      type: "matrix.phase",
      entry: entryAt(context).name,
      phase,
    })),
    /** A step could not do its work: the next request begins anew. */
    fail: sendTo(
      parentRef,
      (_, { error }: { error: unknown }): MatrixFact => ({ type: "matrix.failed", error }),
    ),
  },
  guards: {
    isOver: ({ context: { index, stops } }) => index >= stops.length,
    passes: ({ context: { awaited } }) => awaited?.state === "green",
    hasFixer: ({ context: { request } }) => request?.run.fixer !== undefined,
    isCancelled: ({ context: { awaited } }) => awaited?.reason === "cancelled",
    allPass: ({ context: { seen } }) => seen.every(({ report }) => report.state === "passed"),
  },
});

/** Adds the current test status there. */
function withLook(one: SeenEntry, { outcome, look, ms }: EntryTestResult): SeenEntry {
  const { summary: _old, error: _mended, ...report } = one.report;
  return {
    ...one,
    report: {
      ...report,
      ...(look.environment === undefined ? {} : { environment: look.environment }),
      ...(look.error === undefined
        ? { state: stateOf(outcome, look), summary: look.summary }
        : { state: "broken" as const, error: look.error }),
      durationMs: report.durationMs + ms,
      untestedFixes: 0,
    },
  };
}

/** Tells whether anything was shown: nothing is where no test passed, though none fails. */
const stateOf = ({ state }: IterationOutcome, { summary }: EntryResult): MatrixEntryReport["state"] =>
  state === "green" && summary.passed + summary.flaky > 0 && summary.failed === 0 ? "passed" : "failed";
