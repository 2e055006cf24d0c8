/** States as text: `open.idle`. */
import type { StateValue } from "../../recording/format.ts";

/** The innermost states, each with its way from the machine's root. */
export function leafStates(value: StateValue | undefined, way = ""): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [way + value];
  const parts = Object.entries(value);
  if (parts.length === 0) return way === "" ? [] : [way.slice(0, -1)];
  return parts.flatMap(([key, part]) => leafStates(part, `${way}${key}.`));
}

/** `open.environment.ready, open.plugin.absent +6`. */
export function stateText(value: StateValue | undefined, most = Infinity): string {
  const all = leafStates(value);
  const rest = all.length - most;
  return all.slice(0, most).join(", ") + (rest > 0 ? ` +${rest}` : "");
}
