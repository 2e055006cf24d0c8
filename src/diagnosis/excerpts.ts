/** Source around places, and what their files import. */
import type { Diagnosis, SourcePlace } from "../../machines/model/diagnosis.ts";
import type { PluginSources } from "./plugin_sources.ts";
import { sourceFile } from "./source_lines.ts";

const around = 8;
const mostPlaces = 4;
const mostImportLines = 30;
const mostCharacters = 6000;

const isImport =
  /^\s*(?:import\b|from\s+[\w.]+\s+import\b|export\s+.*\bfrom\b|(?:const|let|var)\s+.*=\s*(?:await\s+)?(?:require|import)\(|use\s+[\w:]+|#include\b)/;

/** One excerpt per file's imports, and one per place; places that lie close share one. */
export async function excerptsAround(
  places: readonly SourcePlace[],
  sources: PluginSources,
): Promise<Diagnosis["excerpts"]> {
  const excerpts: Diagnosis["excerpts"] = [];
  for (const { path, line } of places.slice(0, mostPlaces)) {
    const lines = (await sourceFile(path, sources))?.lines;
    if (lines === undefined) continue;
    if (!excerpts.some((excerpt) => excerpt.path === path)) excerpts.push(...importsOf(path, lines));
    const covers = ({ path: other, from, text }: Diagnosis["excerpts"][number]) =>
      other === path && from <= line && line < from + text.split("\n").length;
    if (excerpts.some(covers)) continue;
    const from = Math.max(1, line - around);
    excerpts.push({ path, from, text: cut(lines.slice(from - 1, line + around)) });
  }
  return excerpts;
}

function importsOf(path: string, lines: readonly string[]): Diagnosis["excerpts"] {
  const first = lines.findIndex((line) => isImport.test(line));
  if (first < 0) return [];
  const last = lines.findLastIndex((line, index) => index < first + mostImportLines && isImport.test(line));
  return [{ path, from: first + 1, text: cut(lines.slice(first, last + 1)) }];
}

const cut = (lines: readonly string[]): string =>
  lines.map((line) => line.slice(0, 400)).join("\n").slice(0, mostCharacters);
