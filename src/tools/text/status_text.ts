/** Tells a model that drives the loop how far it has come. */
import type { FailureGroup } from "../../../machines/model/diagnosis.ts";
import type { IterationStatus } from "../../api/harness.ts";
import { convergenceText } from "../../fixers/iteration_texts.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { iterationRow } from "../iteration_row.ts";
import { count, duration, firstLine, joinLines, limitedList } from "./format.ts";

const shownOf = { usual: { records: 8, groups: 5 }, detailed: { records: Infinity, groups: Infinity } };

export function statusText(status: IterationStatus, detail: boolean): string {
  const { iteration, phase, records, convergence, groups, operations, stale } = status;
  const most = shownOf[detail ? "detailed" : "usual"];
  const shown = detail ? records : records.slice(-most.records);
  const before = records.length - shown.length;
  return joinLines(
    `Now: ${phase === "idle" ? "no iteration is under way" : `iteration ${iteration}: ${phase}`}`,
    convergenceText(convergence, records.length),
    stale && `Since then: ${staleText(stale)}`,
    before > 0 && `… ${count(before, "iteration")} before; ask with detail: true`,
    ...shown.map(iterationRow),
    groups.length > 0 && "Root causes, as diagnosed last:",
    ...limitedList(groups.map(groupRow), most.groups, "more; ask with detail: true"),
    timingsText(operations),
    nextText(status),
  );
}

const groupRow = ({ category, cause, place, testIds }: FailureGroup): string =>
  `- ${category}${place ? ` at ${place.path}:${place.line}` : ""}: ${firstLine(cause)} (${
    count(testIds.length, "test")
  })`;

function timingsText(operations: IterationStatus["operations"]): string | undefined {
  const parts = Object.entries(operations).map(([name, { count, lastMs, totalMs }]) =>
    `${name} ${duration(lastMs)}${count > 1 ? ` (${count} times, ${duration(totalMs)})` : ""}`
  );
  return parts.length === 0 ? undefined : `Latest durations: ${parts.join(", ")}`;
}

function nextText({ phase, records, groups }: IterationStatus): string | undefined {
  if (phase === "awaiting fixes") {
    return "Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }).";
  }
  if (phase !== "idle") return undefined;
  return records.length === 0 || groups.length > 0 ? "Next: pth_run_iteration({})." : undefined;
}
