/** Finds the names that source files export, by text. */
import { placeOf, withoutTexts } from "./imports.ts";
import type { Tree } from "./check.ts";

export interface ExportedName {
  name: string;
  /** Types and interfaces; all others exist at run time. */
  isType: boolean;
  /** "path:line" of the declaration. */
  place: string;
}

const declaration =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(const|let|(?:async\s+)?function\*?|class|interface|type)\s+(\w+)/gm;

/** Source files whose exports are looked at; generated registries all export the same name. */
export const sourceFiles = (tree: Tree): string[] =>
  tree.paths.filter((path) => /^(?:src|machines)\/.*(?<!\/_registry)\.tsx?$/.test(path));

/** Names declared by exports of one file; overloads once, a type and a value of one name once. */
export function exportedNames(path: string, text: string): ExportedName[] {
  const code = withoutTexts(text);
  const found = new Map<string, ExportedName>();
  for (const { 1: kind, 2: name, index } of code.matchAll(declaration)) {
    const isType = kind === "type" || kind === "interface";
    const earlier = found.get(name!);
    if (earlier === undefined) found.set(name!, { name: name!, isType, place: placeOf(path, text, index) });
    else earlier.isType &&= isType;
  }
  return [...found.values()];
}

/** Words of a name in camelCase, PascalCase or snake_case, in lower case. */
export const wordsIn = (name: string): string[] =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2").toLowerCase()
    .split(/[_.]+/).filter((word) => word !== "");
