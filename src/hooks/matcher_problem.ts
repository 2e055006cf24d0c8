/** Says why a matcher fits nothing, or not what its author meant. */
import { suggestion } from "../core/did_you_mean.ts";
import { hookEvents, toolEvents } from "./hook_events.ts";
import { matcherFits, readMatcher } from "./matcher.ts";

/** Tools of Claude Code 2.1.330, and of the versions before it that hooks still name. */
const tools: readonly string[] = [
  "Agent",
  "AskUserQuestion",
  "Bash",
  "BashOutput",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "Glob",
  "Grep",
  "LSP",
  "ListAgents",
  "ListMcpResourcesTool",
  "Monitor",
  "MultiEdit",
  "NotebookEdit",
  "NotebookRead",
  "PowerShell",
  "REPL",
  "Read",
  "ReadMcpResourceDirTool",
  "ReadMcpResourceTool",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "SendUserMessage",
  "SetGoal",
  "Skill",
  "SlashCommand",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
];

/** All values that an event can have to match, where they are few. */
const values: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ["startup", "resume", "clear", "compact", "fork"],
  SessionEnd: ["clear", "resume", "logout", "prompt_input_exit", "other"],
  Setup: ["init", "maintenance"],
  PreCompact: ["manual", "auto"],
  PostCompact: ["manual", "auto"],
  ConfigChange: ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
};

/** One line with a way out; undefined for a matcher that may fit. */
export function matcherProblem(event: string, matcher: string | undefined): string | undefined {
  const read = readMatcher(event, matcher);
  if (read.kind === "all") return undefined;
  if (hookEvents.get(event)?.matches === undefined) {
    return `the matcher "${matcher}" counts for nothing: every ${event} fits; leave it out`;
  }
  if (read.kind === "invalid") {
    return `the matcher "${matcher}" never fits, it does not compile: ${read.reason}`;
  }
  const known = toolEvents.has(event) ? tools : values[event];
  if (known === undefined) return undefined;
  if (read.kind === "pattern") {
    const rule = /^(\w+)\(.*\)$/.exec(matcher!);
    if (rule !== null && toolEvents.has(event) && !known.some((name) => matcherFits(read, name))) {
      return `the matcher "${matcher}" never fits: it is a regular expression for the tool's name, not a permission rule; ` +
        `write "matcher": "${rule[1]}" and "if": "${matcher}"`;
    }
    const mayBeOther = toolEvents.has(event) && /mcp|__/.test(matcher!);
    if (mayBeOther || known.some((name) => matcherFits(read, name))) return undefined;
    return `the matcher "${matcher}" fits none of ${listed(event, known)}`;
  }
  const strange = read.names.filter((name) => !known.includes(name) && !name.startsWith("mcp__"));
  if (strange.length === 0) return undefined;
  const [first] = strange as [string];
  const never = strange.length === read.names.length ? `the matcher "${matcher}" never fits: ` : "";
  return `${never}"${first}" is none of ${listed(event, known)}${suggestion(first, [...known])}`;
}

const listed = (event: string, known: readonly string[]): string =>
  toolEvents.has(event) ? "Claude Code's tools" : `the values of ${event}: ${known.join(", ")}`;
