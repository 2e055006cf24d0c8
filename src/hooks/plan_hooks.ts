/** Plans which hooks of a plugin run for an event, and how. */
import type { ReadyHook } from "../../machines/model/hook_run.ts";
import { fitsGlob } from "../../machines/playbook/fits_glob.ts";
import { isObject } from "../core/values.ts";
import { type Hook, type HookDefinition, hookSubject } from "./hook_definition.ts";
import { hookEvents, sessionEndLimit, toolEvents } from "./hook_events.ts";
import { type HookCall, type HookServers, serverName } from "./hook_servers.ts";
import { matchedValue, matcherFits, readMatcher } from "./matcher.ts";

export interface PlannedHook {
  definition: HookDefinition;
  /** Set for a hook that runs in the environment. */
  ready?: ReadyHook;
  /** Set for a hook that calls the plugin's server. */
  call?: HookCall;
  /** Reason why Claude Code itself could not run it. */
  failure?: string;
  /** Reason why it does not run, where none of these is set. */
  skipped?: string;
  /** Whether it is Claude Code alone that would run it: the decision lacks its answer. */
  untested?: true;
  /** Whether it would run with another payload. */
  unmatched?: true;
  /** Observations about how it runs. */
  notes: string[];
}

/** @param variables For headers of requests that name them */
export function planHooks(
  { plugin, hooks }: { plugin: string; hooks: readonly HookDefinition[] },
  event: string,
  payload: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string>>,
  servers: HookServers = { declared: [] },
): PlannedHook[] {
  const seen = new Set<string>();
  return hooks.filter((each) => each.event === event).map((definition, id): PlannedHook => {
    const { matcher, hook } = definition;
    const notes: string[] = [];
    const skip = (skipped: string): PlannedHook => ({ definition, skipped, notes });
    const value = matchedValue(event, payload);
    if (!matcherFits(readMatcher(event, matcher), value)) {
      return { ...skip(`its matcher "${matcher}" does not fit ${value}`), unmatched: true };
    }
    const condition = hook.if === undefined ? "fits" : judgeCondition(hook.if, event, payload);
    if (condition === "unknown") {
      notes.push(`if: "${hook.if}" was not judged: Claude Code may not run the hook`);
    } else if (condition !== "fits") return { ...skip(condition), unmatched: true };
    const untested = untestedReason(hook, plugin, servers);
    if (untested !== undefined) {
      notes.push("Its answer is no part of the decision: Claude Code may decide otherwise");
      return { ...skip(untested), untested: true };
    }
    const input = "input" in hook ? hook.input : undefined;
    const key = JSON.stringify([hook.type, hookSubject(hook), "args" in hook, hook.if, input]);
    if (seen.has(key)) return skip("the same hook stands above, and runs once");
    seen.add(key);
    if (hook.type === "command" && hook.args === undefined && /\$\{user_config\./.test(hook.command)) {
      return skip(
        "Claude Code refuses ${user_config.…} in a line for a shell: use args, or $CLAUDE_PLUGIN_OPTION_…",
      );
    }
    const known = { id, limitMs: limitOf(hook, event) };
    if (hook.type !== "mcp_tool") {
      const ready = { ...known, ...howToRun(hook as Hook & { type: "command" | "http" }, variables) };
      return { definition, ready, notes };
    }
    const { server, tool, input: given = {} } = hook;
    return servers.declared.includes(server)
      ? { definition, call: { ...known, tool, input: given }, notes }
      : { definition, failure: unknownServer(server, servers.declared), notes };
  });
}

/** Reason why PTH does not run what Claude Code would; undefined where it does. */
function untestedReason(hook: Hook, plugin: string, { declared, running }: HookServers): string | undefined {
  if (hook.type === "command") return hook.shell === "powershell" ? "PowerShell is not run" : undefined;
  if (hook.type === "http") return undefined;
  if (hook.type !== "mcp_tool") return `hooks of type ${hook.type} are not run`;
  const { server } = hook;
  if (declared.includes(server)) {
    const isRunning = running !== undefined && serverName(plugin, running.name) === server;
    return isRunning ? undefined : "its server is not started: load the plugin first";
  }
  // Claude Code does not find these either, however it is set up.
  const isOwn = server.startsWith(serverName(plugin, "")) || declared.includes(serverName(plugin, server));
  return isOwn ? undefined : `the server ${server} is none of the plugin's`;
}

const unknownServer = (server: string, declared: readonly string[]): string =>
  `MCP server '${server}' not connected: ${
    declared.length === 0 ? "the plugin has none" : `the plugin's are called ${declared.join(", ")}`
  }`;

function howToRun(
  hook: Hook & { type: "command" | "http" },
  variables: Readonly<Record<string, string>>,
): { type: "command"; command: string; args?: string[] } | {
  type: "http";
  url: string;
  headers: Record<string, string>;
} {
  if (hook.type === "command") {
    const { command, args } = hook;
    return { type: "command", command, ...(args === undefined ? {} : { args }) };
  }
  const allowed = new Set(hook.allowedEnvVars ?? []);
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, plain?: string) => {
      const name = (braced ?? plain)!;
      return allowed.has(name) ? variables[name] ?? "" : "";
    });
  const headers = Object.entries(hook.headers ?? {}).map(([name, value]) => [name, filled(value)]);
  return { type: "http", url: hook.url, headers: Object.fromEntries(headers) };
}

function limitOf(hook: Hook, event: string): number {
  const asked = hook.timeout === undefined ? undefined : hook.timeout * 1000;
  if (event !== "SessionEnd") return asked ?? hookEvents.get(event)!.limitMs;
  return Math.min(asked ?? sessionEndLimit.usual, sessionEndLimit.most);
}

/** Judges `if` as far as that goes without Claude Code: names of tools, and simple commands of Bash. */
function judgeCondition(
  condition: string,
  event: string,
  payload: Readonly<Record<string, unknown>>,
): "fits" | "unknown" | string {
  if (!toolEvents.has(event)) return `its "if" is for events on tools: on ${event} the hook never runs`;
  const [, tool, content] = /^([^()]+)(?:\((.*)\))?$/s.exec(condition.trim()) ?? [];
  if (tool === undefined) return "unknown";
  const name = payload.tool_name;
  if (name !== tool) return `its "if: ${condition}" does not fit ${name}`;
  if (content === undefined || content === "*") return "fits";
  const command = isObject(payload.tool_input) ? payload.tool_input.command : undefined;
  // Claude Code takes compound commands apart, and knows the paths of other tools.
  if (name !== "Bash" || typeof command !== "string" || /[;&|<>`$()\n]/.test(command)) return "unknown";
  const rule = content.replace(/:\*$/, " *");
  if (rule.includes("?")) return "unknown";
  const words = command.trim();
  return fitsGlob(rule, words) || (rule.endsWith(" *") && words === rule.slice(0, -2))
    ? "fits"
    : `its "if: ${condition}" does not fit ${command}`;
}
