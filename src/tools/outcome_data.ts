/** Diagnoses and outcomes of the loop as structured content, within bounds: failures and records may be very many. */
import { failedOf } from "../../machines/iteration/iteration_state.ts";
import type { IterationOutcome, IterationRecord, TestStatusSummary } from "../../machines/model/iteration.ts";
import { limitLists } from "./limit_items.ts";
import { firstLine } from "../core/text.ts";
import type { Diagnosis, DiagnosisReport, FailureGroup } from "../../machines/model/diagnosis.ts";

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
      groups: groups.map((group) => ({ ...group, cause: firstLine(group.cause, 120) })),
      fixes,
      refused: refused.map(({ title, reason }) => ({ title, reason: firstLine(reason, 200) })),
    }, rowsGiven),
  };
}

function figuresOf(standing: TestStatusSummary) {
  const { failing: _names, ...figures } = standing;
  return { ...figures, failed: failedOf(standing) };
}

export const groupsGiven = 20;
const testsGiven = 10;
const diagnosesGiven = 40;
/** Characters for failures that come whole. One that was asked for alone has room for all that was kept of it. */
const room = { alone: 400_000, detailed: 80_000, plain: 60_000 };

/** A root cause with the first of its tests. */
export const groupData = ({ cause, testIds, ...group }: FailureGroup) => ({
  ...group,
  cause: firstLine(cause, 300),
  ...limitLists({ testIds }, testsGiven),
});

/**
 * The groups' first failures come whole as long as there is room, the others in short.
 * @param detailed more room for them
 */
export function diagnosisData({ groups, diagnoses }: DiagnosisReport, detailed = false) {
  const firsts = new Set(groups.map(({ testIds }) => testIds[0]));
  const ordered = diagnoses.toSorted((a, b) => Number(firsts.has(b.testId)) - Number(firsts.has(a.testId)));
  let left = diagnoses.length === 1 ? room.alone : detailed ? room.detailed : room.plain;
  const given = ordered.slice(0, diagnosesGiven).map((diagnosis) => {
    const size = JSON.stringify(diagnosis).length;
    if (size > left) return inShort(diagnosis);
    left -= size;
    return diagnosis;
  });
  const leftOut = diagnoses.length - given.length;
  const { leftOut: causesLeftOut, ...causes } = limitLists({ groups: groups.map(groupData) }, groupsGiven);
  return {
    ...causes,
    diagnoses: given,
    ...(leftOut > 0 || causesLeftOut
      ? { leftOut: { diagnoses: leftOut, groups: causesLeftOut?.groups ?? 0 } }
      : {}),
  };
}

const inShort = (
  { testId, testName, tool, category, places, error, evidence, previousFixes }: Diagnosis,
) => ({
  testId,
  testName,
  ...(tool === undefined ? {} : { tool }),
  category,
  places: places.slice(0, 1),
  error: firstLine(error, 300),
  evidence: evidence.slice(0, 1).map((sentence) => firstLine(sentence, 200)),
  previousFixes: previousFixes.slice(0, 2),
  leftOut: "exchange, output, source and values: ask for this test alone",
});
