/** Prompts and their arguments before and after. */
import type { SurfaceChange } from "../../machines/model/contract.ts";
import { isObject } from "../core/values.ts";
import { likelyRename } from "./likely_rename.ts";
import { compareTexts, indexByName } from "./compare_texts.ts";

type Entry = Record<string, unknown>;

export function comparePrompts(before: readonly Entry[], after: readonly Entry[]): SurfaceChange[] {
  const [old, now] = [indexByName(before, "name"), indexByName(after, "name")];
  const added = [...now].filter(([name]) => !old.has(name));
  const shapes = added.map(([name, { arguments: shape }]) => ({ name, shape: { arguments: shape } }));
  return [
    ...[...old].flatMap(([name, prompt]): SurfaceChange[] => {
      const same = now.get(name);
      if (same !== undefined) return comparePrompt(prompt, same, `prompts/${name}`);
      const renamed = likelyRename({ name, shape: { arguments: prompt.arguments } }, shapes);
      const hint = renamed === undefined ? "" : `; it was likely renamed to ${renamed}`;
      const message = `${name} is gone${hint}`;
      return [{ impact: "breaking", code: "prompt-removed", path: `prompts/${name}`, message }];
    }),
    ...added.map(([name]): SurfaceChange => ({
      impact: "compatible",
      code: "prompt-added",
      path: `prompts/${name}`,
      message: `${name} is new`,
    })),
  ];
}

function comparePrompt(before: Entry, after: Entry, path: string): SurfaceChange[] {
  const [old, now] = [argumentsOf(before), argumentsOf(after)];
  const at = (name: string) => `${path}/arguments/${name}`;
  return [
    ...compareTexts(before, after, path),
    ...[...old].flatMap(([name, argument]) => {
      const same = now.get(name);
      return same === undefined
        ? [changed("breaking", "argument-removed", at(name), `${name} is no longer taken`)]
        : compareArgument(name, argument, same, at(name));
    }),
    ...[...now].filter(([name]) => !old.has(name)).map(([name, { required }]) =>
      required === true
        ? changed("breaking", "required-argument-added", at(name), `${name} is new and required`)
        : changed("compatible", "argument-added", at(name), `${name} is new and optional`)
    ),
  ];
}

const argumentsOf = (prompt: Entry): Map<string, Entry> =>
  indexByName(Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : [], "name");

function compareArgument(name: string, before: Entry, after: Entry, path: string): SurfaceChange[] {
  const [old, now] = [before.required === true, after.required === true];
  const required = old === now ? [] : [
    now
      ? changed("breaking", "argument-required", path, `${name} is now required`)
      : changed("compatible", "argument-optional", path, `${name} is no longer required`),
  ];
  return [...required, ...compareTexts(before, after, path)];
}

const changed = (
  impact: SurfaceChange["impact"],
  code: string,
  path: string,
  message: string,
): SurfaceChange => ({ impact, code, path, message });
