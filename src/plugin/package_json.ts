/** Reads a plugin's identity: name and version, from the first manifest that has them. */
import { basename } from "node:path";
import { PthError } from "../core/errors.ts";
import type { ReadableFolder } from "./readable_folder.ts";

export interface PackageJson {
  name?: string;
  version?: string;
  type?: string;
  main?: string;
  module?: string;
  bin?: string | Record<string, string>;
  exports?: unknown;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  workspaces?: unknown;
  engines?: unknown;
  /** PTH's own section: variables that the plugin needs, and the tier of environment. */
  pth?: { config?: Record<string, unknown>; tier?: unknown };
}

/** Scripts that npm runs at an install, in its order. */
export const installScripts = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
  "dependencies",
];

/** Name and version; the folder's name if no manifest has one. */
export async function readIdentity(folder: ReadableFolder): Promise<{ name: string; version?: string }> {
  const told = [
    await jsonIdentity(folder, ".claude-plugin/plugin.json"),
    await jsonIdentity(folder, "package.json"),
    tomlIdentity(await folder.read("pyproject.toml"), ["project", "tool.poetry"]),
    tomlIdentity(await folder.read("Cargo.toml"), ["package"]),
  ];
  const name = told.find((one) => one.name !== undefined)?.name ?? basename(folder.path);
  const version = told.find((one) => one.version !== undefined)?.version;
  return { name, ...(version === undefined ? {} : { version }) };
}

/** @throws {PthError} `INVALID_CONFIG` when it is not JSON */
export async function readPackageJson(folder: ReadableFolder): Promise<PackageJson | undefined> {
  return await readJsonObject(folder, "package.json") as PackageJson | undefined;
}

/** An object from a JSON file, undefined where there is no file. @throws {PthError} `INVALID_CONFIG` */
export async function readJsonObject(
  folder: ReadableFolder,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const text = await folder.read(path);
  if (text === undefined) return undefined;
  const value = parse(text, `${folder.path}/${path}`);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new PthError("INVALID_CONFIG", `Cannot read ${folder.path}/${path}: expected an object`, {
    output: text.slice(0, 2000),
    next: ["Correct the file: it has to be a JSON object"],
  });
}

/** Lines of a TOML table such as `[project.scripts]`: `name = "value"` pairs. Enough for what manifests hold. */
export function tomlTable(text: string, table: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  let current = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line);
    if (header) current = header[1]!.replaceAll(/["']/g, "");
    const pair = /^\s*["']?([\w.-]+)["']?\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(line);
    if (pair && current === table) pairs[pair[1]!] = pair[2] ?? pair[3] ?? "";
  }
  return pairs;
}

async function jsonIdentity(folder: ReadableFolder, path: string) {
  const manifest = await readJsonObject(folder, path);
  return { ...text("name", manifest?.name), ...text("version", manifest?.version) };
}

function tomlIdentity(toml: string | undefined, tables: string[]): { name?: string; version?: string } {
  const table = tables.map((name) => tomlTable(toml ?? "", name)).find((pairs) => pairs.name !== undefined);
  return { ...text("name", table?.name), ...text("version", table?.version) };
}

const text = <Key extends string>(key: Key, value: unknown) =>
  (typeof value === "string" && value !== "" ? { [key]: value } : {}) as { [K in Key]?: string };

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PthError("INVALID_CONFIG", `Cannot read ${path}: ${(cause as Error).message}`, {
      output: text.slice(0, 2000),
      next: ["Correct the file: it has to be JSON"],
    }, { cause });
  }
}
