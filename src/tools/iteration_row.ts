/** One iteration in a line. */
import type { IterationRecord, TestStatusSummary } from "../../machines/model/iteration.ts";
import { firstLine, limitedList } from "./text/format.ts";

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
    shortened ? "no more is kept of it" : fixes.length === 1 ? "1 fix" : `${fixes.length} fixes`,
    refused.length > 0 && `${refused.length} refused`,
    broken.length > 0 && `broke ${limitedList(broken.map((name) => firstLine(name, 60)), 3).join(", ")}`,
  ].filter((fact) => fact !== false);
  return `- iteration ${number}: ${facts.join("; ")}`;
}
