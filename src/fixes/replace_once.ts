/** Line edits: a piece of text that occurs exactly once is replaced; line ends and encoding stay. */
import { Buffer } from "node:buffer";
import { RefusedEdit } from "./edited_files.ts";

/** Like git: what has a NUL near its beginning is no text. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0);

/** One character per byte, so that text in any encoding survives. */
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const asBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const encoded = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** @throws {Refusal} saying how often `find` occurs and which lines come near */
export function replaceOnce(bytes: Uint8Array, find: string, replace: string): Uint8Array {
  if (isBinary(bytes)) throw new RefusedEdit("the file is binary; replace it whole or leave it");
  if (find === "") throw new RefusedEdit("`find` is empty; to write a whole file, give `content`");
  const text = asText(bytes);
  const ends = lineEnds(text);
  const wanted = encoded(withEnds(find, ends));
  const places = placesOf(text, wanted);
  if (places.length !== 1) throw new RefusedEdit(occurrences(text, find, places));
  const instead = encoded(withEnds(replace, ends));
  if (instead === wanted) throw new RefusedEdit("`find` and `replace` are the same");
  const at = places[0]!;
  return asBytes(text.slice(0, at) + instead + text.slice(at + wanted.length));
}

/** Whole-file content, with the line ends that the file had. */
export function contentFor(old: Uint8Array | undefined, content: string): Uint8Array {
  const bytes = Buffer.from(content, "utf8");
  if (old === undefined || content.includes("\r") || isBinary(old)) return new Uint8Array(bytes);
  return new Uint8Array(Buffer.from(withEnds(content, lineEnds(asText(old))), "utf8"));
}

type LineEnds = "lf" | "crlf" | "mixed";

export function lineEnds(text: string): LineEnds {
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  if (windows === 0) return "lf";
  return windows === all ? "crlf" : "mixed";
}

/** Text of a caller who does not see line ends, with those of the file. */
function withEnds(text: string, ends: LineEnds): string {
  if (ends === "mixed") return text;
  const plain = text.replaceAll("\r\n", "\n");
  return ends === "crlf" ? plain.replaceAll("\n", "\r\n") : plain;
}

/** Overlapping ones count: which of them is meant would be a guess. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function occurrences(text: string, find: string, places: number[]): string {
  if (places.length === 0) {
    const readable = Buffer.from(text, "latin1").toString("utf8");
    return ["`find` occurs 0 times, it must occur once", ...nearestLines(readable, find)].join("\n");
  }
  const lines = [...new Set(places.slice(0, 50).map((at) => text.slice(0, at).split("\n").length))];
  const more = places.length > 50 ? ", …" : "";
  return `\`find\` occurs ${places.length} times (lines ${
    lines.join(", ")
  }${more}), it must occur once; give more of the lines around it`;
}

/** Limit on similar places that the error lists when a text does not occur. */

const shown = 3;

/** Share of letter pairs that two lines must have in common to be called near. */
const near = 0.5;

/** One line per place, most alike first; or that only white space differs. */
function nearestLines(text: string, find: string): string[] {
  const lines = text.split(/\r?\n/);
  const wanted = find.split(/\r?\n/);
  const loose = sameButForSpace(lines, wanted);
  if (loose !== undefined) {
    const there = lines.slice(loose, loose + Math.min(wanted.length, 10));
    return [`It differs only in white space from line ${loose + 1}:`, ...there.map(quoted(loose))];
  }
  const first = wanted.find((line) => line.trim() !== "")?.trim() ?? "";
  const pairs = pairsOf(first);
  const ranked = lines
    .map((line, index) => ({ line, index, score: alike(pairs, pairsOf(line.trim())) }))
    .filter(({ score }) => score >= near)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, shown);
  if (ranked.length === 0) return ["No line comes near its first line"];
  return ["Nearest to its first line:", ...ranked.map(({ line, index }) => quoted(index)(line, 0))];
}

const quoted = (from: number) => (line: string, index: number): string =>
  `  ${from + index + 1}: ${line.slice(0, 160)}`;

function sameButForSpace(lines: string[], wanted: string[]): number | undefined {
  const bare = (line: string) => line.replaceAll(/\s+/g, "");
  const goal = wanted.map(bare);
  if (goal.every((line) => line === "")) return undefined;
  const all = lines.map(bare);
  // A find may begin or end in the middle of a line.
  const fits = (start: number) =>
    goal.every((line, index) => {
      const there = all[start + index];
      if (there === undefined) return false;
      if (goal.length === 1) return there.includes(line);
      if (index === 0) return there.endsWith(line);
      return index === goal.length - 1 ? there.startsWith(line) : there === line;
    });
  const start = all.findIndex((_, index) => fits(index));
  return start === -1 ? undefined : start;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const bounded = text.slice(0, 300);
  for (let at = 0; at < bounded.length - 1; at++) {
    const pair = bounded.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient: 1 for the same letter pairs, 0 for none in common. */
function alike(a: Map<string, number>, b: Map<string, number>): number {
  const size = (pairs: Map<string, number>) => [...pairs.values()].reduce((sum, count) => sum + count, 0);
  const total = size(a) + size(b);
  if (total === 0) return 0;
  let common = 0;
  for (const [pair, count] of a) common += Math.min(count, b.get(pair) ?? 0);
  return 2 * common / total;
}
