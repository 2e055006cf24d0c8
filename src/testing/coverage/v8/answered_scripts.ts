/** Reads and validates an answer about scripts: any code in the plugin's processes may answer in the agent's place. */
import { fileURLToPath } from "node:url";
import type { V8Function, V8Range } from "./script_layout.ts";
import { posix } from "node:path";

export interface Script {
  scriptId: string;
  url: string;
  /** Absolute, inside the environment. */
  path: string;
  functions: V8Function[];
  /** Text of code that was made in memory. */
  source?: string;
}

const mostScripts = 10_000;
/** Ranges of V8 nest as its code does. */
const deepest = 500;

/** @throws {TypeError} for what no agent says */
export function answeredScripts(told: unknown): Script[] {
  const scripts = list(told, "scripts");
  if (scripts.length > mostScripts) throw new TypeError("it tells of too many scripts");
  return scripts.map((one) => {
    const { scriptId, url, functions, source } = fields(one);
    if (typeof url !== "string" || !url.startsWith("file://")) throw new TypeError("a script has no file");
    if (typeof scriptId !== "string") throw new TypeError("a script has no id");
    if (source !== undefined && typeof source !== "string") throw new TypeError("a source is no text");
    return {
      scriptId,
      url,
      path: fileURLToPath(url),
      functions: list(functions, "functions").map(functionOf),
      ...(source === undefined ? {} : { source }),
    };
  });
}

function functionOf(told: unknown): V8Function {
  const { functionName, ranges, isBlockCoverage } = fields(told);
  if (typeof functionName !== "string") throw new TypeError("a function has no name");
  const own = list(ranges, "ranges").map(rangeOf);
  if (own.length === 0) throw new TypeError("a function has no range");
  requireNested(own);
  return { functionName, ranges: own, isBlockCoverage: isBlockCoverage === true };
}

function rangeOf(told: unknown): V8Range {
  const { startOffset, endOffset, count } = fields(told) as Record<string, number>;
  const whole = [startOffset, endOffset, count].every((one) => Number.isSafeInteger(one) && one! >= 0);
  if (!whole || startOffset! > endOffset!) throw new TypeError("a range is none");
  return { startOffset: startOffset!, endOffset: endOffset!, count: count! };
}

/** Checks that each range lies within those before it, or behind them, as all later steps require. */
function requireNested(ranges: readonly V8Range[]): void {
  const open: V8Range[] = [];
  let before = -1;
  for (const range of ranges) {
    while (open.length > 0 && open.at(-1)!.endOffset <= range.startOffset && open.length > 1) open.pop();
    const around = open.at(-1);
    const fits = around === undefined ||
      (range.startOffset >= around.startOffset && range.endOffset <= around.endOffset);
    if (!fits || range.startOffset < before || open.length > deepest) {
      throw new TypeError("ranges do not lie in each other");
    }
    before = range.startOffset;
    open.push(range);
  }
}

function list(told: unknown, name: string): unknown[] {
  if (Array.isArray(told)) return told;
  throw new TypeError(`${name} are no list`);
}

const fields = (told: unknown): Record<string, unknown> =>
  typeof told === "object" && told !== null ? told as Record<string, unknown> : {};

/** Not the plugin's own, not for its server, or the same code once more in another format. */
const aside =
  /^(\..*|node_modules|coverage|vendor|tests?|__\w+__|specs?|e2e|fixtures|examples?|bench(marks?)?|scripts|cjs|esm|umd|browser|web|public|static|assets)$/;
const notServer =
  /(^|[._-])(tests?|specs?|bench|stories|config|setup|min)\.[cm]?js$|^(gulpfile|gruntfile)\./i;

/**
 * In the folders that scripts were loaded from, and below them. The topmost folder is left out: scripts lie there that build,
 * configure and publish.
 * @param files paths of all files, relative to the plugin's folder
 * @param loaded relative to it, too
 * @param top relative to it; "." for itself
 * @returns relative to it, sorted
 */
export function unloadedScripts(files: readonly string[], loaded: readonly string[], top: string): string[] {
  const known = new Set(loaded.filter((path) => /\.[cm]?js$/.test(path)));
  const starts = new Set([...known].map((path) => posix.dirname(path)).filter((path) => path !== top));
  const isBelow = (folder: string): boolean => {
    for (let at = folder;;) {
      if (starts.has(at)) return true;
      if (at === "." || at === "/" || aside.test(posix.basename(at))) return false;
      at = posix.dirname(at);
    }
  };
  return files.filter((path) =>
    /\.[cm]?js$/.test(path) && !known.has(path) && !notServer.test(posix.basename(path)) &&
    isBelow(posix.dirname(path))
  ).sort();
}
