/** Exported names, file names and docstrings use the terms of docs/glossary.md. */
import { posix } from "node:path";
import { defineCheck } from "./check.ts";
import { exportedNames, sourceFiles, wordsIn } from "./exported_names.ts";
import { placeOf } from "./imports.ts";

const glossary = "docs/glossary.md";

/** Words that the glossary forbids, each with what stands in its place. */
export interface ForbiddenWords {
  names: Map<string, string>;
  texts: Map<string, string>;
  /** First words of docstrings, as they are written there. */
  openings: Map<string, string>;
}

export default defineCheck({
  name: `names and docstrings use the terms of ${glossary}`,
  async run(tree) {
    const forbidden = readGlossary(await tree.read(glossary));
    const problems: string[] = [];
    for (const path of sourceFiles(tree)) {
      const text = await tree.read(path);
      const file = { name: posix.basename(path).replace(/\.tsx?$/, ""), place: path };
      for (const { name, place } of [file, ...exportedNames(path, text)]) {
        for (const word of new Set(wordsIn(name))) {
          const instead = forbidden.names.get(word);
          if (instead !== undefined) problems.push(`${place}: "${word}" in the name ${name}: ${instead}`);
        }
      }
      problems.push(...docstringProblems(path, text, forbidden));
    }
    return problems;
  },
});

/** @throws {Error} when one of the two tables is missing: nothing would be forbidden. */
export function readGlossary(text: string): ForbiddenWords {
  const words = tableBelow(text, "## Words we do not use in names and texts");
  const openings = tableBelow(text, "## How a docstring begins");
  const of = (where: string) => words.filter(([, places]) => places!.includes(where));
  return {
    names: byWord(of("names").map(([word, , instead]) => [word!, instead!])),
    texts: byWord(of("texts").map(([word, , instead]) => [word!, instead!])),
    openings: byWord(openings.map(([word, instead]) => [word!, instead!])),
  };
}

function tableBelow(text: string, heading: string): string[][] {
  const section = text.split(/^(?=## )/m).find((section) => section.startsWith(`${heading}\n`)) ?? "";
  const rows = [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row]) =>
    row!.split("|").map((cell) => cell.trim())
  );
  if (rows.length < 3) throw new Error(`Cannot read ${glossary}: "${heading}" has no table`);
  return rows.slice(2);
}

const byWord = (rows: [words: string, instead: string][]): Map<string, string> =>
  new Map(
    rows.flatMap(([words, instead]) =>
      [...words.matchAll(/`([^`]+)`/g)].map(([, word]): [string, string] => [word!, instead])
    ),
  );

/** Docstrings that begin with a forbidden word, or use one in their first sentence. */
function docstringProblems(path: string, text: string, { texts, openings }: ForbiddenWords): string[] {
  const problems: string[] = [];
  for (const { 1: comment, index } of text.matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
    const said = comment!.replace(/^[ \t]*\* ?/gm, "").replace(/`[^`]*`/g, "…").trim();
    const [sentence = ""] = said.split(/[.:;](?=\s|$)|\n@/);
    const place = placeOf(path, text, index);
    const first = /^[A-Za-z]+/.exec(sentence)?.[0] ?? "";
    const begin = openings.get(first);
    if (begin !== undefined) {
      problems.push(`${place}: a docstring begins with "${first}"; begin with ${begin}`);
    }
    for (const word of new Set(sentence.toLowerCase().match(/[a-z]+(?:-[a-z]+)*/g))) {
      const instead = texts.get(word);
      if (instead !== undefined) problems.push(`${place}: "${word}" in a docstring: ${instead}`);
    }
  }
  return problems;
}
