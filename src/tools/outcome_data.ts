/** Gives the loop's outcome as structured content, within bounds: failures and records may be very many. */
import { failedOf } from "../../machines/iteration/iteration_state.ts";
import type { IterationOutcome, IterationRecord, TestStatusSummary } from "../../machines/model/iteration.ts";
import { limitLists } from "./limit_items.ts";
import { diagnosisData } from "./diagnosis_data.ts";
import { firstLine } from "./text/format.ts";

const recordsGiven = 10;
const failingGiven = 50;
const commitsGiven = 20;
/** Rows of each list of a record. */
const rowsGiven = 4;

export function outcomeData({ diagnosis, records, standing, fixes, ...outcome }: IterationOutcome) {
  const commits = fixes.map(({ commit, title, category, tests, files }) => ({
    commit,
    title,
    ...(category === undefined ? {} : { category }),
    ...limitLists({ tests, files }, rowsGiven),
  }));
  return {
    ...outcome,
    standing: testStatusData(standing),
    records: records.slice(-recordsGiven).map(recordData),
    ...limitLists({ fixes: commits }, commitsGiven),
    ...(diagnosis === undefined ? {} : { diagnosis: diagnosisData(diagnosis) }),
  };
}

export const testStatusData = (standing: TestStatusSummary) => ({
  ...standing,
  failed: failedOf(standing),
  failing: standing.failing.slice(0, failingGiven),
});

/** Gives what the iteration did, in figures and examples. */
export function recordData(record: IterationRecord) {
  const { before, after, mended, broken, appeared = [], groups, fixes, refused, ...rest } = record;
  return {
    ...rest,
    before: figuresOf(before),
    after: figuresOf(after),
    ...limitLists({
      mended,
      broken,
      appeared,
      groups: groups.map((group) => ({ ...group, cause: firstLine(group.cause) })),
      fixes,
      refused: refused.map(({ title, reason }) => ({ title, reason: firstLine(reason, 200) })),
    }, rowsGiven),
  };
}

function figuresOf(standing: TestStatusSummary) {
  const { failing: _names, ...figures } = standing;
  return { ...figures, failed: failedOf(standing) };
}
