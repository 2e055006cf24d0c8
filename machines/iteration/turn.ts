/** One turn of the loop as it goes on, and what is left of it: a record (PTH design §5.6). */
import type { DiagnosisReport, FailureGroup } from "../model/diagnosis.ts";
import type { FixRecord } from "../model/fix.ts";
import type { IterationRecord, IterationRun, Standing, StepName } from "../model/iteration.ts";

/** Each step says how long it took, in milliseconds. */
interface Timed {
  ms: number;
}

export interface Tested extends Timed {
  standing: Standing;
  /** Only tests that the fixes affect ran, and what had failed. */
  partial?: boolean;
}

export interface Diagnosed extends Timed {
  diagnosis: DiagnosisReport;
}

export interface Fixed extends Timed {
  fixes: FixRecord[];
  refused: IterationRecord["refused"];
}

export interface Reloaded extends Timed {
  tools?: IterationRecord["tools"];
  newTests: number;
  /** Why the plugin does not run with the fixes. */
  loadError?: string;
}

/** All that the record step does not find out itself. */
export type RecordDraft = Omit<IterationRecord, "at" | "health">;

export interface Turn {
  number: number;
  before: Standing;
  after: Standing;
  diagnosis: DiagnosisReport | undefined;
  fixed: Fixed | undefined;
  reloaded: Reloaded | undefined;
  timings: { [step in StepName]?: number };
}

export const beginTurn = (number: number, standing: Standing): Turn => ({
  number,
  before: standing,
  after: standing,
  diagnosis: undefined,
  fixed: undefined,
  reloaded: undefined,
  timings: {},
});

export function draftOf({ number, before, after, diagnosis, fixed, reloaded, timings }: Turn): RecordDraft {
  const failedBefore = new Set(before.failing.map(({ id }) => id));
  const failsNow = new Set(after.failing.map(({ id }) => id));
  const comparable = before.loadError === undefined && after.loadError === undefined;
  return {
    number,
    before,
    after,
    mended: comparable ? before.failing.filter(({ id }) => !failsNow.has(id)).map(({ name }) => name) : [],
    broken: comparable ? after.failing.filter(({ id }) => !failedBefore.has(id)).map(({ name }) => name) : [],
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

/** No test has a result yet. */
export const isUnknown = ({ passed, skipped, failing, loadError }: Standing): boolean =>
  passed + skipped + failing.length === 0 && loadError === undefined;

/** Root causes of what still fails; those of a plugin that does not load are of no test. */
export function remainingCauses(groups: readonly FailureGroup[], now: Standing): FailureGroup[] {
  const failing = new Set(now.failing.map(({ id }) => id));
  return groups.filter(({ testIds }) => now.loadError !== undefined || testIds.some((id) => failing.has(id)));
}
