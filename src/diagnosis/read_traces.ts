/** Reads source locations in a program's output: stack traces, panics, compilers' errors. */

export interface TraceFrame {
  /** Path as in the output: absolute, relative, or a `file:` URL. */
  path: string;
  line: number;
  column?: number;
  /** Function, method or module. */
  name?: string;
}

/** Reads locations in one language's format, the innermost frame first. */
type TraceStyle = (text: string) => TraceFrame[];

/** Frame of a match with the groups `path`, `line` and maybe `column`, `name`. */
function frameOf({ groups = {} }: RegExpMatchArray): TraceFrame {
  const { path, line, column, name } = groups;
  return {
    path: path!,
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(name === undefined || name === "" ? {} : { name }),
  };
}

/** All matches of a global pattern with named groups. */
const matchingSymptoms = (pattern: RegExp) => (text: string): TraceFrame[] =>
  [...text.matchAll(pattern)].map(frameOf);
/** `    at name (file:///x/y.js:1:2)`; a syntax error names its place on a line of its own, before the caret. */
const v8: TraceStyle = (text) => [
  ...matchingSymptoms(
    /^(?:Uncaught )?(?<path>(?:file:\/\/)?\/[^\n:()]+\.[cm]?[jt]sx?):(?<line>\d+)(?::(?<column>\d+))?\n(?=.*\n\s*\^)/gm,
  )(text),
  ...matchingSymptoms(
    /^\s+at (?:async )?(?:(?<name>[^\n()]+?) (?:\[as [^\]\n]*\] )?\()?(?<path>(?:file:\/\/)?\/[^\n:()]+):(?<line>\d+):(?<column>\d+)\)?/gm,
  )(text),
];

/** The last frame of a Python traceback is where it happened; of chained tracebacks the last is what was seen. */
const python: TraceStyle = (text) =>
  text.split(/^Traceback \(most recent call last\):$/m).reverse().flatMap((part) =>
    matchingSymptoms(/^\s+File "(?<path>[^"\n]+)", line (?<line>\d+)(?:, in (?<name>.+))?$/gm)(part).reverse()
  );

const rust: TraceStyle = (text) => [
  ...matchingSymptoms(
    /panicked at (?:'[^\n]*', )?(?<path>[^\n:']+\.rs):(?<line>\d+):(?<column>\d+)/g,
  )(text),
  ...matchingSymptoms(/^\s+\d+: (?<name>.+)\n\s+at (?<path>[^\n:]+\.rs):(?<line>\d+):(?<column>\d+)/gm)(text),
  ...matchingSymptoms(/^\s*--> (?<path>[^\n:]+):(?<line>\d+):(?<column>\d+)$/gm)(text),
];

const go: TraceStyle = (text) =>
  [...text.matchAll(
    /^(?:(?<name>[\w./*()]+)\([^\n]*\)\n)?\t(?<path>[^\n:]+\.go):(?<line>\d+)(?: \+0x|$)/gm,
  )]
    .map(frameOf)
    .filter(({ path }) => !/\/src\/runtime\//.test(path));

/** Compilers and linters: `file(12,3): error`, `file:12:3: error`, `file:12:3 - error`, eslint's blocks. */
const compilers: TraceStyle = (text) => [
  ...matchingSymptoms(/^(?<path>[^\s(][^\n(]*)\((?<line>\d+),(?<column>\d+)\): (?:fatal )?error\b/gm)(text),
  ...matchingSymptoms(
    /^(?<path>[^\s:][^\n:]*):(?<line>\d+):(?:(?<column>\d+):?)? (?:- )?(?:fatal )?error\b/gim,
  )(
    text,
  ),
  ...eslint(text),
  ...matchingSymptoms(/^(?<path>\.{0,2}\/?[\w@./-]+\.go):(?<line>\d+):(?<column>\d+): /gm)(text),
  ...matchingSymptoms(/^\S* ?(?:✘ \[ERROR\].*\n\n)?\s{4}(?<path>[\w@./-]+):(?<line>\d+):(?<column>\d+):$/gm)(
    text,
  ),
];

function eslint(text: string): TraceFrame[] {
  const frames: TraceFrame[] = [];
  let path: string | undefined;
  for (const line of text.split("\n")) {
    if (/^\/?[\w@.-][\w@./-]*\.\w+$/.test(line)) path = line;
    const found = /^\s+(?<line>\d+):(?<column>\d+)\s+error\s/.exec(line);
    if (found && path !== undefined) frames.push({ ...frameOf(found), path });
  }
  return frames;
}

/** A last resort: `file:12` anywhere in the text, where the file looks like source. */
const loose: TraceStyle = matchingSymptoms(
  /(?<path>(?:file:\/\/)?[\w@./-]*[\w-]\.(?:[cm]?[jt]sx?|py|rs|go|c|cc|cpp|h|hpp|rb|java|php)):(?<line>\d+)(?::(?<column>\d+))?/g,
);

const styles = [v8, python, rust, go, compilers, loose];

/** Every place named, without repetitions, the likeliest culprit first. */
export function readTraces(text: string): TraceFrame[] {
  const seen = new Set<string>();
  return styles.flatMap((style) => style(text)).filter(({ path, line }) => {
    const key = `${path}:${line}`;
    return !seen.has(key) && seen.add(key);
  });
}
