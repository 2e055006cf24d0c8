/** Source to read with a diagnosis: around the places, the handler and what it calls, and what their files import. */
import type { Diagnosis, SourcePlace } from "../../machines/model/diagnosis.ts";
import type { SourceBlock } from "./find_handler.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";
import { sourceFile } from "./source_files.ts";

type Excerpt = Diagnosis["excerpts"][number];

const around = 8;
const mostPlaces = 4;
/** The handler, and functions that it calls. */
const mostBlocks = 4;
const mostLines = 80;
const mostImportLines = 30;
const mostCharacters = 6000;

const isImport =
  /^\s*(?:import\b|from\s+[\w.]+\s+import\b|export\s+.*\bfrom\b|(?:const|let|var)\s+.*=\s*(?:await\s+)?(?:require|import)\(|use\s+[\w:]+|#include\b)/;

/**
 * One excerpt per file's imports, one per place, one per block of the handler; what lies within another is left out.
 * @param blocks the handler first, then what it calls
 */
export async function excerptsAround(
  places: readonly SourcePlace[],
  blocks: readonly SourceBlock[],
  sources: PluginSources,
): Promise<Excerpt[]> {
  const wanted: SourceBlock[] = [
    ...places.slice(0, mostPlaces).map(({ path, line }) => ({
      path,
      from: Math.max(1, line - around),
      to: line + around,
    })),
    ...blocks.slice(0, mostBlocks),
  ];
  const excerpts: Excerpt[] = [];
  for (const block of wanted) {
    const lines = (await sourceFile(block.path, sources))?.lines;
    if (lines === undefined) continue;
    if (!excerpts.some(({ path }) => path === block.path)) excerpts.push(...importsOf(block.path, lines));
    const excerpt = cut(block, lines);
    if (excerpts.some((other) => covers(other, excerpt))) continue;
    excerpts.push(excerpt);
  }
  return excerpts;
}

function covers(outer: Excerpt, inner: Excerpt): boolean {
  return outer.path === inner.path && outer.from <= inner.from && endOf(outer) >= endOf(inner);
}

const endOf = ({ from, text }: Excerpt): number => from + text.split("\n").length;

function importsOf(path: string, lines: readonly string[]): Excerpt[] {
  const first = lines.findIndex((line) => isImport.test(line));
  if (first < 0) return [];
  const last = lines.findLastIndex((line, index) => index < first + mostImportLines && isImport.test(line));
  return [cut({ path, from: first + 1, to: last + 1 }, lines)];
}

/** Whole lines, as many as there is room for. */
function cut({ path, from, to }: SourceBlock, lines: readonly string[]): Excerpt {
  const asked = lines.slice(from - 1, to);
  const kept: string[] = [];
  let room = mostCharacters;
  for (const line of asked.slice(0, mostLines)) {
    const short = line.length <= 400 ? line : `${line.slice(0, 400)}…`;
    room -= short.length + 1;
    if (room < 0) break;
    kept.push(short);
  }
  const left = asked.length - kept.length;
  return { path, from, text: kept.join("\n"), ...(left === 0 ? {} : { leftOut: `${left} more lines` }) };
}
