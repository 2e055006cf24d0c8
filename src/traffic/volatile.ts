/** Values that differ from run to run, and mean nothing by it: times, ids, temporary paths. */
import { isObject } from "../core/values.ts";

const patterns: readonly [string, RegExp][] = [
  ["time", /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g],
  ["uuid", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ["hash", /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b/gi],
  ["temporary path", /(?:\/private)?\/(?:tmp|var\/folders)\/[^\s"',:;)\]]+/g],
  ["epoch", /\b1[4-9]\d{8}(?:\d{3})?\b/g],
];

/** Names of fields that hold such values, whatever these look like. */
const volatileName =
  /(?:^|_|[a-z](?=[A-Z]))(?:time|timestamp|date|duration|elapsed|uptime|pid|port|latency)(?:_?ms|_?seconds)?$/i;

const isVolatileName = (name: string): boolean => volatileName.test(name);

/** The text with such parts replaced by `<time>`, `<uuid>` … */
const maskText = (text: string): string =>
  patterns.reduce((masked, [name, pattern]) => masked.replace(pattern, `<${name}>`), text);

/** Whether a value holds nothing of that kind, at any depth. */
export const isStable = (value: unknown): boolean =>
  JSON.stringify(maskVolatile(value)) === JSON.stringify(value);

/** A copy with everything volatile replaced by a word for it. */
export function maskVolatile(value: unknown, name = ""): unknown {
  if (name !== "" && isVolatileName(name) && (typeof value === "number" || typeof value === "string")) {
    return `<${name}>`;
  }
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return maskText(String(value)) === String(value) ? value : "<epoch>";
  if (Array.isArray(value)) return value.map((item) => maskVolatile(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskVolatile(item, key)]));
}

/** Part of a value that stays the same: objects without their volatile members; undefined if nothing is left. */
export function stablePart(value: unknown): unknown {
  if (Array.isArray(value)) return value.every(isStable) ? value : undefined;
  if (!isObject(value)) return isStable(value) ? value : undefined;
  const kept = Object.entries(value)
    .filter(([key, item]) => isStable({ [key]: item }) || isObject(item))
    .map(([key, item]) => [key, stablePart(item)] as const)
    .filter(([, item]) => item !== undefined);
  return kept.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(kept);
}
