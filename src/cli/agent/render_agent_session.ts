/** A session of an agent for a terminal, turn by turn. */
import type {
  AgentSessionResult,
  AgentTrace,
  HookRun,
  ProjectGit,
  TraceEntry,
} from "../../../machines/model/agent_session.ts";
import type { Spending } from "../../../machines/model/budget.ts";
import { count, indentLines, oneLine, visibleText } from "../../core/text.ts";

/** Longest line of a call or a result. */
const longest = 160;

/** @param recorded Agent of the recording that was replayed. */
export function renderAgentSession(
  result: Omit<AgentSessionResult, "recorded">,
  recorded?: { agent: string; version?: string | undefined },
): string {
  const { agent, version, trace, failures, played, drift, spent } = result;
  const depth = new Map<string, number>([["main", 0]]);
  const lines = trace.timeline.flatMap((entry) => {
    if (entry.type === "subagent") depth.set(entry.lane, 1);
    const level = "lane" in entry ? depth.get(entry.lane) ?? 0 : 0;
    return linesOf(entry).map((line) => `${"  ".repeat(level)}${line}`);
  });
  const changes = trace.changes.map(({ path, change }) => `  ${change} ${path}`);
  return [
    version === undefined ? agent : `${agent} ${version}`,
    ...lines,
    ...(changes.length === 0 ? [] : ["Changed in the project:", ...changes]),
    ...gitLines(trace.git),
    ...(drift.length === 0 ? [] : [
      `Not as it was recorded${
        recorded === undefined ? "" : ` with ${[recorded.agent, recorded.version].filter(Boolean).join(" ")}`
      }:`,
      ...drift.flatMap(({ subject, lines }) => [`  ${subject}`, ...lines.map((line) => `    ${line}`)]),
    ]),
    ...trace.warnings.map((warning) => `Warning: ${warning}`),
    ...(spent === undefined ? [] : [`Spent: ${spendingText(spent)}`]),
    ...(failures.length === 0 ? [`Passed: ${count(played, "turn")} played`] : [
      `Failed: ${count(played, "turn")} played`,
      ...failures.map((failure) => indentLines(failure, "  ")),
    ]),
    "",
  ].map(visibleText).join("\n");
}

function gitLines(git: AgentTrace["git"]): string[] {
  if (git === undefined) return [];
  const { before, after, commits } = git;
  const moved = before?.branch === after?.branch ? [] : [`${placeOf(before)} → ${placeOf(after)}`];
  const made = commits.map((subject) => `new commit: ${oneLine(subject, longest)}`);
  const lines = [...moved, ...made];
  return lines.length === 0 ? [] : ["Git of the project:", ...lines.map((line) => `  ${line}`)];
}

const placeOf = (git: ProjectGit | undefined): string =>
  git === undefined ? "no repository" : git.branch === undefined ? "no branch" : `branch ${git.branch}`;

/** Money is shown where prices were given. */
const spendingText = ({ tokens, cost }: Spending): string =>
  `${count(tokens, "token")}${cost === 0 ? "" : `, ${cost.toFixed(4)}`}`;

function linesOf(entry: TraceEntry): string[] {
  switch (entry.type) {
    case "session":
      return Object.entries(entry.servers).map(([name, status]) => `server ${name}: ${status}`);
    case "prompt":
      return [`> ${oneLine(entry.text, longest)}${hooksText(entry.hooks)}`];
    case "turn":
      return [
        ...(entry.refused === undefined ? [] : [`  model: refused, ${entry.refused}`]),
        ...(entry.error === undefined ? [] : [`  model: ${entry.error}`]),
        ...(entry.thinking === undefined ? [] : [`  model thinks: ${oneLine(entry.thinking, longest)}`]),
        ...(entry.text === undefined ? [] : [`  model: ${oneLine(entry.text, longest)}`]),
      ];
    case "tool_call": {
      const { tool, input, result, is_error: isError, hooks } = entry;
      const answer = result === undefined ? "no result" : oneLine(result, longest);
      return [
        `  ${tool} ${oneLine(JSON.stringify(input), longest)}${hooksText(hooks)}`,
        `    ${isError ? "error" : "→"} ${answer}`,
      ];
    }
    case "subagent":
      return [`  subagent ${entry.agent}${hooksText(entry.hooks)}`];
    case "end":
      return entry.text === undefined ? [] : [`< ${oneLine(entry.text, longest)}${hooksText(entry.hooks)}`];
  }
}

const hooksText = (hooks: readonly HookRun[]): string => {
  const failed = hooks.filter((hook) => hook.failed !== undefined);
  return failed.length === 0 ? "" : `  (a hook for ${failed.map(({ event }) => event).join(", ")} failed)`;
};
