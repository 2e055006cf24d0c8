/** Lines of a handler, or of the whole source, that fit what was seen. */
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import type { Clue } from "./clues.ts";
import type { Block, Handler } from "./find_handler.ts";
import type { PluginSources } from "./plugin_sources.ts";
import { filesNaming, sourceFile, sourceFiles } from "./source_lines.ts";

export interface FoundClue {
  place: SourcePlace;
  /** A sentence for the evidence. */
  says: string;
}

const mostPerClue = 3;

/** Places of the first clue that fits anything; the handler itself comes before what it calls. */
export async function findClues(
  clues: readonly Clue[],
  handler: Handler | undefined,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const rounds: { clue: Clue; everywhere: boolean }[] = [
    ...clues.map((clue) => ({ clue, everywhere: clue.anywhere === true })),
    ...clues.filter(({ anywhere }) => anywhere === "last").map((clue) => ({ clue, everywhere: true })),
  ];
  for (const { clue, everywhere } of rounds) {
    const blocks = [...handler?.blocks ?? [], ...(everywhere ? await wholeFiles(clue, sources) : [])];
    const found: FoundClue[] = [];
    for (const block of blocks) found.push(...await inBlock(clue, block, handler, sources));
    const distinct = found.filter(({ place }, index) =>
      found.findIndex((other) => other.place.path === place.path && other.place.line === place.line) === index
    );
    if (distinct.length > 0) return distinct.slice(0, mostPerClue);
  }
  return [];
}

async function wholeFiles({ word }: Clue, sources: PluginSources): Promise<Block[]> {
  const files = word === undefined ? await sourceFiles(sources) : await filesNaming(word, sources);
  return files.map(({ path }) => ({ path, from: 1, to: Number.MAX_SAFE_INTEGER }));
}

async function inBlock(
  { line: wanted, says }: Clue,
  { path, from, to, name }: Block,
  handler: Handler | undefined,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const file = await sourceFile(path, sources);
  if (file === undefined) return [];
  return matching(wanted, file.plain.slice(from - 1, to)).map((index) => {
    const line = from + index;
    const within = name ??
      (path === handler?.place.path && line >= handler.place.line ? handler.place.name : undefined);
    const place: SourcePlace = {
      path,
      line,
      ...(within === undefined || to === Number.MAX_SAFE_INTEGER ? {} : { name: within }),
    };
    return { place, says: `${path}:${line} ${says}: ${file.lines[line - 1]!.trim().slice(0, 160)}` };
  });
}

/** Indices of the lines that fit. */
function matching(wanted: Clue["line"], lines: readonly string[]): number[] {
  if ("among" in wanted) return wanted.among(lines);
  const fits = wanted instanceof RegExp ? (line: string) => wanted.test(line) : wanted;
  return lines.flatMap((line, index) => line !== "" && fits(line) ? [index] : []);
}
