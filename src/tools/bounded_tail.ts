/** Long output, cut to its end, where the cause of a failure usually stands. */

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
