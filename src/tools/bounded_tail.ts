/** Bounds long texts: to their end, where the cause of a failure usually is, to their beginning, or to both ends. */

export interface TailLimits {
  lines: number;
  characters: number;
}

/** Limits of what a model reads without being asked whether it wants more. */
const shortTail: TailLimits = { lines: 60, characters: 4_000 };
/** Limits with `detail: true`: as much as one answer can reasonably carry. */
const longTail: TailLimits = { lines: 20_000, characters: 1_000_000 };

export const tailLimits = (detail: boolean | undefined): TailLimits => detail ? longTail : shortTail;

/**
 * The last lines of a text, preceded by a line that says how many were left out.
 * @param more how to see the rest; "" says nothing about it.
 */
export function boundedTail(
  text: string,
  limits: TailLimits = shortTail,
  more = "; ask with detail: true",
): string {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body.split("\n");
  let start = Math.max(0, lines.length - limits.lines);
  let size = 0;
  for (let at = lines.length - 1; at >= start; at--) {
    size += lines[at]!.length + 1;
    if (size > limits.characters && at < lines.length - 1) start = at + 1;
  }
  const kept = cutLine(lines.slice(start).join("\n"), limits.characters);
  return start === 0 ? kept : `… ${start} line${start === 1 ? "" : "s"} left out${more}\n${kept}`;
}

/** A single line may be longer than all that is allowed. */
const cutLine = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : `… ${text.length - characters} characters left out …${text.slice(-characters)}`;

/**
 * The beginning of a long text, cut at a line's end, and how much was left out.
 * @param more how to see the rest
 */
export function sectionHead(text: string, characters: number, more = ""): string {
  if (text.length <= characters) return text;
  const end = text.lastIndexOf("\n", characters);
  const kept = text.slice(0, end <= 0 ? characters : end);
  return `${kept}\n… ${text.length - kept.length} characters left out${more}`;
}

export interface BoundedEndsLimits {
  lines: number;
  /** Characters of each line. */
  width: number;
}

/** @param more how to see the rest; "" says nothing about it */
export function boundedEnds(text: string, { lines, width }: BoundedEndsLimits, more = ""): string[] {
  const all = text.trimEnd().split("\n").map((line) => cutToWidth(line.trimEnd(), width));
  if (all.length <= lines) return all;
  const first = Math.ceil(lines / 3);
  return [...all.slice(0, first), `… ${all.length - lines} lines${more}`, ...all.slice(first - lines)];
}

const cutToWidth = (line: string, width: number): string =>
  line.length <= width ? line : `${line.slice(0, width - 1).toWellFormed()}…`;
