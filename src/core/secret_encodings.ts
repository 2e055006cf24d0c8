/**
 * Encodings of a secret: patterns that find it plain, escaped for JSON (also several times over), for a shell, for URLs, HTML
 * and XML, and within Base64 and hexadecimal text.
 *
 * A pattern is made character by character, because encodings mix: a URL in JSON in a log line escapes each in its own way.
 */
import { Buffer } from "node:buffer";

/** Shorter secrets would tear ordinary text apart ("1", "no"): they count only where they stand alone, not within a word. */
const shortest = 4;
/** Shorter pieces of Base64 would be found in anything. */
const shortestPiece = 8;
/** Backslashes of a quoting: each time that JSON is put into JSON doubles them. */
const quoted = "\\\\{1,99}";

/** A spelling of a secret to be looked for. */
export interface SecretEncoding {
  /** Plain texts, one of which is in every match of the pattern: searching for them first is fast. */
  anchors: string[];
  /** Compiles the pattern at its first use: most are never needed, and those of key files are long. */
  pattern(): RegExp;
}

/** Encodings of all secrets, those of the longest texts first; none for a secret of white space alone. */
export function secretEncodings(secrets: Iterable<string>): SecretEncoding[] {
  const values = new Set(
    [...secrets].flatMap((secret) => [secret.trim(), echoed(secret).trim()]).filter((text) => text !== ""),
  );
  const forms = new Map<string, { length: number; form: SecretEncoding }>();
  const add = (text: string, anchors: string[], source: () => string) => {
    let made: RegExp | undefined;
    const pattern = () => made ??= new RegExp(source(), "g");
    forms.set(`${text} ${anchors.length}`, { length: text.length, form: { anchors, pattern } });
  };
  for (const value of values) addForms(value, add);
  return [...forms.values()].sort((a, b) => b.length - a.length).map(({ form }) => form);
}

/** Interprets backslashes as the `echo` of many shells does. */
const echoed = (secret: string): string =>
  secret.replaceAll(/\\([abfnrtv\\])/g, (_all, letter: string) => shellEscapes[letter]!);

const shellEscapes: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

type Add = (text: string, anchors: string[], source: () => string) => void;

function addForms(secret: string, add: Add): void {
  if (secret.length < shortest) {
    return add(secret, [anchorIn(secret)], () => `(?<![\\w-])${spelled(secret)}(?![\\w-])`);
  }
  // A key file is shown line by line, each with an indent or a prefix of its own.
  const lines = secret.split(/\r?\n/).map((line) => line.trim()).filter((line) => line.length >= 8);
  for (const text of [secret, ...lines]) add(text, [anchorIn(text)], () => spelled(text));
  const encoded = [secret, JSON.stringify(secret).slice(1, -1), percentEncoded(secret), ...lines];
  for (const piece of encoded.flatMap(base64Of)) {
    // Long Base64 comes in lines: of three neighbours a line's end divides one at most.
    const width = Math.min(12, Math.max(4, Math.floor(piece.length / 3)));
    const anchors = piece.match(new RegExp(`[A-Za-z0-9]{4,${width}}`, "g"))?.slice(0, 3) ?? [""];
    add(piece, anchors, () => spelled(piece, "(?:\\s|\\\\+[rn])*"));
  }
  const hex = Buffer.from(secret).toString("hex");
  for (const text of [hex, hex.toUpperCase()]) add(text, [text], () => text);
}

/** The longest part that no quoting changes. */
const anchorIn = (text: string): string =>
  (text.match(/[A-Za-z0-9]+/g) ?? []).reduce(
    (longest, run) => run.length > longest.length ? run : longest,
    "",
  );

const spelled = (text: string, between = ""): string => [...text].map(spell).join(between);

/** One character in every spelling. */
function spell(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, "0"));
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16));
  const point = character.codePointAt(0)!;
  return `(?:${
    [
      plain(character),
      // \u00e9, and Python's \xc3\xa9.
      units.map((unit) => `${quoted}u${anyCase(unit.padStart(4, "0"))}`).join(""),
      bytes.map((byte) => `${quoted}x${anyCase(byte)}`).join(""),
      // What is encoded twice has %25 in place of each %.
      bytes.map((byte) => `%(?:25){0,3}${anyCase(byte)}`).join(""),
      `&(?:amp;){0,3}(?:#0*${point}|#[xX]0*${anyCase(point.toString(16))}${named[character] ?? ""});`,
    ].join("|")
  })`;
}

const named: Record<string, string> = { "&": "|amp", "<": "|lt", ">": "|gt", '"': "|quot", "'": "|apos" };

/** Pattern of the character as it is, behind any number of backslashes that quoting added. */
function plain(character: string): string {
  if (character === "\\") return quoted;
  const letter = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\x07": "a" }[character];
  if (letter !== undefined) return `${character}|${quoted}${letter}`;
  const literal = `\\\\{0,99}${character.replace(/[\^$.*+?()[\]{}|/-]/, "\\$&")}`;
  return character === " " ? `${literal}|\\+` : literal;
}

const anyCase = (hex: string): string =>
  hex.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Base64 of the text alone, and the inner part that it has at any offset within longer data ("user:secret"). */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  const pieces = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil(offset * 8 / 6);
    const to = Math.floor(shifted.length * 8 / 6);
    return [shifted.toString("base64").slice(from, to), shifted.toString("base64url").slice(from, to)];
  });
  const whole = [bytes.toString("base64"), bytes.toString("base64url")].map((all) => all.replace(/=+$/, ""));
  return [...whole, ...pieces].filter((piece) => piece.length >= shortestPiece);
}

/** Lone surrogates have no percent encoding. */
const percentEncoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"));

interface Decoded {
  text: string;
  /** Maps a place in the decoded text to the original text. */
  placeOf(at: number): number;
}

const hex = "[0-9a-fA-F]";
/**
 * Percent escapes (doubled or not), backslash escapes behind any number of backslashes, HTML and XML escapes (doubled
 * or not).
 */
const escape = new RegExp(
  [
    `%(?:25){0,3}([2-7]${hex})`,
    `\\\\{1,99}(?:u00|x)([2-7]${hex})`,
    `\\\\{1,99}u\\{0{0,4}([2-7]${hex})\\}`,
    `&(?:amp;){0,3}#(?:[xX]0{0,6}([2-7]${hex})(?:;|(?!${hex}))|0{0,6}(\\d{2,3})(?:;|(?!\\d)))`,
  ].join("|"),
  "g",
);

/** Characters that begin an escape. Most texts have none of them. */
const introducer = /[%&\\]/;

/**
 * Decodes escaped ASCII characters (`%68`, `\u0068`, `\x68`, `&#104;`), in linear time, and maps places back: encoders
 * escape some characters of a word alone, and encode within each other. Undefined when nothing is escaped.
 */
export function decoded(text: string): Decoded | undefined {
  if (!introducer.test(text)) return undefined;
  const pieces: string[] = [];
  /** Per escape: its place in the decoded text, and the offset from there on to the original text. */
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

/** Number of ascending numbers that are less than `limit`. */
function before(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
