/**
 * Paths of example files: inputs name them, and what a suite's inputs name is laid out before it runs
 * (docs/generation.md). Files that a tool may change are copies of its own, of each test another.
 */
import { isObject } from "../../core/values.ts";

/** Folder of example files, in the folder of the plugin. */
export const exampleFolder = "pth-files";
/** Folder among the example files, with a small project. */
export const folderName = "folder";
/** Git repository among the example files. */
export const repositoryName = "repository";

/** JSON array of objects among the example files. */
export const recordsName = "records.json";

const extensions = [
  ..."txt md json jsonl csv tsv yaml toml ini xml html svg css sql log mmd ipynb".split(" "),
  ..."js ts py go rs java c cpp rb php sh png pdf xlsx docx zip db".split(" "),
];

/** Whether there is an example file with this extension. */
export const hasExample = (extension: string): boolean => extensions.includes(extension);

/** Name of a folder for what one tool may change. */
const ownName = (tool: string): string => tool.replace(/[^\w-]+/g, "-").slice(0, 60) || "tool";

/** Folder of a tool's own files. @param files path of the folder of example files */
export const ownFolder = (files: string, tool: string): string => `${files}/${ownName(tool)}`;

/** The value with another folder in place of the tool's own, for a test that shares its files with none. */
export function withOwnFiles<Value>(value: Value, tool: string, part: string): Value {
  const own = `${exampleFolder}/${ownName(tool)}/`;
  const replaced = (each: unknown): unknown =>
    typeof each === "string"
      ? each.replaceAll(own, `${own.slice(0, -1)}-${part}/`)
      : Array.isArray(each)
      ? each.map(replaced)
      : isObject(each)
      ? Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, replaced(inner)]))
      : each;
  return JSON.stringify(value)?.includes(own) ? replaced(value) as Value : value;
}

/** Most paths that are laid out for one suite; each costs a copy. */
const mostPaths = 5000;

/**
 * Paths in a suite's inputs that lie in a folder of example files, by the folder that this one lies in ("" is the
 * plugin's). Other texts that hold such a path need the folder, and no copy.
 */
export function examplePaths(inputs: readonly unknown[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  let left = mostPaths;
  const look = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      const [, parent, path] = pathForm.exec(value) ?? [];
      const at = parent ?? (mention.test(value) ? "" : undefined);
      if (at === undefined || left-- <= 0) return;
      const paths = found.get(at) ?? new Set();
      found.set(at, paths);
      if (path !== undefined && path !== "") paths.add(path);
    } else if (depth < 20 && typeof value === "object" && value !== null) {
      for (const each of Object.values(value)) look(each, depth + 1);
    }
  };
  for (const input of inputs) look(input, 0);
  return found;
}

/** A whole path: where its folder lies, and what follows, of which no part begins with a dot. */
const pathForm = new RegExp(
  `^(?:file://)?((?:/(?!\\.\\.?/)[\\w.@+-]+)*/?)(?<![^/])${exampleFolder}(?:/((?:[\\w@+-][\\w.@+-]*/)*[\\w@+-][\\w.@+-]*))?/?$`,
);
const mention = new RegExp(`(?:^|[^\\w.-])${exampleFolder}/`);
