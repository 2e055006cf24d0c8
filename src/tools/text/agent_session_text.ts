/** A session of an agent for a model: the verdict, its calls, its last words. */
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import { count, oneLine } from "../../core/text.ts";
import { joinLines } from "./join_lines.ts";

/** Entries of the timeline, and characters of a value, that are shown. */
const mostEntries = 40;
const longest = 160;

export function agentSessionText(result: AgentSessionResult, detail = false): string {
  const { agent, version, trace, failures, played, drift, spent } = result;
  const lines = trace.timeline.flatMap(entryLines);
  const hidden = lines.length - mostEntries;
  const state = failures.length > 0
    ? "failed"
    : spent === undefined
    ? "went as the playbook says"
    : "has ended";
  const short = (line: string) => detail ? line : oneLine(line, longest);
  const differences = drift.flatMap((
    { subject, lines },
  ) => [short(subject), ...lines.map((line) => `  ${short(line)}`)]);
  const shown = detail ? differences.length : mostEntries;
  return joinLines(
    `${agent}${version === undefined ? "" : ` ${version}`} ${state}: ${count(played, "turn")} played`,
    ...failures.map((failure) => `- ${oneLine(failure, 600)}`),
    ...(detail
      ? [JSON.stringify(trace)]
      : [...lines.slice(0, mostEntries), hidden > 0 && `… ${hidden} more: detail: true`]),
    trace.changes.length > 0 &&
      `Changed in its project: ${
        oneLine(trace.changes.map(({ path, change }) => `${path} ${change}`).join(", "), 400)
      }`,
    trace.git !== undefined && trace.git.commits.length > 0 &&
      `New commits: ${oneLine(trace.git.commits.join("; "), 400)}`,
    spent !== undefined &&
      `Spent: ${count(spent.tokens, "token")}${spent.cost === 0 ? "" : `, ${spent.cost.toFixed(4)}`}`,
    differences.length > 0 && "Not as it was recorded:",
    ...differences.slice(0, shown),
    differences.length > shown && `… ${differences.length - shown} more: detail: true`,
    ...trace.warnings.slice(0, 5).map((warning) => `Warning: ${oneLine(warning, longest)}`),
  );
}

function entryLines(entry: TraceEntry): string[] {
  if (entry.type === "session") {
    return Object.entries(entry.servers).map(([name, state]) => `server ${name}: ${state}`);
  }
  if (entry.type === "turn") return entry.text === undefined ? [] : [`says: ${oneLine(entry.text, longest)}`];
  if (entry.type === "subagent") return [`subagent ${entry.agent}`];
  if (entry.type !== "tool_call") return [];
  const { tool, input, result = "no result", is_error: isError } = entry;
  const asked = oneLine(JSON.stringify(input) ?? "", longest);
  return [`${tool} ${asked} ${isError ? "failed:" : "→"} ${oneLine(result, longest)}`];
}
