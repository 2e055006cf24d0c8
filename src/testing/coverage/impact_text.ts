/** Which tests a change affects, in words. */
import type { TestImpact } from "../../../machines/model/coverage.ts";
import { count } from "../../values.ts";
import { shownPath } from "./shown_path.ts";

const mostNamed = 40;

export function impactText(
  { source, tests, changes, unknown, notes }: TestImpact,
  all: readonly { id: string; name: string }[],
): string[] {
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const places = changes.map(({ path, function: name, lines, tests, reason }) => {
    const at = lines === undefined ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
    return `${shownPath(path)}${at}${name === undefined ? "" : ` (${functionName(name)})`}: ${
      count(tests.length, "test")
    }, ${reason}`;
  });
  return [
    changes.length === 0 && unknown.length === 0
      ? "Nothing differs from what was measured: no test is affected."
      : `${count(tests.length, "test")} of ${all.length} affected, ${
        source === "measured" ? "as measured" : "as read from the source"
      }.`,
    ...places,
    ...tests.slice(0, mostNamed).map((id) => `- ${names.get(id) ?? id} (${id})`),
    ...(tests.length > mostNamed ? [`and ${tests.length - mostNamed} more`] : []),
    ...unknown.map((path) =>
      `${shownPath(path)} is unknown to the map: whether a test needs it is not known.`
    ),
    ...notes,
  ];
}

const functionName = (key: string): string => key.replace(/^\(anonymous_\d+\):(\d+)$/, "function at line $1");
