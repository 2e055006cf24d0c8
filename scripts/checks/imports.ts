/** Finds what a TypeScript file imports and says, by text; comments are left out. */
import { posix } from "node:path";

export interface Import {
  /** As written: "node:fs", "xstate", "../errors.ts". */
  specifier: string;
  /** Path in the repository, for a relative specifier. */
  path?: string;
  /** Erased when compiled. */
  typeOnly: boolean;
}

const statement = /^[ \t]*(?:import|export)\s+(type\s)?(?:[^;"'`]*?\sfrom\s+)?["']([^"']+)["']/gm;
const call = /\bimport\(\s*["'`]([^"'`]+)["'`]/g;

/** Every import and re-export of the file at `path`, dynamic ones with a literal specifier too. */
export function findImports(path: string, text: string): Import[] {
  const code = withoutComments(text);
  const statements = [...code.matchAll(statement)].map(([, type, specifier]) => ({
    specifier: specifier!,
    typeOnly: type !== undefined,
  }));
  const calls = [...code.matchAll(call)].map(([, specifier]) => ({ specifier: specifier!, typeOnly: false }));
  return [...statements, ...calls].map((found) =>
    found.specifier.startsWith(".")
      ? { ...found, path: posix.join(posix.dirname(path), found.specifier) }
      : found
  );
}

/** The code with spaces for comments: every character that stays is where it was. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(?<=^|[\s;{}(,])\/\/.*$/gm, (comment) => " ".repeat(comment.length));
}

/** The code with spaces for comments and for texts of several lines: scripts that run elsewhere. */
export const withoutTexts = (text: string): string =>
  withoutComments(text).replace(
    /`[^`]*`/g,
    (literal) => literal.includes("\n") ? literal.replace(/[^\n]/g, " ") : literal,
  );

/** "path:line" of an index in the text. */
export const placeOf = (path: string, text: string, index: number): string =>
  `${path}:${text.slice(0, index).split("\n").length}`;
