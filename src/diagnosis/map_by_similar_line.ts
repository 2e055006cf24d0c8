/**
 * From compiled JavaScript without a source map back to the source: compilers keep the words of a line.
 *
 * They drop types and comments, and bundlers put files together; names and literals stay, unless they are minified.
 */
import { posix } from "node:path";
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import { isBuildOutput, type PluginSources } from "../plugin/plugin_sources.ts";
import { readSourceFiles, type SourceFile, sourceFile } from "./source_files.ts";

/** Share of words that both lines have, from which on they are one. */
const alike = 0.6;
/** How much the lines before and after count. */
const neighbour = 0.25;
/** Longer lines are minified code. */
const longest = 500;

/** The place in the source, or the place given where nothing is like it. */
export async function mapBySimilarLine(place: SourcePlace, sources: PluginSources): Promise<SourcePlace> {
  if (!isBuildOutput(place.path) || !/\.[cm]?jsx?$/.test(place.path)) return place;
  const compiled = await sourceFile(place.path, sources);
  const at = place.line - 1;
  const line = compiled?.lines[at];
  if (compiled === undefined || line === undefined || line.length > longest) return place;
  const wanted = [at - 1, at, at + 1].map((index) => wordsOf(compiled.plain[index] ?? ""));
  if (wanted[1]!.length === 0) return place;
  const found = best(await originalsOf(compiled, at, sources), wanted);
  if (found === undefined) return place;
  return { ...found, ...(place.name === undefined ? {} : { name: place.name }) };
}

/** Files that the compiled line may come from, those that are named for it or like it alone where there are any. */
async function originalsOf(
  { path, lines }: SourceFile,
  at: number,
  sources: PluginSources,
): Promise<SourceFile[]> {
  const own = (await readSourceFiles(sources)).filter((file) => !isBuildOutput(file.path));
  const marker = lines.slice(0, at + 1).findLast((line) => /^\/\/ [\w@./-]+\.[cm]?[jt]sx?$/.test(line));
  const named = own.filter((file) => marker === `// ${file.path}`);
  if (named.length > 0) return named;
  const stem = (name: string) => posix.join(posix.dirname(name), posix.parse(name).name);
  const below = stem(path).split("/").slice(1).join("/");
  const sameName = own.filter((file) => stem(file.path) === below || stem(file.path).endsWith(`/${below}`));
  return sameName.length > 0 ? sameName : own;
}

function best(files: readonly SourceFile[], wanted: readonly string[][]): SourcePlace | undefined {
  let most = 0;
  let place: SourcePlace | undefined;
  for (const { path, plain } of files) {
    const words = plain.map(wordsOf);
    words.forEach((line, index) => {
      const own = likeness(line, wanted[1]!);
      if (own < alike) return;
      const around = likeness(words[index - 1] ?? [], wanted[0]!) +
        likeness(words[index + 1] ?? [], wanted[2]!);
      const score = own + neighbour * around;
      if (score > most) [most, place] = [score, { path, line: index + 1 }];
    });
  }
  return place;
}

const wordsOf = (line: string): string[] => line.match(/[\w$]+/g) ?? [];

/** Dice's coefficient of two bags of words. */
function likeness(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const left = [...b];
  const common = a.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return 2 * common.length / (a.length + b.length);
}
