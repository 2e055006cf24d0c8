/** Separates source text into code, comments and strings by a plain scan, quick enough for thousands of files. */

/** A string of the source. */
export interface SourceLiteral {
  /** Offset of the opening quote. */
  start: number;
  /** Behind its closing quote. */
  end: number;
  /** Without quotes, escapes as they are written. */
  text: string;
}

export interface CodeText {
  raw: string;
  /** Text of the same length as `raw` with comments and quoted text as blanks. */
  code: string;
  literals: SourceLiteral[];
  /** The line, from 1, of an offset. */
  lineOf(offset: number): number;
}

const string = {
  double: String.raw`"(?:[^"\\\n]|\\[\s\S])*"`,
  single: String.raw`'(?:[^'\\\n]|\\[\s\S])*'`,
  backtick: String.raw`${"`"}(?:[^${"`"}\\]|\\[\s\S])*${"`"}`,
  /** Go: nothing is escaped. */
  plainBacktick: "`[^`]*`",
  longDouble: String.raw`"""(?:[^\\]|\\[\s\S])*?"""`,
  longSingle: String.raw`'''(?:[^\\]|\\[\s\S])*?'''`,
  /** Rust: `r"…"`, `r#"…"#`. */
  rust: String.raw`\br(?<hash>#*)"[\s\S]*?"\k<hash>`,
  /** A character; a lifetime of Rust has no second quote. */
  character: String.raw`'(?:[^'\\\n]|\\[^\n]{1,8}?)'`,
  multiline: String.raw`"(?:[^"\\]|\\[\s\S])*"`,
};

const comment = {
  slashes: String.raw`\/\/[^\n]*`,
  stars: String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
  hash: "#[^\n]*",
};

/** A regular expression stands where a value is expected: quotes in it are no strings. */
const pattern = String
  .raw`\/(?<=(?:[(,=:[!&|?{};+\n]|\breturn)\s*\/)(?:[^\/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`;

const scanner = (...parts: string[]) => new RegExp(parts.join("|"), "g");
const { slashes, stars, hash } = comment;

const scanners = {
  javascript: scanner(slashes, stars, string.double, string.single, string.backtick, pattern),
  python: scanner(hash, string.longDouble, string.longSingle, string.double, string.single),
  rust: scanner(slashes, stars, string.rust, string.multiline, string.character),
  go: scanner(slashes, stars, string.double, string.plainBacktick, string.character),
  c: scanner(slashes, stars, string.double, string.character),
};

export type ScannedLanguage = keyof typeof scanners;

const endings: Record<string, ScannedLanguage> = {
  ...Object.fromEntries(
    ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"].map((one) => [one, "javascript"]),
  ),
  ...Object.fromEntries(["c", "h", "cc", "cpp", "hpp"].map((one) => [one, "c"])),
  py: "python",
  rs: "rust",
  go: "go",
};

/** By a file's ending; undefined for what is not scanned. */
export const scannedLanguage = (path: string): ScannedLanguage | undefined =>
  endings[/\.([a-z]+)$/.exec(path)?.[1] ?? ""];

export function readCode(raw: string, language: ScannedLanguage): CodeText {
  const literals: SourceLiteral[] = [];
  const code = raw.replace(scanners[language], (found: string, ...rest: unknown[]) => {
    const start = rest.find((one) => typeof one === "number") as number;
    const quotes = /^(?:r#*)?("""|'''|["'`])/.exec(found);
    if (!quotes) return blank(found);
    const close = found.startsWith("r") ? found.length - (found.lastIndexOf('"')) : quotes[1]!.length;
    const text = found.slice(quotes[0].length, found.length - close);
    literals.push({ start, end: start + found.length, text });
    return quotes[0] + blank(text) + found.slice(found.length - close);
  });
  const lines = lineStarts(raw);
  return { raw, code, literals, lineOf: (offset) => lineAt(lines, offset) };
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
