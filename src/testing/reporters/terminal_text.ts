/** Text from servers and files, made safe and fitting for terminals and documents. */
import { stripVTControlCharacters } from "node:util";
import { escapeHidden } from "../../core/visible_text.ts";

// deno-lint-ignore no-control-regex -- control characters are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Without escape sequences and control characters, which could repaint the reader's terminal, and halves of characters; hidden
 * signs are written as escapes; lines stay.
 */
export const stripEscapes = (text: string): string =>
  escapeHidden(stripVTControlCharacters(text.replaceAll("\r\n", "\n")))
    .replaceAll("\t", "  ")
    .replaceAll(control, "\uFFFD")
    .toWellFormed();

/** One line: what follows a line feed is joined on. */
export const plainLine = (text: string): string => stripEscapes(text).replaceAll(/\s*\n\s*/g, " ").trim();

/** No column takes more of a text than this, in UTF-16 code units: an emoji of a family takes 11. */
const mostUnits = 32;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns that plain text takes in a terminal. */
export function columnWidth(text: string): number {
  // deno-lint-ignore no-control-regex -- all of ASCII takes the short way
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}

/** The text cut to so many columns, with "…" where something is missing. */
export function cutToColumns(text: string, columns: number): string {
  if (columns <= 0) return "";
  // What lies far behind the cut is not looked at: segmenting a long text takes its length squared on Node.
  const near = text.slice(0, columns * mostUnits);
  if (near.length === text.length && columnWidth(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(near)) {
    used += columnWidth(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return kept + "…";
}

/** Lines of at most `columns`, broken at spaces where there are any; leading spaces are kept on each piece. */
export function wrapColumns(text: string, columns: number): string[] {
  const room = Math.max(4, columns);
  return text.split("\n").flatMap((line) => wrapLine(line, room));
}

function wrapLine(line: string, columns: number): string[] {
  if (columnWidth(line) <= columns) return [line];
  const lead = line.match(/^ */)![0].slice(0, columns >> 1);
  const lines: string[] = [];
  let current = lead;
  for (const word of line.trim().split(" ")) {
    const joined = current === lead ? lead + word : `${current} ${word}`;
    if (columnWidth(joined) <= columns) {
      current = joined;
      continue;
    }
    if (current !== lead) lines.push(current);
    current = lead + word;
    while (columnWidth(current) > columns) {
      const piece = cutToColumns(current, columns + 1).slice(0, -1);
      lines.push(piece);
      current = lead + current.slice(piece.length);
    }
  }
  return [...lines, current];
}

/** Every line with the same beginning. */
export const indentLines = (text: string, by: string): string =>
  text.split("\n").map((line) => line === "" ? line : by + line).join("\n");

/** The last lines, and a word on how many are left out. */
export function countedTail(text: string, lines: number): string {
  const all = text.replace(/\n+$/, "").split("\n");
  if (all.length <= lines) return all.join("\n");
  return [`… ${all.length - lines} lines left out`, ...all.slice(-lines)].join("\n");
}

/** 3 ms, 0.4 s, 12 s, 2 min 5 s. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Any value as a person writes it; a text as it is. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof RegExp) return String(value);
  return JSON.stringify(value, null, 2) ?? String(value);
}
