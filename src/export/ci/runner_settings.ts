/** What an exported runner knows of its plugin: written into the runner by the export, read when it starts. */
import { resolve } from "node:path";
import type { PluginPlan } from "../../../machines/model/plugin.ts";

export interface CiSettings {
  schema: "pth-ci/1";
  /** How the plugin is installed, built and started; `{plugin}` stands for its folder, `{secret:NAME}` for a secret. */
  plan: PluginPlan;
  /** Words behind the server's command, where only the build tells what is started. */
  args: string[];
  /** Values that tests and commands may name; they are no secret. */
  variables: Record<string, string>;
  /** Names of variables that hold secrets; the values come from the environment of the runner. */
  secrets: string[];
}

/** Stands for the plugin's folder in texts of the settings. */
export const pluginMark = "{plugin}";
export const secretMark = (name: string): string => `{secret:${name}}`;

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
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  const deep = (item: unknown): unknown => {
    if (typeof item === "string") return change(item);
    if (Array.isArray(item)) return item.map(deep);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, deep(entry)]));
  };
  return deep(value) as Value;
}
