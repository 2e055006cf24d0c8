/** From what output names to places in the plugin's own source. */
import { posix } from "node:path";
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import { isBuildOutput, isThirdParty, type PluginSources } from "../plugin/plugin_sources.ts";
import { readSourceFiles, type SourceFile, sourceFile } from "./source_files.ts";
import { readTraces, type TraceFrame } from "./read_traces.ts";
import { Buffer } from "node:buffer";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

export interface SourceFolders {
  sources: PluginSources;
  /** Names of the plugin's folder, absolute: inside the environment and on the host. */
  roots: readonly string[];
}

const mostPlaces = 10;

/** Places of the plugin's source that the text names, the likeliest culprit first. */
export async function sourcePlaces(text: string, { sources, roots }: SourceFolders): Promise<SourcePlace[]> {
  const places: SourcePlace[] = [];
  const seen = new Set<string>();
  for (const frame of readTraces(text)) {
    if (places.length >= mostPlaces) break;
    const place = await placeOf(frame, sources, roots);
    const key = place && `${place.path}:${place.line}`;
    if (place === undefined || seen.has(key!)) continue;
    seen.add(key!);
    places.push(place);
  }
  return places;
}

async function placeOf(
  frame: TraceFrame,
  sources: PluginSources,
  roots: readonly string[],
): Promise<SourcePlace | undefined> {
  const path = withinPlugin(frame.path, roots);
  if (path === undefined || isThirdParty(path)) return undefined;
  const lines = (await sourceFile(path, sources))?.lines.length;
  if (lines === undefined || frame.line < 1 || frame.line > lines) return undefined;
  const { line, column, name } = frame;
  const there: SourcePlace = {
    path,
    line,
    ...(column === undefined ? {} : { column }),
    ...cleanName(name),
  };
  return await mapBySimilarLine(await mapBySourceMap(there, sources), sources);
}

/** Path within the plugin's folder, or undefined for one that is elsewhere. */
export function withinPlugin(path: string, roots: readonly string[]): string | undefined {
  const plain = path.startsWith("file://") ? decoded(path.slice("file://".length)) : path;
  if (!plain.startsWith("/")) {
    const normal = posix.normalize(plain);
    return normal.startsWith("..") ? undefined : normal;
  }
  const root = roots.find((root) => plain.startsWith(`${root.replace(/\/$/, "")}/`));
  return root === undefined ? undefined : posix.normalize(posix.relative(root, plain));
}

/** A path with a stray "%" is no URL: it is taken as it stands. */
const decoded = (path: string): string => /%(?![0-9a-f]{2})/i.test(path) ? path : decodeURI(path);

const cleanName = (name: string | undefined): { name?: string } =>
  name === undefined || name === "<module>" ? {} : { name: name.replace(/^(?:async|new) /, "") };

/** Share of words that both lines have, from which on they are one. */
const alike = 0.6;

/** Weight of the lines before and after. */
const neighbour = 0.25;

/** Longer lines are minified code. */
const longest = 500;

/** The place in the source, or the place given where nothing is like it. */
async function mapBySimilarLine(place: SourcePlace, sources: PluginSources): Promise<SourcePlace> {
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

/** The place in the original, where a source map leads to a file of the plugin; else the place given. */
async function mapBySourceMap(place: SourcePlace, sources: PluginSources): Promise<SourcePlace> {
  if (!/\.[cm]?js$/.test(place.path)) return place;
  const map = await mapOf(place.path, sources);
  if (map === undefined) return place;
  const column = place.column === undefined ? 0 : place.column - 1;
  const found = originalPositionFor(map.trace, { line: place.line, column, bias: 1 });
  const original = found.source === null
    ? originalPositionFor(map.trace, { line: place.line, column, bias: -1 })
    : found;
  if (original.source === null || original.line === null) return place;
  const path = posix.normalize(posix.join(posix.dirname(map.path), original.source));
  if (path.startsWith("..") || await sources.read(path) === undefined) return place;
  return {
    path,
    line: original.line,
    column: original.column + 1,
    ...(place.name === undefined ? {} : { name: place.name }),
  };
}

async function mapOf(
  path: string,
  sources: PluginSources,
): Promise<{ trace: TraceMap; path: string } | undefined> {
  const text = await sources.read(path);
  const url = text === undefined
    ? undefined
    : [...text.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
  if (url === undefined) return undefined;
  const inline = /^data:application\/json[^,]*;base64,(.*)$/.exec(url)?.[1];
  const mapPath = inline === undefined ? pathOf(url, path) : path;
  if (mapPath === undefined) return undefined;
  const json = inline === undefined
    ? await sources.read(mapPath)
    : Buffer.from(inline, "base64").toString("utf8");
  if (json === undefined) return undefined;
  try {
    return { trace: new TraceMap(json), path: mapPath };
  } catch {
    // A map that is no map is the build's affair: the compiled place is still a place.
    return undefined;
  }
}

/** Undefined for a name that is no URL. */
function pathOf(url: string, path: string): string | undefined {
  try {
    return posix.join(posix.dirname(path), decodeURI(url));
  } catch {
    // A stray "%": what the file names is no map.
    return undefined;
  }
}
