/** Events of hooks, as Claude Code 2.1.330 knows them. */

export interface HookEvent {
  name: string;
  /** Field of the payload that matchers are compared with; absent: every matcher fits. */
  matches?: string;
  /** Consequence of a block, for people; absent: the event cannot be blocked. */
  block?: string;
  /** Whether an answer allows, denies, asks or defers. */
  decides?: true;
  /** Whether plain text on stdout comes to the model. */
  textIsContext?: true;
  /** Limit in ms where a hook gives none. */
  limitMs: number;
}

/** Limits in ms. */
const usualLimit = 600_000;
const promptLimit = 30_000;
/** At the end of a session hooks get no more than this, also where they ask for it. */
export const sessionEndLimit = { usual: 1500, most: 60_000 };

const event = (name: string, rest: Partial<HookEvent> = {}): HookEvent => ({
  name,
  limitMs: usualLimit,
  ...rest,
});
const toTheModel = "the reason is told to the model; the call has been made";

const events: readonly HookEvent[] = [
  event("PreToolUse", { matches: "tool_name", decides: true, block: "the tool is not called" }),
  event("PostToolUse", { matches: "tool_name", block: toTheModel }),
  event("PostToolUseFailure", { matches: "tool_name", block: toTheModel }),
  event("PostToolBatch", { block: "the turn ends" }),
  event("Notification", { matches: "notification_type" }),
  event("UserPromptSubmit", {
    limitMs: promptLimit,
    textIsContext: true,
    block: "the prompt is erased, and does not come to the model",
  }),
  event("UserPromptExpansion", {
    matches: "command_name",
    textIsContext: true,
    block: "the command is not expanded",
  }),
  event("SessionStart", { matches: "source", textIsContext: true }),
  event("SessionEnd", { matches: "reason", limitMs: sessionEndLimit.usual }),
  event("Stop", { block: "the agent goes on, with the reason" }),
  event("StopFailure", { matches: "error" }),
  event("SubagentStart", { matches: "agent_type" }),
  event("SubagentStop", { matches: "agent_type", block: "the subagent goes on, with the reason" }),
  event("PreCompact", { matches: "trigger", block: "the conversation is not compacted" }),
  event("PostCompact", { matches: "trigger" }),
  event("PreModelSwitch", { matches: "to_model", decides: true, block: "the model is not switched" }),
  event("PostModelSwitch", { matches: "to_model", textIsContext: true }),
  event("PermissionRequest", { matches: "tool_name", decides: true, block: "the permission is refused" }),
  event("PermissionDenied", { matches: "tool_name" }),
  event("Setup", { matches: "trigger" }),
  event("TeammateIdle", { block: "the teammate goes on" }),
  event("TaskCreated", { block: "the task is not created" }),
  event("TaskCompleted", { block: "the task is not completed" }),
  event("Elicitation", { matches: "mcp_server_name", block: "the question is declined" }),
  event("ElicitationResult", { matches: "mcp_server_name", block: "the answer becomes a refusal" }),
  event("ConfigChange", { matches: "source", block: "the change does not apply to the session" }),
  event("WorktreeCreate"),
  event("WorktreeRemove"),
  event("InstructionsLoaded", { matches: "load_reason" }),
  event("CwdChanged"),
  event("FileChanged", { matches: "file_path" }),
  event("DirectoryAdded", { matches: "source" }),
  event("MessageDisplay"),
];

export const hookEvents: ReadonlyMap<string, HookEvent> = new Map(events.map((each) => [each.name, each]));

/** Events on calls of tools: `if` of a hook is judged for these alone. */
export const toolEvents: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
]);

/** Events on which `onFailure: block` counts for nothing. */
export const neverFailing: ReadonlySet<string> = new Set([
  "Stop",
  "SubagentStop",
  "TaskCompleted",
  "TeammateIdle",
]);
