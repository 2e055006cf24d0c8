/**
 * A text with its escaped ASCII characters as they are, and the way back: encoders escape any character (`%68`, `\u0068`, `\x68`,
 * `&#104;`), some of a word alone, and one encoding within another. In linear time.
 */

export interface Decoded {
  text: string;
  /** From a place in the decoded text to one in the first: of an escape its beginning, behind it its end. */
  placeOf(at: number): number;
}

const hex = "[0-9a-fA-F]";
/** Percent, doubled or not; backslash escapes behind any number of backslashes that a quoting put there; HTML and XML, doubled or not. */
const escape = new RegExp(
  [
    `%(?:25){0,3}([2-7]${hex})`,
    `\\\\{1,99}(?:u00|x)([2-7]${hex})`,
    `\\\\{1,99}u\\{0{0,4}([2-7]${hex})\\}`,
    `&(?:amp;){0,3}#(?:[xX]0{0,6}([2-7]${hex})(?:;|(?!${hex}))|0{0,6}(\\d{2,3})(?:;|(?!\\d)))`,
  ].join("|"),
  "g",
);

/** Most texts have none: these tell quickly. */
const introducer = /[%&\\]/;

/** Undefined where nothing is escaped. */
export function decoded(text: string): Decoded | undefined {
  if (!introducer.test(text)) return undefined;
  const pieces: string[] = [];
  /** For each escape: its place in the decoded text, and by how much what follows is further on in the first. */
  const places: number[] = [];
  const shifts: number[] = [];
  let [done, length, shift] = [0, 0, 0];
  for (const match of text.matchAll(escape)) {
    const [all, percent, backslash, braced, hexadecimal, decimal] = match;
    const digits = percent ?? backslash ?? braced ?? hexadecimal;
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    if (code < 0x20 || code > 0x7e) continue;
    const before = text.slice(done, match.index);
    pieces.push(before, String.fromCharCode(code));
    length += before.length + 1;
    shift += all.length - 1;
    places.push(length - 1);
    shifts.push(shift);
    done = match.index + all.length;
  }
  if (pieces.length === 0) return undefined;
  pieces.push(text.slice(done));
  return { text: pieces.join(""), placeOf: (at) => at + (shifts[before(places, at) - 1] ?? 0) };
}

/** How many of the ascending numbers are less than this one. */
function before(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
