/** Types, slots, steps, actions and guards of the matrix machine. */
import { assign, cancel, raise, sendTo, setup } from "xstate";
import type { EnvironmentConfig } from "../model/environment.ts";
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
import type { UnsentRequests } from "../session/session_requests.ts";
import { slot } from "../slot.ts";
import { sessionStep } from "../task/session_step.ts";
import { stepId } from "../task/task.ts";
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
  /** `caller` is the id of the outside's request at whose root it is. */
  | { type: "matrix.run"; run: MatrixRun; caller: string }
  | { type: "matrix.answer"; answer: MatrixAnswer; caller: string }
  | { type: "matrix.cancel" }
  /** The step under way has not answered its cancel in time. */
  | { type: "matrix.give_up" };

/** Facts for the session. */
export type MatrixFact =
  | { type: "matrix.ended"; outcome: MatrixEnd }
  | { type: "matrix.failed"; error: unknown }
  | { type: "matrix.phase"; entry: string; phase: MatrixPhase };

/** A new environment was asked for. */
export interface ConfirmStep {
  entry: MatrixEntry;
  /** Error that the request failed with. */
  failure: unknown;
}

export interface Provisioned {
  environment: NonNullable<MatrixEntryReport["environment"]>;
  ms: number;
}

/** Whole suite on the distribution before any fix. */
export interface EntryTestResult {
  outcome: IterationOutcome;
  look: EntryResult;
  ms: number;
}

/** Limit in ms for the step under way to answer its cancel; longer than that of the loop, which may be the step. */
const giveUpMs = 4000;

/** Results of slots and steps that the next step of the stop works with. */
interface PreparedEntry {
  config?: Partial<EnvironmentConfig>;
  failure?: unknown;
  iterate?: UnsentRequests["session.iterate"];
  outcome?: IterationOutcome;
}

export interface MatrixContext {
  request: MatrixRun | undefined;
  /** Id of the outside's request at the root of the run. */
  caller: string;
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
  /** True if supplied fixes left failures, which are examined once more. */
  again: boolean;
  prepared: PreparedEntry;
  cancelled: boolean;
}

/** Tells the last visit of the primary entry apart: fixes for others must not have harmed it. */
export const phaseOf = ({ stops, index }: MatrixContext): MatrixStep =>
  stops[index]!.again ? "reverifying" : "verifying";

export const entryAt = ({ stops, index }: MatrixContext): MatrixEntry => stops[index]!.entry;

/** One iteration on the current distribution without fixes. */
export function testRunOf(context: MatrixContext): IterationRun {
  const { fixer: _none, fixes: _not, maxIterations: _one, ...run } = context.request!.run;
  return { ...run, ...(context.again ? { scope: "failing" } : {}), distro: entryAt(context).distro };
}

/**
 * The loop on the current distribution, with fixes that were given or with the fixer. The primary entry's fixes are for
 * all; the loop asks the fixer about the latest failures, then runs everything.
 */
export function fixRunOf(context: MatrixContext): IterationRun {
  const { request, fixes } = context;
  const { distro } = entryAt(context);
  const { fixer: _none, maxIterations: _one, ...plain } = request!.run;
  return fixes === undefined
    ? { ...request!.run, scope: "failing", distroOnly: phaseOf(context) === "verifying", distro }
    : { ...plain, fixes, distro };
}

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
    /** Completes the configuration of a distribution's environment. */
    configure: slot<Partial<EnvironmentConfig>, { entry: MatrixEntry }>("matrix.configure"),
    replace: sessionStep<"session.replace_environment">(),
    /** Reads what is there now; a plugin that does not load there is looked at like any failure. */
    confirm: slot<Provisioned, ConfirmStep>("matrix.confirm"),
    /** Makes the request to iterate, as the tests stand now. */
    prepare: slot<UnsentRequests["session.iterate"], { run: IterationRun }>("matrix.prepare"),
    iterate: sessionStep<"session.iterate">(),
    /** Reads the results of the distribution. */
    readEntry: slot<EntryTestResult, { outcome: IterationOutcome }>("matrix.read_entry"),
  },
  delays: { giveUp: giveUpMs },
  actions: {
    begin: assign(({ context, event }) =>
      event.type !== "matrix.run" ? context : {
        ...context,
        request: event.run,
        caller: event.caller,
        prepared: {},
        cancelled: false,
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
    prepareStep: assign({
      prepared: ({ context }, prepared: PreparedEntry) => ({ ...context.prepared, ...prepared }),
    }),
    takeAnswer: assign({
      caller: ({ context, event }) => event.type === "matrix.answer" ? event.caller : context.caller,
      cancelled: false,
    }),
    noteCancel: assign({ cancelled: true }),
    cancelStep: sendTo(stepId, { type: "task.cancel" }),
    giveUpLater: raise({ type: "matrix.give_up" }, { delay: "giveUp", id: "giveUp" }),
    waitNoMore: cancel("giveUp"),
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
    isCancelled: ({ context: { awaited, cancelled } }) => cancelled || awaited?.reason === "cancelled",
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
