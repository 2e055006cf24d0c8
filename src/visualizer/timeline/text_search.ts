/** Looks for a text in lines of the file, upper and lower case alike, without parsing them. */
import { Buffer } from "node:buffer";

/** Where lines begin and end among some bytes, both rising; what lies between two lines is not looked at. */
export interface LinePlaces {
  starts: readonly number[];
  ends: readonly number[];
}

/** Answers which of these lines hold the text, as their places in the list. */
export type TextSearch = (bytes: Uint8Array, places: LinePlaces) => number[];

/** The text may be meant as it was said, or as it stands in the file, where quotes and line feeds have a backslash. */
export function createTextSearch(text: string): TextSearch {
  // deno-lint-ignore no-control-regex -- all of ASCII takes the short way
  const isAscii = /^[\u0000-\u007f]*$/.test(text);
  const lower = text.toLowerCase();
  const needles = [...new Set([lower, JSON.stringify(lower).slice(1, -1)])];
  return (bytes, places) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isAscii) return linesOneByOne(buffer, places, needles);
    // One character a byte, so that places in the text are places in the file.
    const haystack = buffer.toString("latin1").toLowerCase();
    const found = new Set<number>();
    for (const needle of needles) collect(haystack, places, needle, found);
    return [...found].sort((a, b) => a - b);
  };
}

/** Steps from hit to hit, and after one within a line to the next line. */
function collect(haystack: string, { starts, ends }: LinePlaces, needle: string, found: Set<number>): void {
  let line = 0;
  let from = 0;
  while (line < starts.length) {
    const hit = haystack.indexOf(needle, Math.max(from, starts[line]!));
    if (hit === -1) return;
    while (line < ends.length && ends[line]! < hit + needle.length) line++;
    if (line < starts.length && starts[line]! <= hit) found.add(line++);
    // Between two lines, or across their border: on with the next place.
    from = hit + 1;
  }
}

function linesOneByOne(buffer: Buffer, { starts, ends }: LinePlaces, needles: readonly string[]): number[] {
  const found: number[] = [];
  for (let line = 0; line < starts.length; line++) {
    const text = buffer.toString("utf8", starts[line], ends[line]).toLowerCase();
    if (needles.some((needle) => text.includes(needle))) found.push(line);
  }
  return found;
}
