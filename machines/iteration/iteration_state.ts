/** One turn of the loop as it goes on, and what is left of it: a record. */
import type { DiagnosisReport, FailureGroup } from "../model/diagnosis.ts";
import type { FixRecord } from "../model/fix.ts";
import type { ReloadReport } from "../model/reload_report.ts";
import type { PluginInfo } from "../model/session.ts";
import type {
  IterationRecord,
  IterationRun,
  StepName,
  TestStatuses,
  TestStatusSummary,
} from "../model/iteration.ts";

/** Each step says how long it took, in milliseconds. */
interface Timed {
  ms: number;
}

export interface IterationTested extends Timed {
  standing: TestStatusSummary;
  /** The statuses that the standing was counted from. */
  statuses: TestStatuses;
  /** Only tests that the fixes affect ran, and what had failed. */
  partial?: boolean;
}

export interface IterationDiagnosed extends Timed {
  diagnosis: DiagnosisReport;
}

/** Root cause without a fix, or a proposal that was not applied, with the reason. */
export type RefusedFix = IterationRecord["refused"][number];

export interface IterationFixed {
  fixes: FixRecord[];
  refused: RefusedFix[];
}

export interface IterationReloaded extends Timed {
  tools?: IterationRecord["tools"];
  newTests: number;
  /** Reason why the plugin does not run with the fixes. */
  loadError?: string;
}

/** Whether a plugin was reloaded, rather than loaded. */
export const isReloadReport = (loaded: PluginInfo | ReloadReport): loaded is ReloadReport =>
  !Array.isArray(loaded.tools);

/** All that the record step does not find out itself. */
export type RecordDraft = Omit<IterationRecord, "at" | "health">;

export interface IterationState {
  number: number;
  before: TestStatusSummary;
  after: TestStatusSummary;
  /** The statuses that both were counted from. */
  statuses: { before: TestStatuses; after: TestStatuses };
  diagnosis: DiagnosisReport | undefined;
  fixed: IterationFixed | undefined;
  reloaded: IterationReloaded | undefined;
  timings: { [step in StepName]?: number };
}

/** Codes of a fix that is refused for what it is; others say that no fix can be made now. */
const refusals: ReadonlySet<unknown> = new Set(["EDIT_FAILED", "INVALID_INPUT", "UNSUPPORTED"]);

/** Whether the next fix may be tried after an error of one. */
export const isRefusedFix = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && refusals.has(error.code);

export const beginIteration = (
  number: number,
  standing: TestStatusSummary,
  statuses: TestStatuses = {},
): IterationState => ({
  number,
  before: standing,
  after: standing,
  statuses: { before: statuses, after: statuses },
  diagnosis: undefined,
  fixed: undefined,
  reloaded: undefined,
  timings: {},
});

/**
 * Lists tests that broke and tests that were fixed, where both results are known: one that passed before and
 * fails now is broken, the other way round fixed. A test that was not there, was skipped, flaky or never ran is
 * neither.
 */
function changesOf(
  { before, after, statuses }: IterationState,
): Pick<IterationRecord, "mended" | "broken" | "appeared" | "added" | "removed"> {
  if (before.loadError !== undefined || after.loadError !== undefined) return { mended: [], broken: [] };
  const was = (id: string) => Object.hasOwn(statuses.before, id) ? statuses.before[id] : undefined;
  const is = (id: string) => Object.hasOwn(statuses.after, id) ? statuses.after[id] : undefined;
  const names = (tests: TestStatusSummary["failing"]) => tests.map(({ name }) => name);
  const fails = after.failing.filter(({ id }) => is(id) === "failed");
  const appeared = names(fails.filter(({ id }) => was(id) !== "passed" && was(id) !== "failed"));
  const added = Object.keys(statuses.after).filter((id) => !Object.hasOwn(statuses.before, id)).length;
  const removed = Object.keys(statuses.before).filter((id) => !Object.hasOwn(statuses.after, id)).length;
  return {
    mended: names(before.failing.filter(({ id }) => was(id) === "failed" && is(id) === "passed")),
    broken: names(fails.filter(({ id }) => was(id) === "passed")),
    ...(appeared.length === 0 ? {} : { appeared }),
    ...(added === 0 ? {} : { added }),
    ...(removed === 0 ? {} : { removed }),
  };
}

export function draftOf(turn: IterationState): RecordDraft {
  const { number, before, after, diagnosis, fixed, reloaded, timings } = turn;
  return {
    number,
    before,
    after,
    ...changesOf(turn),
    groups: (diagnosis?.groups ?? []).map(({ id, cause, testIds }) => ({ id, cause, tests: testIds.length })),
    fixes: (fixed?.fixes ?? []).map(({ commit, title, files }) => ({ commit, title, files })),
    refused: fixed?.refused ?? [],
    ...(reloaded?.tools === undefined ? {} : { tools: reloaded.tools }),
    newTests: reloaded?.newTests ?? 0,
    timings,
  };
}

/** Whether the tests that a run chose may leave something unsaid about the others. */
export const isPartial = ({ scope = "all" }: IterationRun): boolean => scope !== "all";

/** Tests that fail, also those that are not listed. */
export const failedOf = ({ failing, failed = failing.length }: TestStatusSummary): number => failed;

/** No test has a result yet. */
export const isUnknown = (standing: TestStatusSummary): boolean =>
  standing.passed + standing.skipped + failedOf(standing) === 0 && standing.loadError === undefined;

/** Root causes of what still fails; those of a plugin that does not load are of no test. */
export function remainingCauses(groups: readonly FailureGroup[], now: TestStatusSummary): FailureGroup[] {
  const failing = new Set(now.failing.map(({ id }) => id));
  return groups.filter(({ testIds }) => now.loadError !== undefined || testIds.some((id) => failing.has(id)));
}
