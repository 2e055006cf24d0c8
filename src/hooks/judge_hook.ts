/** Judges what one hook did: exit codes and answers as Claude Code 2.1.330 takes them. */
import type { HookRunEnd } from "../../machines/model/hook_run.ts";
import { firstLine } from "../core/text.ts";
import { definedOnly } from "../core/values.ts";
import type { HookAnswer } from "./answer_schema.ts";
import type { HookDefinition } from "./hook_definition.ts";
import { hookEvents, neverFailing } from "./hook_events.ts";
import { type HookReply, readBody, readReply } from "./read_reply.ts";

export type Permission = "allow" | "deny" | "ask" | "defer";

export interface JudgedHook {
  /** `failed` and `timed-out` are reported, and the action goes ahead; `background` decides nothing. */
  outcome: "success" | "blocked" | "failed" | "timed-out" | "background";
  permission?: Permission;
  /** Reason of a block or of a permission, as the hook gives it. */
  reason?: string;
  /** Whether the agent stops (`continue: false`), and the text that is shown then. */
  stops?: true;
  stopReason?: string;
  /** Text for the model. */
  context?: string;
  /** Text for the user. */
  message?: string;
  updatedInput?: Record<string, unknown>;
  answer?: HookAnswer;
  /** Keys of the answer that count for nothing. */
  ignored?: string[];
  /** Description of what failed. */
  failure?: string;
}

/** Reason of a block without one. */
export const noReason = "No stderr output";

export function judgeHook({ event, hook }: HookDefinition, run: HookRunEnd): JudgedHook {
  const judged = guarded(
    event,
    hook,
    hook.type === "http"
      ? ofRequest(event, run)
      : ofCommand(event, hook, hook.type === "mcp_tool" ? { ...run, exitCode: 0 } : run),
  );
  return judged.outcome === "blocked" && hookEvents.get(event)?.decides
    ? { ...judged, permission: "deny" }
    : judged;
}

function guarded(event: string, hook: HookDefinition["hook"], judged: JudgedHook): JudgedHook {
  const failed = judged.outcome === "failed" || judged.outcome === "timed-out";
  const guards = "onFailure" in hook && hook.onFailure === "block" && !neverFailing.has(event);
  if (!failed || !guards) return judged;
  const why = judged.failure ?? "it timed out";
  return { ...judged, outcome: "blocked", reason: `the hook gave no answer (onFailure: block): ${why}` };
}

function ofCommand(event: string, hook: HookDefinition["hook"], run: HookRunEnd): JudgedHook {
  const { timedOut, failure, exitCode, stdout, stderr } = run;
  if (timedOut) return { outcome: "timed-out" };
  if (failure !== undefined) return { outcome: "failed", failure };
  if (hook.type === "command" && (hook.async || hook.asyncRewake)) return { outcome: "background" };
  const read = readReply(stdout);
  const blocked = (): JudgedHook => ({ outcome: "blocked", reason: stderr.trim() || noReason });
  if (read.kind === "invalid" && exitCode !== 2) return { outcome: "failed", failure: read.reason };
  if (read.kind === "background") {
    if (exitCode === 2) return blocked();
    return exitCode === 0 ? { outcome: "background" } : ended(exitCode, stderr);
  }
  if (read.kind === "json") {
    const judged = ofAnswer(event, read);
    return exitCode === 2 && judged.outcome === "success" ? { ...judged, ...blocked() } : judged;
  }
  if (exitCode === 0) return withText(event, stdout);
  if (exitCode === 2) {
    return lacksScript(event, run)
      ? { outcome: "failed", failure: `its script is missing: ${stderr.trim()}` }
      : blocked();
  }
  return ended(exitCode, stderr);
}

const ended = (exitCode: number | undefined, stderr: string): JudgedHook => ({
  outcome: "failed",
  failure: `it ended with ${exitCode === undefined ? "a signal" : `exit code ${exitCode}`}: ${
    firstLine(stderr.trim()) || noReason
  }`,
});

const withText = (event: string, stdout: string): JudgedHook => ({
  outcome: "success",
  ...(hookEvents.get(event)?.textIsContext && stdout.trim() !== "" ? { context: stdout.trim() } : {}),
});

/** Events on which an interpreter's own exit code 2 for a missing script is no block. */
const scriptEvents = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle", "UserPromptSubmit"]);

const lacksScript = (event: string, { stdout, stderr }: HookRunEnd): boolean =>
  scriptEvents.has(event) && stdout.trim() === "" && /no such file|can't open/i.test(stderr);

function ofRequest(event: string, { timedOut, failure, status = 0, stdout }: HookRunEnd): JudgedHook {
  if (timedOut) return { outcome: "timed-out" };
  if (failure !== undefined) return { outcome: "failed", failure };
  if (status < 200 || status > 299) {
    return { outcome: "failed", failure: `it was answered with HTTP ${status}` };
  }
  const read = readBody(stdout);
  if (read.kind === "invalid") return { outcome: "failed", failure: read.reason };
  return read.kind === "json" ? ofAnswer(event, read) : { outcome: "background" };
}

function ofAnswer(event: string, { answer, ignored }: HookReply & { kind: "json" }): JudgedHook {
  const output = answer.hookSpecificOutput;
  const kept = definedOnly({ answer, ignored: ignored.length === 0 ? undefined : ignored });
  const isOther = output !== undefined && output.hookEventName !== event;
  if (isOther && answer.decision !== "block") {
    return {
      ...kept,
      outcome: "failed",
      failure: `hookSpecificOutput is for ${output.hookEventName}, and the event is ${event}`,
    };
  }
  const specific = isOther ? {} : ofOutput(event, answer);
  const top = answer.decision === "block"
    ? { outcome: "blocked" as const, reason: answer.reason ?? "Blocked by hook" }
    : answer.decision === "approve"
    ? { permission: "allow" as const, reason: answer.reason }
    : {};
  return {
    outcome: "success",
    ...kept,
    ...definedOnly({ message: answer.systemMessage }),
    ...(answer.continue === false
      ? definedOnly({ stops: true as const, stopReason: answer.stopReason })
      : {}),
    ...definedOnly(top),
    ...specific,
  };
}

/** Reads the part of the answer that is for the event alone. */
function ofOutput(event: string, { reason, hookSpecificOutput: output }: HookAnswer): Partial<JudgedHook> {
  if (output === undefined) return {};
  const text = (key: string) => typeof output[key] === "string" ? output[key] : undefined;
  const blocked = (why: string | undefined) => ({
    outcome: "blocked" as const,
    reason: why ?? reason ?? "Blocked by hook",
  });
  const context = definedOnly({ context: text("additionalContext") });
  const updatedInput = output.updatedInput as Record<string, unknown> | undefined;
  switch (event) {
    case "PreToolUse":
    case "PreModelSwitch": {
      const permission = output.permissionDecision as Permission | undefined;
      const why = text("permissionDecisionReason");
      return {
        ...context,
        ...definedOnly({
          updatedInput,
          permission,
          ...(permission === undefined ? {} : { reason: why ?? reason }),
        }),
        ...(permission === "deny" ? blocked(why) : {}),
      };
    }
    case "PermissionRequest": {
      const decision = output.decision as
        & { behavior: "allow" | "deny"; message?: string }
        & Record<string, unknown>;
      return definedOnly({
        permission: decision.behavior,
        reason: decision.message,
        updatedInput: decision.updatedInput as Record<string, unknown> | undefined,
      });
    }
    case "Elicitation":
    case "ElicitationResult":
      return output.action === "decline" ? blocked(undefined) : {};
    default:
      return context;
  }
}
