/** A loaded plugin as an exported runner needs it: no path of this machine, no secret. */
import { relative } from "node:path";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { type CiSettings, mapTexts, pluginMark, secretMark } from "./runner_settings.ts";

export interface CiPlan {
  plan: PluginPlan;
  /** Where the source lies inside the environment: the plugin's folder, or one above it. */
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
