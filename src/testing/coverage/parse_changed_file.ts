/** A place as people write it: `src/a.ts`, `src/a.ts:12`, `src/a.ts:12-20`. */
import type { ChangedFile } from "../../../machines/model/coverage.ts";

export function parseChangedFile(text: string): ChangedFile {
  const [, path, from, to = from] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (path === undefined || from === undefined || to === undefined) return { path: text };
  const first = Math.min(Number(from), Number(to));
  const last = Math.max(Number(from), Number(to));
  return { path, lines: Array.from({ length: last - first + 1 }, (_, index) => first + index) };
}
