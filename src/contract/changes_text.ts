/** Changes of a surface as lines for people. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import { count } from "../values.ts";

/** `breaking  required-field-added  tools/echo/…: text is new and required` */
export const changeRow = ({ impact, code, path, message }: SurfaceChange): string =>
  `${impact.padEnd(10)}  ${code}  ${path}: ${message}`;

/** `2 breaking changes, 1 notice, 3 compatible changes`; what there is none of is left out. */
export function changesSummary(changes: readonly SurfaceChange[]): string {
  const number = (impact: SurfaceChange["impact"]) =>
    changes.filter((change) => change.impact === impact).length;
  const parts = [
    [number("breaking"), "breaking change"],
    [number("notice"), "notice"],
    [number("compatible"), "compatible change"],
  ] as const;
  const told = parts.filter(([found]) => found > 0).map(([found, noun]) => count(found, noun));
  return told.length === 0 ? "no change" : told.join(", ");
}
