/** Line edits: a piece of text that occurs exactly once is replaced; line ends and encoding stay. */
import { Buffer } from "node:buffer";
import { RefusedEdit } from "./check_path.ts";
import { nearestLines } from "./nearest_lines.ts";

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

export type LineEnds = "lf" | "crlf" | "mixed";

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
