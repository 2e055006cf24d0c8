/** The facts of a failure as lines for people and models. */
import type { PthError } from "../core/errors.ts";
import { recoveryRow } from "./table.ts";

/**
 * Tells what the table names for this failure and the error knows, but for the raw output, which has a place of its own.
 * @param most lines of one fact
 */
export function factLines({ code, context }: PthError, most = Infinity): string[] {
  return Object.entries(recoveryRow(code)?.facts ?? {}).flatMap(([key, label]) => {
    const text = key === "output" ? "" : textOf(context[key]);
    if (text === "") return [];
    const [first = "", ...more] = text.split("\n");
    return more.length === 0
      ? [`${label}: ${first}`]
      : [`${label}:`, ...bounded([first, ...more], most).map((line) => `  ${line}`)];
  });
}

const bounded = (lines: string[], most: number): string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `… ${lines.length - most} more lines`];

function textOf(fact: unknown): string {
  if (fact === undefined || fact === null) return "";
  if (typeof fact === "string") return fact.trimEnd();
  if (Array.isArray(fact)) return fact.map(textOf).join("\n");
  return typeof fact === "object" ? JSON.stringify(fact) : String(fact);
}
