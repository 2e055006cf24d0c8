/** Matches event types as XState does: `*` matches all, `pool.*` matches `pool` and every type that begins with `pool.`. */
export const matchesEvent = (pattern: string, type: string): boolean =>
  pattern === "*" || pattern === type ||
  (pattern.endsWith(".*") && `${type}.`.startsWith(pattern.slice(0, -1)));
