/** Lines of the plugin's source files, split once for all failures that are looked at together. */
import type { PluginSources } from "../plugin/plugin_sources.ts";

export interface SourceFile {
  path: string;
  text: string;
  lines: readonly string[];
  /** The same without comments; strings stay. */
  plain: readonly string[];
}

const files = new WeakMap<PluginSources, Map<string, Promise<SourceFile | undefined>>>();
const all = new WeakMap<PluginSources, Promise<SourceFile[]>>();

/** A file of the plugin, or undefined where there is none. */
export function sourceFile(path: string, sources: PluginSources): Promise<SourceFile | undefined> {
  const known = files.get(sources) ?? new Map<string, Promise<SourceFile | undefined>>();
  files.set(sources, known);
  const file = known.get(path) ?? read(path, sources);
  known.set(path, file);
  return file;
}

/** Every file that `sources` lists, in that order. */
export function readSourceFiles(sources: PluginSources): Promise<SourceFile[]> {
  const known = all.get(sources) ?? readAll(sources);
  all.set(sources, known);
  return known;
}

const words = new WeakMap<PluginSources, Promise<Map<string, SourceFile[]>>>();

/** Files in which a word stands, in the order of all. What is no single word may be in any file. */
export async function filesNaming(word: string, sources: PluginSources): Promise<SourceFile[]> {
  if (!/^\w+$/.test(word)) return (await readSourceFiles(sources)).filter(({ text }) => text.includes(word));
  const known = words.get(sources) ?? readSourceFiles(sources).then(indexWords);
  words.set(sources, known);
  return (await known).get(word) ?? [];
}

function indexWords(files: readonly SourceFile[]): Map<string, SourceFile[]> {
  const index = new Map<string, SourceFile[]>();
  for (const file of files) {
    for (const word of new Set(file.text.match(/\w+/g))) {
      const naming = index.get(word);
      if (naming) naming.push(file);
      else index.set(word, [file]);
    }
  }
  return index;
}

async function readAll(sources: PluginSources): Promise<SourceFile[]> {
  const paths = await sources.list();
  const found = await Promise.all(paths.map((path) => sourceFile(path, sources)));
  return found.filter((file) => file !== undefined);
}

async function read(path: string, sources: PluginSources): Promise<SourceFile | undefined> {
  const text = await sources.read(path);
  if (text === undefined) return undefined;
  const lines = text.split(/\r?\n/);
  let plain: string[] | undefined;
  return {
    path,
    text,
    lines,
    get plain() {
      return plain ??= lines.map((line) => isComment(line) ? "" : withoutComment(line));
    },
  };
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|#(?!!|\[|include)|\*|\/\*|"""|''')/.test(line);

const withoutComment = (line: string): string => line.replace(/\s(?:\/\/|#)\s.*$/, "");
