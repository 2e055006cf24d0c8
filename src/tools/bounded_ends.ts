/** A text cut in its middle: what went wrong stands at one end or the other. */

export interface BoundedEndsLimits {
  lines: number;
  /** Characters of each line. */
  width: number;
}

/** @param more how to see the rest; "" says nothing about it */
export function boundedEnds(text: string, { lines, width }: BoundedEndsLimits, more = ""): string[] {
  const all = text.trimEnd().split("\n").map((line) => cutLine(line.trimEnd(), width));
  if (all.length <= lines) return all;
  const first = Math.ceil(lines / 3);
  return [...all.slice(0, first), `… ${all.length - lines} lines${more}`, ...all.slice(first - lines)];
}

const cutLine = (line: string, width: number): string =>
  line.length <= width ? line : `${line.slice(0, width - 1).toWellFormed()}…`;
