/** Next steps after a failure, as data: each has a text for the terminal, for MCP, or for both. */

/** One that reads well on both faces, or a text for each; a face that has no such way has no text. */
export type NextStep = string | { terminal?: string; mcp?: string };

/** `terminal` has commands and options, `mcp` calls of tools. */
export type Frontend = "terminal" | "mcp";

/** The ways that this face has, each once. */
export const nextStepsFor = (face: Frontend, ways: readonly NextStep[] = []): string[] => [
  ...new Set(ways.flatMap((way) => typeof way === "string" ? way : way[face] ?? [])),
];
