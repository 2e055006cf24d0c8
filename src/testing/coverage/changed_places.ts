/** Where a file changed, in lines of how it was. */
import { structuredPatch } from "diff";
import type { ChangedPlace } from "./impact_of.ts";

/** Blank lines, and comments of a line's own: none of them runs. */
const inert = (path: string) => path.endsWith(".py") ? /^\s*(#.*)?$/ : /^\s*(\/\/.*)?$/;

/** Lines of `before`; something that is only added stands between two of them. */
export function changedPlaces(path: string, before: string, after: string): ChangedPlace[] {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 0 });
  const places: ChangedPlace[] = [];
  for (const { oldStart, oldLines, lines } of hunks) {
    const touched = lines.filter((line) => line.startsWith("+") || line.startsWith("-"));
    if (touched.every((line) => inert(path).test(line.slice(1)))) continue;
    // With nothing taken away this ends before it starts: what is added stands between the two.
    places.push({ path, lines: [oldStart, oldStart + oldLines - 1] });
  }
  return places;
}
