/** Payloads of events: as sessions of Claude Code 2.1.330 sent them, and samples of the others. */
import { suggestion } from "../core/did_you_mean.ts";
import { PthError } from "../core/errors.ts";
import { hookEvents } from "./hook_events.ts";

type Payload = Record<string, unknown>;

const sessionId = "3f0c2f1e-8a5d-4c39-9d0e-5b1f7a2c4e60";
const turnId = "9ab32929-0a35-40e5-8f26-2e292f7da0ca";
const transcript = `\${home}/.claude/projects/project/${sessionId}`;

const session: Payload = {
  session_id: sessionId,
  transcript_path: `${transcript}.jsonl`,
  cwd: "${project}",
};
const prompted: Payload = { ...session, prompt_id: "b9620c09-c4d8-49ca-9917-97dd02f859b5" };
const working: Payload = { ...prompted, permission_mode: "default" };
const thinking: Payload = { ...working, effort: { level: "medium" } };
const bash = { tool_name: "Bash", tool_input: { command: "echo hi", description: "Say hi" } };
const call = { ...bash, tool_use_id: "toolu_01" };
const idle = {
  stop_hook_active: false,
  last_assistant_message: "Done",
  background_tasks: [],
  session_crons: [],
};
const helper = { agent_id: "add1a5653821f7e81", agent_type: "general-purpose" };
const models = {
  from_model: "claude-sonnet-5",
  to_model: "claude-haiku-5-5",
  requested_model: "haiku",
  source: "command",
  context_tokens: 1000,
};
const task = { task_id: "1", task_subject: "Say hi", task_description: "Say hi to the user" };
const elicited = { mcp_server_name: "server", mode: "form" };

/** Events that were recorded, each with what it was sent. */
const recorded: Record<string, Payload> = {
  SessionStart: { ...session, source: "startup" },
  UserPromptSubmit: { ...working, prompt: "Say hi" },
  UserPromptExpansion: {
    ...working,
    expansion_type: "slash_command",
    command_name: "my-plugin:greet",
    command_args: "Bob",
    command_source: "plugin",
    prompt: "/my-plugin:greet Bob",
  },
  MessageDisplay: {
    ...prompted,
    turn_id: turnId,
    message_id: "3b1e206d-8903-4c0e-b45c-a83e99c87ea1",
    index: 0,
    final: true,
    delta: "Done",
  },
  PreToolUse: { ...thinking, ...call },
  PostToolUse: {
    ...thinking,
    ...call,
    tool_response: { stdout: "hi", stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    duration_ms: 32,
  },
  PostToolUseFailure: { ...thinking, ...call, error: "Exit code 1", is_interrupt: false, duration_ms: 10 },
  PostToolBatch: { ...thinking, tool_calls: [{ ...call, tool_response: "hi" }] },
  SubagentStart: { ...prompted, ...helper },
  SubagentStop: {
    ...thinking,
    ...helper,
    ...idle,
    agent_transcript_path: `${transcript}/subagents/agent-${helper.agent_id}.jsonl`,
  },
  Stop: { ...thinking, ...idle },
  SessionEnd: { ...prompted, reason: "other" },
};

/** Samples of events that sessions of their own do not have, made from Claude Code's schemas of them. */
const sampled: Record<string, Payload> = {
  Notification: { ...session, message: "Claude is waiting for your input", notification_type: "idle_prompt" },
  StopFailure: { ...working, error: "rate_limit" },
  PreCompact: { ...working, trigger: "manual", custom_instructions: null },
  PostCompact: { ...working, trigger: "manual", compact_summary: "The user said hi." },
  PreModelSwitch: { ...working, ...models },
  PostModelSwitch: { ...working, ...models },
  PermissionRequest: { ...thinking, ...bash },
  PermissionDenied: { ...thinking, ...call, reason: "It is not allowed" },
  Setup: { ...session, trigger: "init" },
  TeammateIdle: { ...working, teammate_name: "helper", team_name: "team" },
  TaskCreated: { ...working, ...task },
  TaskCompleted: { ...working, ...task },
  Elicitation: { ...working, ...elicited, message: "Your name?", requested_schema: { type: "object" } },
  ElicitationResult: { ...working, ...elicited, action: "accept", content: { name: "Bob" } },
  ConfigChange: { ...session, source: "project_settings", file_path: "${project}/.claude/settings.json" },
  WorktreeCreate: { ...session, name: "feature" },
  WorktreeRemove: { ...session, worktree_path: "${project}/.claude/worktrees/feature" },
  InstructionsLoaded: {
    ...session,
    file_path: "${project}/CLAUDE.md",
    memory_type: "Project",
    load_reason: "session_start",
  },
  CwdChanged: { ...session, old_cwd: "${project}", new_cwd: "${project}/src" },
  FileChanged: { ...session, file_path: "${project}/.env", event: "change" },
  DirectoryAdded: { ...session, directory: "${temporary}/added", source: "slash_command" },
};

export const recordedEvents: readonly string[] = Object.keys(recorded);

/**
 * Fills a payload up with what fits the event; `hook_event_name` is the event's.
 * @throws {PthError} `INVALID_INPUT` for an event that there is not, or a payload of another one
 */
export function payloadFor(event: string, given: Payload = {}): Payload {
  const sample = recorded[event] ?? sampled[event];
  if (sample === undefined || !hookEvents.has(event)) throw noSuchEvent(event);
  const named = given.hook_event_name;
  if (named !== undefined && named !== event) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot fire ${event}: the payload is of the event ${String(named)}`,
      {
        next: [`Fire ${String(named)}, or leave hook_event_name out`],
      },
    );
  }
  // A call of another tool has neither the sample's input nor its response.
  const other = "tool_name" in given && given.tool_name !== sample.tool_name;
  const fits = other
    ? { ...sample, tool_input: {}, ...("tool_response" in sample ? { tool_response: {} } : {}) }
    : sample;
  return { ...fits, ...given, hook_event_name: event };
}

/** @throws {PthError} `INVALID_INPUT` for an event of which there is none */
export function recordedPayload(event: string): Payload {
  if (!hookEvents.has(event)) throw noSuchEvent(event);
  if (Object.hasOwn(recorded, event)) return payloadFor(event);
  throw new PthError("INVALID_INPUT", `Cannot fire ${event}: no payload of it was recorded`, {
    next: [`Recorded are ${recordedEvents.join(", ")}`, {
      terminal: "without --payload a sample of it is sent",
    }],
  });
}

const noSuchEvent = (event: string): PthError =>
  new PthError(
    "INVALID_INPUT",
    `Cannot fire ${event}: there is no such event${suggestion(event, [...hookEvents.keys()])}`,
    { next: [`Events: ${[...hookEvents.keys()].join(", ")}`] },
  );
