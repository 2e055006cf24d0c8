/**
 * Texts for people and models: made safe, cut to a length, joined and counted. Columns of a terminal are in
 * `columns.ts`.
 */
import { stripVTControlCharacters } from "node:util";

/**
 * Bidirectional controls, zero-width characters and tags, by which a text reads otherwise than it is. Joiners are not
 * among them: scripts and emoji need them.
 */
const hidden =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
// deno-lint-ignore no-control-regex -- the expression is there to find control characters
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Escapes a character as JSON and most languages do (`\u202E`); one outside of the first plane takes two escapes. */
const escape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0")}`,
  ).join("");

/** Escapes hidden characters and leaves control characters. Within JSON the result means the same. */
export const escapeHidden = (text: string): string => text.replace(hidden, escape);

/** Escapes hidden characters and control characters except line feeds and tabs. */
export const visibleText = (text: string): string =>
  escapeHidden(text.replaceAll("\r\n", "\n")).replace(control, escape);

/** Makes a name visible and cuts it to `most` characters. */
export const visibleName = (name: string, most = 120): string =>
  visibleText(name.length <= most ? name : `${name.slice(0, most)}…`);

/**
 * Removes escape sequences and control characters, which could repaint the reader's terminal, and halves of
 * surrogate pairs. Hidden characters are escaped; line feeds stay.
 */
export const stripEscapes = (text: string): string =>
  escapeHidden(stripVTControlCharacters(text.replaceAll("\r\n", "\n")))
    .replaceAll("\t", "  ")
    .replaceAll(control, "\uFFFD")
    .toWellFormed();

/** Makes a text safe for a terminal and joins its lines to one. */
export const plainLine = (text: string): string => stripEscapes(text).replaceAll(/\s*\n\s*/g, " ").trim();

/** Cuts a text to at most `most` characters, the last of which is then "…". */
export const truncate = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** First line of a text without the space around it, cut to `most` characters. */
export const firstLine = (text: string, most = Infinity): string =>
  truncate(text.trim().split("\n", 1)[0]!.trimEnd(), most);

/** Joins all lines to one, with single spaces, cut to `most` characters. */
export const oneLine = (text: string, most = 200): string => truncate(text.trim().replace(/\s+/g, " "), most);

/** Any value as JSON on one line, cut to `most` characters with the full length named. */
export function textExcerpt(value: unknown, most = 300): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value) ?? String(value);
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

/** Any value as indented JSON; a string without quotes, a regular expression as in source. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof RegExp) return String(value);
  return JSON.stringify(value, null, 2) ?? String(value);
}

/** Puts `by` in front of every line that is not empty. */
export const indentLines = (text: string, by: string): string =>
  text.split("\n").map((line) => line === "" ? line : by + line).join("\n");

/** Last lines of a log, indented and each cut to 500 characters; "" when there are none. */
export function indentedTail(text: string, lines = 20): string {
  const kept = text.trimEnd().split("\n").slice(-lines).map((line) => line.slice(0, 500));
  return text.trim() === "" ? "" : indentLines(kept.join("\n"), "    ");
}

/** Last lines of a text below a line that says how many are left out. */
export function countedTail(text: string, lines: number): string {
  const all = text.replace(/\n+$/, "").split("\n");
  if (all.length <= lines) return all.join("\n");
  return [`… ${all.length - lines} lines left out`, ...all.slice(-lines)].join("\n");
}

/** Milliseconds for people: `3 ms`, `0.4 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Words of a name in any case: `readFile`, `read_file`, `read-file`, `HTTPServer`. */
export function textWords(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** `1 test`, `2 tests`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A regular expression that matches the text itself. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
