/** Changes, as places of the source that the impact map was made from. */
import { parsePatch } from "diff";
import type { ChangedFile } from "../../../machines/model/coverage.ts";
import type { DiffDetail } from "../../../machines/model/detail.ts";
import type { FixCommands, RequestOptions, Session } from "../../api/harness.ts";
import { type ChangedPlace, changedPlaces } from "../../testing/coverage/impact_of.ts";
import { lineRanges } from "../../testing/coverage/line_ranges.ts";
import type { SessionParts } from "../session/session_parts.ts";

export interface DiffAccess {
  detail: Session["detail"];
  fixes: Pick<FixCommands, "diff">;
}

interface Access extends DiffAccess {
  /** Text of a file of the plugin as it is now. */
  read(path: string): Promise<string | undefined>;
}

/** Changed places from files as the request names them. */
export const placesOf = (files: readonly ChangedFile[]): ChangedPlace[] =>
  files.flatMap(({ path, lines }) => {
    const tidy = path.replaceAll("\\", "/").replace(/^(\.\/)+/, "");
    return lines === undefined ? [{ path: tidy }] : lineRanges(lines).map((lines) => ({ path: tidy, lines }));
  });

/**
 * Finds the differences to the measured source; with a commit, in that commit's files. Lines of a commit from before
 * the measurement are as they were in it. Without a measurement: the files that the session branch changed.
 */
export async function changedSince(
  context: SessionParts,
  commit: string | undefined,
  { read, detail, fixes }: Access,
  options?: RequestOptions,
): Promise<ChangedPlace[]> {
  const texts = context.measurements.suite?.texts ?? new Map<string, string>();
  const since = async (path: string) => {
    const before = texts.get(path);
    return before === undefined ? undefined : changedPlaces(path, before, await read(path) ?? "");
  };
  if (commit === undefined && texts.size === 0) {
    const diff = await fixes.diff({ stat: true }, options);
    return (diff?.files ?? []).map(({ path }) => ({ path }));
  }
  if (commit === undefined) {
    const places: ChangedPlace[] = [];
    for (const path of texts.keys()) places.push(...await since(path) ?? []);
    return places;
  }
  const { diff } = await detail({ kind: "diff", commit }, options) as DiffDetail;
  const places: ChangedPlace[] = [];
  for (const { newFileName = "", oldFileName = "", hunks } of parsePatch(diff ?? "")) {
    const name = newFileName === "/dev/null" ? oldFileName : newFileName;
    const path = name.replace(/^[ab]\//, "");
    const changed = await since(path);
    if (changed === undefined) places.push({ path });
    else if (changed.length > 0) places.push(...changed);
    else places.push(...hunks.flatMap((hunk) => addedLines(hunk).map((lines) => ({ path, lines }))));
  }
  return places;
}

/** Lines that a hunk put in, or where it took some out, as they stand after it. */
function addedLines({ newStart, lines }: { newStart: number; lines: string[] }): [number, number][] {
  const places: [number, number][] = [];
  let line = newStart;
  for (const text of lines) {
    if (text.startsWith("+")) places.push([line, line]);
    else if (text.startsWith("-")) places.push([line, line - 1]);
    if (text.startsWith("+") || text.startsWith(" ")) line++;
  }
  return places;
}
