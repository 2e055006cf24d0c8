/** Reads all that a plugin consists of besides its server: once, for all rules. */
import { posix } from "node:path";
import { asPthError } from "../core/errors.ts";
import type { Problem } from "../core/problems.ts";
import { readSource, type SourceDocument } from "../core/read_source.ts";
import { isObject } from "../core/values.ts";
import { manifestFile, type ReadHooks, readHooks } from "../hooks/read_hooks.ts";
import { type MarkdownFile, readMarkdown } from "./markdown_file.ts";
import type { PluginFiles } from "./plugin_files.ts";

/** A JSON file whose value is an object. */
export interface JsonFile {
  file: string;
  value: Record<string, unknown>;
  document: SourceDocument;
}

export interface PluginDefinitions {
  files: PluginFiles;
  manifest: JsonFile | undefined;
  marketplace: JsonFile | undefined;
  servers: JsonFile | undefined;
  skills: MarkdownFile[];
  commands: MarkdownFile[];
  agents: MarkdownFile[];
  hooks: ReadHooks;
  /** Files that cannot be read, at their places. */
  problems: Problem[];
}

export const marketplaceFile = ".claude-plugin/marketplace.json";
export const serverFile = ".mcp.json";
/** Files of each kind that are read at most, and folders that are looked into. */
const mostFiles = 500;
const deepest = 5;

export async function readDefinitions(files: PluginFiles): Promise<PluginDefinitions> {
  const problems: Problem[] = [];
  const json = (file: string) => readJson(files, file, problems);
  const manifest = await json(manifestFile);
  const named = (key: string) => pathsOf(manifest?.value[key]);
  const markdown = async (folder: string, key: string) => {
    const found = new Set(await markdownIn(files, folder, 0));
    for (const path of named(key)) {
      const at = posix.normalize(path);
      if (at.startsWith("..")) continue;
      if ((await files.stat(at))?.kind === "file") found.add(at);
      else for (const each of await markdownIn(files, at, 0)) found.add(each);
    }
    return await readAll(files, [...found], problems, (file) => posix.basename(file, ".md"));
  };
  const skillFolders = ["skills", ...named("skills").map((path) => posix.normalize(path))];
  const skillFiles = new Set<string>();
  for (const folder of skillFolders.filter((each) => !each.startsWith(".."))) {
    if (await files.stat(`${folder}/SKILL.md`) !== undefined) skillFiles.add(`${folder}/SKILL.md`);
    for (const name of await files.list(folder)) {
      const file = posix.join(folder, name, "SKILL.md");
      if ((await files.stat(file))?.kind === "file") skillFiles.add(file);
    }
  }
  const hooks = await readHooks({
    path: files.path,
    list: (below = "") => files.list(below),
    read: (path) => files.read(path),
    exists: async (path) => await files.stat(path) !== undefined,
  });
  return {
    files,
    manifest,
    marketplace: await json(marketplaceFile),
    servers: await json(serverFile),
    skills: await readAll(files, [...skillFiles], problems, (file) => posix.basename(posix.dirname(file))),
    commands: await markdown("commands", "commands"),
    agents: await markdown("agents", "agents"),
    hooks,
    // Those of the manifest are told once, and those of hooks by their rule.
    problems,
  };
}

/** Paths that a manifest names for a kind: one, or a list. */
export const pathsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === "string");

async function readJson(
  files: PluginFiles,
  file: string,
  problems: Problem[],
): Promise<JsonFile | undefined> {
  const text = await textOf(files, file, problems);
  if (text === undefined) return undefined;
  const { documents: [document], problems: mistakes } = readSource(file, text);
  problems.push(...mistakes);
  if (mistakes.length > 0) return undefined;
  if (document !== undefined && isObject(document.value)) return { file, value: document.value, document };
  problems.push({ file, line: 1, column: 1, message: "expected a JSON object" });
  return undefined;
}

async function textOf(files: PluginFiles, file: string, problems: Problem[]): Promise<string | undefined> {
  try {
    return await files.read(file);
  } catch (error) {
    problems.push({ file, line: 1, column: 1, message: asPthError(error, "Cannot read").message });
    return undefined;
  }
}

async function markdownIn(files: PluginFiles, folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of await files.list(folder)) {
    const path = posix.join(folder, name);
    const kind = (await files.stat(path))?.kind;
    if (kind === "folder" && depth < deepest && !name.startsWith(".")) {
      found.push(...await markdownIn(files, path, depth + 1));
    } else if (kind === "file" && name.endsWith(".md")) found.push(path);
  }
  return found;
}

async function readAll(
  files: PluginFiles,
  paths: readonly string[],
  problems: Problem[],
  nameOf: (file: string) => string,
): Promise<MarkdownFile[]> {
  const read: MarkdownFile[] = [];
  if (paths.length > mostFiles) {
    const message = `expected at most ${mostFiles} files of one kind, there are ${paths.length}`;
    problems.push({ file: paths[mostFiles]!, line: 1, column: 1, message });
  }
  for (const file of paths.slice(0, mostFiles)) {
    const text = await textOf(files, file, problems);
    if (text === undefined) continue;
    const { markdown, problems: mistakes } = readMarkdown(file, nameOf(file), text);
    problems.push(...mistakes);
    read.push(markdown);
  }
  return read;
}
