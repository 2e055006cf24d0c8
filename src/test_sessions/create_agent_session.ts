/** Test sessions of agents with a command line, such as Claude Code: the real program with a plugin, on a playbook. */
import { resolve } from "node:path";
import type { AgentSessionResult, TraceEntry } from "../../machines/model/agent_session.ts";
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { PlaybookText, Turn } from "../../machines/model/playbook.ts";
import { checkPlaybook } from "../agents/playbook/read_playbook.ts";
import { loadPlaybook } from "../agents/playbook/load_playbook.ts";
import { isBlocked } from "../agent_fixtures/observed_session.ts";
import { createHarness } from "../app/create_harness.ts";
import { PthError } from "../core/errors.ts";
import { definedOnly, isObject } from "../core/values.ts";
import { type CollectedEvents, collectEvents } from "./collected_events.ts";
import { playbookText } from "./playbook_text.ts";

export interface AgentSessionOptions {
  /** Folder of the plugin. */
  plugin: string;
  /** Turns of the model, a whole playbook, or a file of one; for each prompt that is given none. */
  playbook?: Turn[] | PlaybookText | string;
  /** Name of the agent; default `claude`. */
  agent?: string;
  /** Environment in which the agent works; by default the most isolated one that is ready. */
  environment?: Partial<EnvironmentConfig>;
  /** Folder of which the agent works in a copy; by default an empty one. */
  project?: string;
  /** Milliseconds that one prompt may take; default 120,000. */
  timeoutMs?: number;
}

export interface AgentTestSession {
  events: CollectedEvents<TraceEntry, string>;
  /**
   * Runs the agent once, as `claude -p` does: each prompt is a conversation and a project of its own.
   * @throws {PthError} `AGENT_SESSION_FAILED` where it does not go as the playbook says; `events` has what happened
   */
  prompt(text: string, playbook?: Turn[] | PlaybookText): Promise<AgentSessionResult>;
  /** Ends the session, and removes its environment. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const usualTimeoutMs = 120_000;

/**
 * Makes an environment for sessions of the agent.
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_PLAYBOOK`, `RUNTIME_UNAVAILABLE` …
 */
export async function createAgentSession(options: AgentSessionOptions): Promise<AgentTestSession> {
  const { plugin, playbook: usual, agent = "claude", timeoutMs = usualTimeoutMs, project } = options;
  const turns = typeof usual === "string"
    ? await loadPlaybook(usual)
    : usual && checkPlaybook("playbook", playbookText(usual));
  const harness = await createHarness();
  try {
    await harness.startSession({ target: plugin }, { mode: "run" });
    await harness.session().environment.provision(options.environment ?? {});
  } catch (error) {
    await harness.close();
    throw error;
  }
  const events = collectEvents<TraceEntry, string>(textsOf);
  const dispose = () => harness.close();
  return {
    events,
    async prompt(text, given) {
      const playbook = given === undefined ? turns : checkPlaybook("playbook", playbookText(given));
      if (playbook === undefined) {
        throw new PthError("INVALID_INPUT", "Cannot prompt the agent without a playbook");
      }
      const result = await harness.session().agents.run({
        ...{ agent, prompt: text, playbook, timeoutMs },
        ...definedOnly({ project: project === undefined ? undefined : resolve(project) }),
      });
      collect(events, result.trace.timeline);
      if (result.failures.length > 0) {
        const message = ["The session did not go as planned", ...result.failures].join("\n- ");
        throw new PthError("AGENT_SESSION_FAILED", message, { reasons: result.failures });
      }
      return result;
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

const textsOf = (timeline: readonly TraceEntry[]): string[] =>
  timeline.flatMap((entry) =>
    entry.type === "prompt"
      ? [entry.text]
      : entry.type === "turn" && entry.text !== undefined
      ? [entry.text]
      : []
  );

function collect(events: CollectedEvents<TraceEntry, string>, timeline: readonly TraceEntry[]): void {
  for (const entry of timeline) {
    events.all.push(entry);
    if (entry.type !== "tool_call") continue;
    const { tool: toolName, input, result, is_error: isError = false } = entry;
    const blocked = isBlocked(entry);
    events.toolCalls.push({
      ...{ toolName, input: isObject(input) ? input : {}, blocked },
      ...(blocked && result !== undefined ? { blockReason: result } : {}),
    });
    if (result !== undefined) events.toolResults.push({ toolName, content: result, text: result, isError });
  }
}
