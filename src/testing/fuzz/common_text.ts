/** Extracts what two messages of the same fault have in common, for any input that causes it. */
import { legible } from "../judge/failure_kind.ts";

/** Without quoted texts, numbers, addresses and paths; on one line, bounded. */
export function commonText(text: string): string {
  return legible(text)
    .replace(/(["'`])(?:(?!\1).){0,400}\1/g, "…")
    .replace(/(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+)+/g, "…")
    .replace(/0x[0-9a-f]+|\d+(?:\.\d+)?/gi, "#")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 160);
}

/** An exception's own line: "TypeError: x is not a function", "panicked at …". */
const exception =
  /^(?:.*\b\w*(?:Error|Exception)\b.*|panic: .*|thread '.*panicked.*|Segmentation fault.*|.*[Aa]bort(?:ed)?.*)$/;

/** A place in code as runtimes write it; the first two groups are file and line. JavaScript, Python, Go, Rust. */
const places: readonly { pattern: RegExp; innermost: "first" | "last" }[] = [
  { pattern: /^\s+at .*?([^\s()]+):(\d+):\d+\)?$/, innermost: "first" },
  { pattern: /^\s+File "(.+)", line (\d+)/, innermost: "last" },
  { pattern: /^\s+(\S+\.go):(\d+)/, innermost: "first" },
  { pattern: /panicked at '?(?:.*, )?(\S+?):(\d+):\d+/, innermost: "first" },
];

/** Frames that are not the plugin's own. */
const foreign = /node:|node_modules|\/usr\/(?:local\/)?(?:lib|go)\/|\/rustc\/|site-packages/;

/** The innermost place in the plugin's own code: `server.mjs:21`. */
function placeIn(lines: readonly string[]): string | undefined {
  for (const { pattern, innermost } of places) {
    const found = lines.flatMap((line) => {
      const match = foreign.test(line) ? null : pattern.exec(line);
      return match === null ? [] : [`${match[1]!.split(/[\\/]/).at(-1)}:${match[2]}`];
    });
    if (found.length > 0) return innermost === "first" ? found[0] : found.at(-1);
  }
  return undefined;
}

/**
 * Identifies a stack trace by the kind of error and the place in the code; without a place by its message, without
 * values.
 */
export function traceSignature(text: string): string {
  const lines = legible(text).split("\n");
  const what = lines.findLast((line) => exception.test(line)) ?? lines.find((line) => line.trim() !== "") ??
    "";
  const place = placeIn(lines);
  // The message may hold the input, which differs each time.
  const kind = /\b\w*(?:Error|Exception)\b|panic\w*/.exec(what)?.[0] ?? commonText(what);
  return place === undefined ? commonText(what) : `${kind} at ${place}`;
}
