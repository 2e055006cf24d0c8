/** Changes of a surface as lines for people. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import { count } from "../core/text.ts";

/** `breaking  required-field-added  tools/echo/…: text is new and required` */
export const changeRow = ({ impact, code, path, message }: SurfaceChange): string =>
  `${impact.padEnd(10)}  ${code}  ${path}: ${message}`;

/** Counts changes by impact, for summaries, verdicts and exit codes. */
export function countChanges(
  changes: readonly Pick<SurfaceChange, "impact">[],
): Record<SurfaceChange["impact"], number> {
  const counts = { breaking: 0, notice: 0, compatible: 0 };
  for (const { impact } of changes) counts[impact]++;
  return counts;
}

/** `2 breaking changes, 1 notice, 3 compatible changes`; what there is none of is left out. */
export function changesSummary(changes: readonly SurfaceChange[]): string {
  const { breaking, notice, compatible } = countChanges(changes);
  const parts = [
    [breaking, "breaking change"],
    [notice, "notice"],
    [compatible, "compatible change"],
  ] as const;
  const told = parts.filter(([found]) => found > 0).map(([found, noun]) => count(found, noun));
  return told.length === 0 ? "no change" : told.join(", ");
}
