/** Matchers of hooks, compared as Claude Code 2.1.330 compares them. */
import { posix } from "node:path";
import { boundedMatch } from "../testing/match/bounded_match.ts";
import { hookEvents } from "./hook_events.ts";

/** Earlier names of tools, which matchers may still use. */
const renamed: Readonly<Record<string, string>> = {
  Task: "Agent",
  KillShell: "TaskStop",
  KillBash: "TaskStop",
  ListPeers: "ListAgents",
  Brief: "SendUserMessage",
  ListMcpResources: "ListMcpResourcesTool",
  ReadMcpResource: "ReadMcpResourceTool",
  ReadMcpResourceDir: "ReadMcpResourceDirTool",
  ProposeGoal: "SetGoal",
};

/** A matcher as it is understood; patterns are found anywhere in a name. */
export type Matcher =
  | { kind: "all" }
  | { kind: "names"; names: string[] }
  | { kind: "pattern"; pattern: string }
  | { kind: "invalid"; reason: string };

/** Events whose lists of names are parted by `|` alone. */
const narrow: ReadonlySet<string> = new Set(["StopFailure", "FileChanged"]);

/**
 * Reads a matcher: letters, digits and `_`, parted by `|` or commas, are whole names; anything else is a regular
 * expression, one that does not compile fits nothing.
 */
export function readMatcher(event: string, matcher: string | undefined): Matcher {
  if (matcher === undefined || matcher === "" || matcher === "*") return { kind: "all" };
  const isNarrow = narrow.has(event);
  if ((isNarrow ? /^[\w|]+$/ : /^[\w|, -]+$/).test(matcher)) {
    const names = matcher.split(isNarrow ? "|" : /[|,]/).map((name) => name.trim()).filter(Boolean);
    return { kind: "names", names: names.map((name) => renamed[name] ?? name) };
  }
  try {
    new RegExp(matcher);
    return { kind: "pattern", pattern: matcher };
  } catch (error) {
    return { kind: "invalid", reason: (error as Error).message };
  }
}

/** Value of a payload that matchers of an event are compared with; undefined where there is none. */
export function matchedValue(event: string, payload: Readonly<Record<string, unknown>>): string | undefined {
  const field = hookEvents.get(event)?.matches;
  const value = field === undefined ? undefined : payload[field];
  if (typeof value !== "string") return undefined;
  return event === "FileChanged" ? posix.basename(value) : value;
}

/** A pattern that takes too long fits nothing. */
export function matcherFits(matcher: Matcher, value: string | undefined): boolean {
  if (matcher.kind === "all" || value === undefined) return true;
  if (matcher.kind === "invalid") return false;
  if (matcher.kind === "names") return matcher.names.includes(value);
  const earlier = Object.keys(renamed).filter((name) => renamed[name] === value);
  return [value, ...earlier].some((name) => boundedMatch(matcher.pattern, "", name) === true);
}
