/** Tells a model that drives the loop what it came to: the design's blocks, then what to do next. */
import { failedOf } from "../../../machines/iteration/iteration_state.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type {
  IterationOutcome,
  IterationRecord,
  TestStatusSummary,
} from "../../../machines/model/iteration.ts";
import { convergenceText, fixText, refusedText, riskOf, testingText } from "../../fixers/iteration_texts.ts";
import { diagnosisText } from "./diagnosis_text.ts";
import { shortCommit } from "./fix_text.ts";
import { foldedNames } from "./folded_names.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

/** Number of earlier iterations that are listed; the last one is shown in full. */
const rowsShown = 6;
const fixesShown = 8;
const refusedShown = 4;
const namesShown = 5;

export function outcomeText(outcome: IterationOutcome): string {
  const { state, records, convergence, diagnosis, iteration, standing, fixes } = outcome;
  const earlier = records.slice(0, -1);
  const last = records.at(-1);
  const before = earlier.length - rowsShown;
  // The diagnosis names the tests that fail, by their causes.
  const figures = diagnosis ? { ...standing, failed: failedOf(standing), failing: [] } : standing;
  return [
    earlier.length > 0 &&
    joinLines(
      before > 0 && `… ${count(before, "iteration")} before`,
      ...earlier.slice(-rowsShown).map(iterationRow),
    ),
    last && recordText(last, fixes),
    (state === "awaiting_fixes" || records.length === 0) && testingText(iteration, figures),
    convergence.progress.length > 0 && convergenceText(convergence, convergence.progress.length - 1),
    diagnosis && diagnosisText(diagnosis, { source: true }),
    nextText(outcome),
  ].filter((part) => part !== false && part !== undefined).join("\n\n");
}

/** Tells what one iteration did, and where it left the tests. */
function recordText(record: IterationRecord, fixes: readonly FixRecord[]): string {
  const { number, before, after, refused, tools, newTests, health, broken, appeared = [] } = record;
  const made = record.fixes.map((fix) =>
    fixes.find(({ commit }) => commit === fix.commit) ??
      { ...fix, body: "", type: "fix", tests: [], at: record.at }
  );
  const turnedDown = refused.map(({ title, reason }) => refusedText(number, title, reason));
  const tested = testingText(number, after, {
    passed: before.passed,
    total: before.total,
    iteration: number - 1,
  });
  return joinLines(
    ...underOneHeading([
      ...madeText(number, made),
      ...limitedList(turnedDown, refusedShown, "more refused"),
      tested,
    ]),
    broken.length > 0 && `Broken: ${foldedNames(broken, namesShown)}`,
    appeared.length > 0 && `Failing without an earlier result: ${foldedNames(appeared, namesShown)}`,
    toolsText(tools),
    newTests > 0 && `Tests for new and changed tools: ${newTests}`,
    health.length > 0 &&
      `Environment: ${limitedList(health.map((problem) => firstLine(problem, 120)), 3).join(" ")}`,
  );
}

/** One fix as the design shows it; several in a row each. */
function madeText(number: number, made: readonly FixRecord[]): string[] {
  if (made.length === 1) {
    return made.map((fix) => `${fixText(number, fix)}\nCommit: ${shortCommit(fix.commit)}`);
  }
  if (made.length === 0) return [];
  const rows = made.map((fix) =>
    `- ${shortCommit(fix.commit)} ${firstLine(fix.title, 80)} (${
      limitedList(fix.files, 3).join(", ")
    }; risk ${riskOf(fix)})`
  );
  return [
    `Iteration ${number}, ${made.length} fixes applied:`,
    ...limitedList(rows, fixesShown, "more: pth_get_fix_history({}) tells all"),
  ];
}

/** Blocks of one iteration begin with the same line: it is told once. */
function underOneHeading(blocks: readonly string[]): string[] {
  const told = new Set<string>();
  return blocks.map((block) => {
    const [heading, ...rest] = block.split("\n");
    if (rest.length === 0 || !told.has(heading!)) {
      told.add(heading!);
      return block;
    }
    return rest.join("\n");
  });
}

function toolsText(tools: IterationRecord["tools"]): string | undefined {
  if (!tools) return undefined;
  const parts = ([["added", tools.added], ["removed", tools.removed], ["changed", tools.changed]] as const)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${limitedList(names, 10).join(", ")}`);
  return parts.length === 0 ? undefined : `Tools: ${parts.join("; ")}`;
}

/** Tells the driver what to do now. */
function nextText({ state, reason, standing, convergence, records }: IterationOutcome): string {
  if (state === "green") return greenText(standing);
  if (state === "awaiting_fixes") {
    return "Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }), one for each root cause; it commits, reloads and " +
      'retests. More: the worktree, or pth_diagnose_failure({ test, show: ["source", "stderr", "exchange"] }).';
  }
  if (reason === "cancelled") {
    return "Next: cancelled; commits stay. Run it again to continue.";
  }
  const because = reason === "no_progress"
    ? "no progress"
    : records.length === 1
    ? "the requested iteration is done"
    : "the limit of iterations is reached";
  const revert = convergence.trend === "regressing" || convergence.trend === "oscillating"
    ? " pth_revert_fix undoes a harmful fix; pth_get_fix_history({}) shows which."
    : "";
  return `Next: stopped, ${because}. pth_diagnose_failure({}) says why what is left fails; then pth_run_iteration({ fixes }), or ask the ` +
    `person whether the design should change.${revert}`;
}

function greenText({ passed, skipped, total }: IterationOutcome["standing"]): string {
  if (passed === 0) {
    return `Next: no test fails, but none passed either (${skipped} of ${total} were skipped; pth_get_test_results({}) says why): ` +
      "nothing is verified yet. pth_create_test.";
  }
  return skipped === 0
    ? "Next: every test passes. pth_end_session({}), or more tests with pth_create_test."
    : `Next: no test fails, ${skipped} were skipped (pth_get_test_results({}) says why). pth_end_session({}).`;
}

const passing = ({ passed, total, loadError }: TestStatusSummary): string =>
  loadError === undefined ? `${passed} of ${total}` : "not loaded";

export function iterationRow(
  { number, before, after, fixes, refused, broken, shortened }: IterationRecord,
): string {
  const figures = after.loadError === undefined
    ? `${before.total === after.total ? before.passed : passing(before)} → ${passing(after)} pass`
    : "the plugin does not load";
  const facts = [
    figures,
    shortened ? "details dropped" : fixes.length === 1 ? "1 fix" : `${fixes.length} fixes`,
    refused.length > 0 && `${refused.length} refused`,
    broken.length > 0 && `broke ${limitedList(broken.map((name) => firstLine(name, 60)), 3).join(", ")}`,
  ].filter((fact) => fact !== false);
  return `- iteration ${number}: ${facts.join("; ")}`;
}
