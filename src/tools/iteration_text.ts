/** What the loop came to, for a model that drives it: the design's blocks, then what to do next (PTH design §8). */
import { failedOf } from "../../machines/iteration/turn.ts";
import type { FixRecord } from "../../machines/model/fix.ts";
import type { IterationOutcome, IterationRecord, Standing } from "../../machines/model/iteration.ts";
import { convergenceText, fixText, refusedText, testingText } from "../iteration/texts.ts";
import { cutLists } from "./capped.ts";
import { diagnosisData, diagnosisText } from "./diagnosis_text.ts";
import { count, firstLine, lines, listed } from "./words.ts";

/** Iterations that are told block by block; the convergence tells of all. */
const recordsShown = 3;
const fixesShown = 8;
/** Of structured answers. */
const recordsGiven = 10;
const failingGiven = 50;
const commitsGiven = 20;
/** Of each list of a record. */
const rowsGiven = 4;

export function outcomeText(outcome: IterationOutcome): string {
  const { state, records, convergence, diagnosis, iteration, standing } = outcome;
  const shown = records.slice(-recordsShown);
  return [
    records.length > shown.length && `… ${count(records.length - shown.length, "iteration")} before`,
    ...shown.map((record) => recordText(record, outcome.fixes)),
    (state === "awaiting_fixes" || records.length === 0) && testingText(iteration, standing),
    convergence.progress.length > 0 && convergenceText(convergence, convergence.progress.length - 1),
    diagnosis && diagnosisText(diagnosis, ["source"]),
    nextText(outcome),
  ].filter((part) => part !== false && part !== undefined).join("\n\n");
}

/** What one iteration did, and where it left the tests. */
function recordText(record: IterationRecord, fixes: readonly FixRecord[]): string {
  const { number, before, after, refused, tools, newTests, health, broken, appeared = [] } = record;
  const made = record.fixes.map((fix) => {
    const known = fixes.find(({ commit }) => commit === fix.commit);
    return fixText(number, known ?? { ...fix, body: "", type: "fix", tests: [], at: record.at });
  });
  const turnedDown = refused.map(({ title, reason }) => refusedText(number, title, reason));
  return lines(
    ...listed([...made, ...turnedDown], fixesShown, "more fixes; pth_get_fix_history tells all"),
    testingText(number, after, { passed: before.passed, total: before.total, iteration: number - 1 }),
    broken.length > 0 && `Broken: ${listed(broken.map((name) => firstLine(name, 80)), 5).join(", ")}`,
    appeared.length > 0 &&
      `Failing without an earlier result: ${
        listed(appeared.map((name) => firstLine(name, 80)), 5).join(", ")
      }`,
    toolsText(tools),
    newTests > 0 && `Tests for new and changed tools: ${newTests}`,
    health.length > 0 && `Environment: ${listed(health.map((problem) => firstLine(problem)), 3).join(" ")}`,
  );
}

function toolsText(tools: IterationRecord["tools"]): string | undefined {
  if (!tools) return undefined;
  const parts = ([["added", tools.added], ["removed", tools.removed], ["changed", tools.changed]] as const)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${listed(names, 10).join(", ")}`);
  return parts.length === 0 ? undefined : `Tools: ${parts.join("; ")}`;
}

/** Said of an outcome: what whoever drives does now. */
function nextText({ state, reason, diagnosis, standing, convergence, records }: IterationOutcome): string {
  if (state === "green") {
    if (standing.passed === 0) {
      return `Next: no test fails, but none passed either (${standing.skipped} of ${standing.total} were skipped; ` +
        "pth_get_test_results says why): nothing is shown yet. pth_create_test.";
    }
    return standing.skipped === 0
      ? "Next: every test passes. pth_end_session({}), or more tests with pth_create_test."
      : `Next: no test fails, ${standing.skipped} were skipped (pth_get_test_results says why). pth_end_session({}).`;
  }
  if (state === "awaiting_fixes") {
    const groups = diagnosis?.groups.length ?? 0;
    return `Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }), one fix for each root cause you can mend` +
      `${
        groups > 1 ? ` (${groups} of them; the largest first)` : ""
      }; then it reloads and retests. Read more of the source in the ` +
      'worktree, or pth_diagnose_failure({ test, detail: ["source", "stderr", "exchange"] }).';
  }
  if (reason === "cancelled") {
    return "Next: it was cancelled; what was committed stays. Run it again to go on.";
  }
  const because = reason === "no_progress"
    ? "it got no further"
    : records.length === 1
    ? "that was the one iteration asked for"
    : "all iterations asked for were made";
  const revert = convergence.trend === "regressing" || convergence.trend === "oscillating"
    ? " pth_revert_fix takes a fix back that did harm; pth_get_fix_history shows which."
    : "";
  return `Next: stopped, ${because}. Look at what still fails (pth_diagnose_failure({})), then pth_run_iteration({ fixes }), or ask the ` +
    `person whether the design should change.${revert}`;
}

export function outcomeData({ diagnosis, records, standing, fixes, ...outcome }: IterationOutcome) {
  const commits = fixes.map(({ commit, title, category, tests, files }) => ({
    commit,
    title,
    ...(category === undefined ? {} : { category }),
    ...cutLists({ tests, files }, rowsGiven),
  }));
  return {
    ...outcome,
    standing: standingData(standing),
    records: records.slice(-recordsGiven).map(recordData),
    ...cutLists({ fixes: commits }, commitsGiven),
    ...(diagnosis === undefined ? {} : { diagnosis: diagnosisData(diagnosis, []) }),
  };
}

export const standingData = (standing: Standing) => ({
  ...standing,
  failed: failedOf(standing),
  failing: standing.failing.slice(0, failingGiven),
});

/** What the iteration did, in figures and examples: there may be very many failures, and very many records. */
export function recordData(record: IterationRecord) {
  const { before, after, mended, broken, appeared = [], groups, fixes, refused, ...rest } = record;
  return {
    ...rest,
    before: figuresOf(before),
    after: figuresOf(after),
    ...cutLists({
      mended,
      broken,
      appeared,
      groups: groups.map((group) => ({ ...group, cause: firstLine(group.cause) })),
      fixes,
      refused: refused.map(({ title, reason }) => ({ title, reason: firstLine(reason, 200) })),
    }, rowsGiven),
  };
}

function figuresOf(standing: Standing) {
  const { failing: _names, ...figures } = standing;
  return { ...figures, failed: failedOf(standing) };
}
