/** Lines of a handler, or of the whole source, that fit what was seen. */
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import type { Clue } from "./clues.ts";
import type { SourceBlock, ToolHandlerSource } from "./find_handler.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";
import { filesNaming, readSourceFiles, type SourceFile, sourceFile } from "./source_files.ts";

export interface FoundClue {
  place: SourcePlace;
  /** A sentence for the evidence. */
  says: string;
}

const mostPerClue = 3;

/** Places of the first clue that fits anything; the handler itself comes before what it calls. */
export async function findClues(
  clues: readonly Clue[],
  handler: ToolHandlerSource | undefined,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const rounds: { clue: Clue; everywhere: boolean }[] = [
    ...clues.map((clue) => ({ clue, everywhere: clue.anywhere === true })),
    ...clues.filter(({ anywhere }) => anywhere === "last").map((clue) => ({ clue, everywhere: true })),
  ];
  for (const { clue, everywhere } of rounds) {
    const found: FoundClue[] = [];
    for (const block of handler?.blocks ?? []) found.push(...await inBlock(clue, block, handler!, sources));
    if (everywhere) found.push(...await inSource(clue, sources));
    const distinct = found.filter(({ place }, index) =>
      found.findIndex((other) => other.place.path === place.path && other.place.line === place.line) === index
    );
    if (distinct.length > 0) return distinct.slice(0, mostPerClue);
  }
  return [];
}

async function inBlock(
  { line: wanted, says }: Clue,
  { path, from, to, name }: SourceBlock,
  { place }: ToolHandlerSource,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const file = await sourceFile(path, sources);
  if (file === undefined) return [];
  return matching(wanted, file.plain.slice(from - 1, to)).map((index) => {
    const line = from + index;
    const within = name ?? (path === place.path && line >= place.line ? place.name : undefined);
    return foundAt(file, line, says, within);
  });
}

/** The first lines of the whole source that fit. */
async function inSource(
  { line: wanted, says, word, only }: Clue,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const found: FoundClue[] = [];
  for (const { file, lines } of await candidates(wanted, word, only, sources)) {
    for (const index of matching(wanted, lines.map((line) => file.plain[line]!))) {
      found.push(foundAt(file, lines[index]! + 1, says));
    }
    if (found.length >= mostPerClue) break;
  }
  return found.slice(0, mostPerClue);
}

interface Candidates {
  file: SourceFile;
  /** Indices. */
  lines: number[];
}

/** Lines worth a look: a plugin may have many files, and a run many failures with one pattern. */
async function candidates(
  wanted: Clue["line"],
  word: string | undefined,
  only: RegExp | undefined,
  sources: PluginSources,
): Promise<Candidates[]> {
  if (word !== undefined) return (await filesNaming(word, sources)).map(allLines);
  const pattern = only ?? (wanted instanceof RegExp ? wanted : undefined);
  if (pattern === undefined) return (await readSourceFiles(sources)).map(allLines);
  const known = fitting.get(sources) ?? new Map<string, Promise<Candidates[]>>();
  fitting.set(sources, known);
  const lines = known.get(pattern.source) ??
    readSourceFiles(sources).then((files) => linesOf(files, pattern));
  known.set(pattern.source, lines);
  return await lines;
}

const fitting = new WeakMap<PluginSources, Map<string, Promise<Candidates[]>>>();

const allLines = (file: SourceFile): Candidates => ({ file, lines: [...file.plain.keys()] });

const linesOf = (files: readonly SourceFile[], pattern: RegExp): Candidates[] =>
  files.map((file) => ({ file, lines: matching(pattern, file.plain) })).filter(({ lines }) =>
    lines.length > 0
  );

const foundAt = ({ path, lines }: SourceFile, line: number, says: string, name?: string): FoundClue => ({
  place: { path, line, ...(name === undefined ? {} : { name }) },
  says: `${path}:${line} ${says}: ${lines[line - 1]!.trim().slice(0, 160)}`,
});

/** Indices of the lines that fit. */
function matching(wanted: Clue["line"], lines: readonly string[]): number[] {
  if ("among" in wanted) return wanted.among(lines);
  const fits = wanted instanceof RegExp ? (line: string) => wanted.test(line) : wanted;
  return lines.flatMap((line, index) => line !== "" && fits(line) ? [index] : []);
}
