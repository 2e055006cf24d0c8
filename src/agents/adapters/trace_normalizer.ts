/** Values of a trace without what differs from session to session. */
import { isObject } from "../../core/values.ts";
import type { TracedPlace } from "./agent.ts";

/** Text of a session, and its name in a trace. */
export type Replacement = readonly [from: string | RegExp, to: string];

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Names folders, the model's address and ids in all texts of a value; more is replaced before and behind them. */
export function traceNormalizer(
  { folder, project, plugin, url }: TracedPlace,
  before: readonly Replacement[] = [],
  behind: readonly Replacement[] = [],
): (value: unknown) => unknown {
  const replacements: Replacement[] = [
    ...before,
    [url, "<model>"],
    [project, "<project>"],
    [plugin, "<plugin>"],
    [folder, "<folder>"],
    ...behind,
    [uuid, "<id>"],
  ];
  const inText = (text: string): string =>
    replacements.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
  const inValue = (value: unknown): unknown => {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return value.map(inValue);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inValue(each)]));
  };
  return inValue;
}
