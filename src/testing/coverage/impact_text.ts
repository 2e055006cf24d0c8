/** Which tests a change affects, in words. */
import type { TestImpact } from "../../../machines/model/coverage.ts";
import { count } from "../../core/values.ts";
import { shownPath } from "./shown_path.ts";

/** Tests and changes told one by one, unless all are wanted. */
const mostNamed = 40;
const mostPlaces = 12;

export function impactText(
  { source, tests, changes, unknown, notes }: TestImpact,
  all: number,
  detail = false,
): string[] {
  const places = changes.map(({ path, function: name, lines, tests, reason }) => {
    const at = lines === undefined ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
    return `${shownPath(path)}${at}${name === undefined ? "" : ` (${functionName(name)})`}: ${
      count(tests.length, "test")
    }, ${reason}`;
  });
  return [
    changes.length === 0 && unknown.length === 0
      ? "Nothing differs from what was measured: no test is affected."
      : `${count(tests.length, "test")} of ${all} affected, ${
        source === "measured" ? "as measured" : "as read from the source"
      }.`,
    ...shown(places, detail ? Infinity : mostPlaces),
    ...(tests.length === 0 ? [] : [shown(tests, detail ? Infinity : mostNamed).join(", ")]),
    ...unknown.map((path) =>
      `${shownPath(path)} is unknown to the map: whether a test needs it is not known.`
    ),
    ...notes,
  ];
}

const functionName = (key: string): string => key.replace(/^\(anonymous_\d+\):(\d+)$/, "function at line $1");

const shown = (items: readonly string[], most: number): string[] =>
  items.length <= most
    ? [...items]
    : [...items.slice(0, most), `… ${items.length - most} more; ask with detail: true`];
