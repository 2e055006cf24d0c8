/** Packages that a Python project declares for its tests: extras, dependency groups of each tool, and files of requirements. */
import { parse } from "smol-toml";
import { isObject } from "../core/values.ts";
import type { ReadableFolder } from "./readable_folder.ts";

export interface PythonTestRequirements {
  /** Requirements in the words of pip. */
  packages: string[];
  /** Paths of files of requirements. */
  files: string[];
}

/** Names of groups and files; those for development count where there are none for tests. */
const tiers = [["test", "tests", "testing"], ["dev", "develop", "development"]] as const;
const filesOf = (name: string): string[] => [
  `requirements-${name}.txt`,
  `requirements_${name}.txt`,
  `${name}-requirements.txt`,
  `requirements/${name}.txt`,
];
const mostPackages = 200;
const longestPackage = 300;

export async function pythonTestRequirements(folder: ReadableFolder): Promise<PythonTestRequirements> {
  const project = tomlOf(await folder.read("pyproject.toml"));
  for (const names of tiers) {
    const packages = names.flatMap((name) => packagesOf(project, name)).slice(0, mostPackages);
    const files: string[] = [];
    for (const file of names.flatMap(filesOf)) if (await folder.exists(file)) files.push(file);
    if (packages.length + files.length > 0) return { packages: [...new Set(packages)], files };
  }
  return { packages: [], files: [] };
}

function tomlOf(text: string | undefined): unknown {
  try {
    return parse(text ?? "");
  } catch {
    return {}; // the build tool that reads the file says what is wrong with it
  }
}

function at(value: unknown, ...keys: string[]): unknown {
  let found = value;
  for (const key of keys) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

function packagesOf(project: unknown, name: string): string[] {
  const isDev = name === "dev";
  return [
    ...namesIn(at(project, "project", "optional-dependencies", name)),
    ...groupOf(at(project, "dependency-groups"), name),
    ...(isDev ? namesIn(at(project, "tool", "uv", "dev-dependencies")) : []),
    ...poetryNames(at(project, "tool", "poetry", "group", name, "dependencies")),
    ...(isDev ? poetryNames(at(project, "tool", "poetry", "dev-dependencies")) : []),
  ];
}

/** A group with those that it includes, each once. */
function groupOf(groups: unknown, name: string, seen: Set<string> = new Set()): string[] {
  const group = at(groups, name);
  if (seen.has(name) || !Array.isArray(group)) return [];
  seen.add(name);
  return group.flatMap((entry) => {
    const included = at(entry, "include-group");
    return typeof included === "string" ? groupOf(groups, included, seen) : namesIn([entry]);
  });
}

/** Leaves out what pip could take for an option. */
const namesIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).filter((entry): entry is string =>
    typeof entry === "string" && entry.length <= longestPackage && /^[A-Za-z0-9][^\n]*$/.test(entry)
  );

/** Poetry writes versions in a way of its own; any version will do. */
const poetryNames = (table: unknown): string[] =>
  isObject(table)
    ? namesIn(Object.keys(table).filter((name) => name !== "python" && typeof table[name] === "string"))
    : [];
