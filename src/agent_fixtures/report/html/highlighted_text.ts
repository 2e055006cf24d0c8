/**
 * Highlights JSON and shell. Texts are hostile: the rules need a time that grows as the text does, and what
 * they find is escaped.
 */
import { type Markup, markup } from "../../../testing/reporters/html/markup.ts";

export type Language = "json" | "shell" | "markdown" | "text";

/** Longest text that is highlighted, in characters: spans make it some times as long. */
const longestHighlighted = 12_000;

/** Groups of the expressions are the classes of what they match. */
const rules: Partial<Record<Language, RegExp>> = {
  json:
    /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s{0,9}:))|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>\b(?:true|false|null)\b)/g,
  shell:
    /(?<escape>\\.)|(?<comment>(?<=^|\s)#.*)|(?<string>'[^'\n]*'|"(?:[^"\\\n]|\\.)*")|(?<variable>\$\w+|\$\{[^}\n]{0,100}\})|(?<option>(?<=\s)--?[a-zA-Z][\w-]*)|(?<word>^[a-zA-Z][\w./-]*|(?<=[|;&(] )[a-zA-Z][\w./-]*)/gm,
};

/** Characters of a text for each part that is highlighted; what is dense beyond that is not, as spans are long. */
const charactersOfSpan = 8;

export function highlightedText(text: string, language: Language): Markup {
  const rule = rules[language];
  if (rule === undefined || text.length > longestHighlighted) return markup`${text}`;
  const pieces: (Markup | string)[] = [];
  let end = 0;
  let left = Math.ceil(text.length / charactersOfSpan);
  for (const match of text.matchAll(rule)) {
    if (left-- === 0) break;
    const [name, found] = Object.entries(match.groups!).find(([, value]) => value !== undefined)!;
    pieces.push(text.slice(end, match.index));
    pieces.push(name === "escape" ? found! : markup`<span class="${name}">${found}</span>`);
    end = match.index + match[0].length;
  }
  return markup`${[...pieces, text.slice(end)]}`;
}
