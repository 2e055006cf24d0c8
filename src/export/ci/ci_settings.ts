/** Settings of an exported runner: the export writes them into the runner, which reads them when it starts. */
import { relative, resolve } from "node:path";
import type { PluginPlan } from "../../../machines/model/plugin.ts";

export interface CiSettings {
  schema: "pth-ci/1";
  /** Plan to install, build and start the plugin; `{plugin}` stands for its folder, `{secret:NAME}` for a secret. */
  plan: PluginPlan;
  /** Arguments of the server, if its command is known only after the build. */
  args: string[];
  /** Values that tests and commands may name; they are no secret. */
  variables: Record<string, string>;
  /** Names of variables that hold secrets; the values come from the environment of the runner. */
  secrets: string[];
}

/** Stands for the plugin's folder in texts of the settings. */
const pluginMark = "{plugin}";
const secretMark = (name: string): string => `{secret:${name}}`;

/** The settings on one machine: marks replaced, in every text. */
export function fillSettings(
  settings: CiSettings,
  pluginFolder: string,
  secrets: ReadonlyMap<string, string>,
): CiSettings {
  const folder = resolve(pluginFolder);
  const fill = (text: string) =>
    text.replaceAll(pluginMark, folder)
      .replace(/\{secret:([^}]+)\}/g, (mark, name: string) => secrets.get(name) ?? mark);
  return mapTexts(settings, fill);
}

/** A copy of plain data with every text changed; keys stay. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  const deep = (item: unknown): unknown => {
    if (typeof item === "string") return change(item);
    if (Array.isArray(item)) return item.map(deep);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, deep(entry)]));
  };
  return deep(value) as Value;
}

interface CiPlan {
  plan: PluginPlan;
  /** Path of the source inside the environment: the plugin's folder, or one above it. */
  sourcePath: string;
  args: string[];
  variables: Record<string, string>;
  secrets: ReadonlyMap<string, string>;
}

export function ciSettings({ plan, sourcePath, args, variables, secrets }: CiPlan): CiSettings {
  const replace = (text: string) => withoutPaths(withoutSecrets(text, secrets), plan.folder, sourcePath);
  const { variables: _own, notes: _said, ...kept } = plan;
  const names = new Set(secrets.keys());
  const plain = Object.entries(variables).filter(([name]) => !names.has(name));
  return mapTexts({
    schema: "pth-ci/1",
    plan: { ...kept, source: "." },
    args,
    variables: Object.fromEntries(plain),
    secrets: [...names].sort(),
  }, replace);
}

/** The longest first: one secret may be part of another. */
function withoutSecrets(text: string, secrets: ReadonlyMap<string, string>): string {
  const longest = [...secrets].filter(([, value]) => value !== "").sort((a, b) => b[1].length - a[1].length);
  for (const [name, value] of longest) {
    if (text === value || value.length >= 4) text = text.replaceAll(value, secretMark(name));
  }
  return text;
}

/** Paths below the plugin's folder, or below the source's top where the plugin lies deeper. */
function withoutPaths(text: string, folder: string, sourcePath: string): string {
  const inFolder = replacePath(text, folder, pluginMark);
  const up = relative(folder, sourcePath);
  return up === "" ? inFolder : replacePath(inFolder, sourcePath, `${pluginMark}/${up}`);
}

/** `/workspace/x` and `/workspace`, but not `/workspace2` or `/other/workspace`. */
function replacePath(text: string, path: string, by: string): string {
  const literal = path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![\\w./-])${literal}(?=$|[^\\w.-])`, "g"), () => by);
}
