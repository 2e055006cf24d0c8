/** Says what is wrong with a hook that ran, and what to do: an exit code alone does not tell. */
import type { HookRunEnd } from "../../machines/model/hook_run.ts";
import { formatDuration, oneLine } from "../core/text.ts";
import type { HookDefinition } from "./hook_definition.ts";
import { hookEvents } from "./hook_events.ts";
import { type JudgedHook, noReason } from "./judge_hook.ts";

export interface HookDiagnosis {
  /** Whether it is a fault of the hook, or an observation. */
  fault: boolean;
  /** One line, with a way out. */
  message: string;
}

/** @returns none for a hook that did well */
export function diagnoseHook(
  { event, hook }: HookDefinition,
  run: HookRunEnd,
  judged: JudgedHook,
  limitMs: number,
): HookDiagnosis[] {
  const { outcome, failure, ignored = [], reason, answer } = judged;
  const { exitCode, stdout, stderr, timedOut } = run;
  const isBlock = outcome === "blocked";
  const goesOn = isBlock ? "" : "; the action goes ahead as if there were no hook";
  const found: HookDiagnosis[] = [];
  const fault = (message: string) => void found.push({ fault: true, message });
  const note = (message: string) => void found.push({ fault: false, message });
  if (timedOut) {
    fault(
      `It did not end within ${formatDuration(limitMs)}, and was ended${goesOn}. ` +
        "Make it faster, or give it a longer timeout, in seconds",
    );
  } else if (isUnrunnable(run)) {
    fault(`It could not be run: ${oneLine(failure ?? stderr)}${goesOn}. ${wayOut(stderr, hook)}`);
  } else if (failure !== undefined) fault(`${failure}${goesOn}`);
  if (isBlock && exitCode === 2) {
    if (/no such file|can't open/i.test(stderr)) {
      fault(`It blocks by the exit code of an interpreter that misses its script. ${wayOut(stderr, hook)}`);
    } else if (reason === noReason) {
      fault("It blocks without a reason: write to stderr why, for nothing else is told");
    }
    if (stdout.trim() !== "" && answer === undefined) {
      note("With exit code 2 stdout is not read: the reason is what it writes to stderr");
    }
  }
  if (isBlock && hookEvents.get(event)?.block === undefined) {
    fault(`${event} cannot be blocked: the reason is shown to the user, and all goes on`);
  }
  if (exitCode !== undefined && exitCode !== 0 && exitCode !== 2 && answer !== undefined) {
    note(`Exit code ${exitCode} counts for nothing beside a JSON answer: end with 0`);
  }
  if (answer?.decision === "approve") {
    note('"decision": "approve" is the old form: use hookSpecificOutput.permissionDecision');
  }
  if (outcome === "background" && stdout.trim() !== "") {
    note("It runs in the background: nothing that it writes decides about the action");
  }
  if (ignored.length > 0) note(`Claude Code ignores ${ignored.join(", ")} of the answer`);
  return found;
}

const isUnrunnable = ({ exitCode, failure }: HookRunEnd): boolean =>
  exitCode === 126 || exitCode === 127 || failure !== undefined;

function wayOut(stderr: string, hook: HookDefinition["hook"]): string {
  if (hook.type === "mcp_tool") return "Correct the name of the server, the tool or its input";
  if (hook.type === "http") return "Is the server up, and is it reached from the environment?";
  if (/permission denied/i.test(stderr)) return "Set its run bit (chmod +x), or start it by its interpreter";
  if (/no such file|not found/i.test(stderr)) {
    return "Correct the path; files of the plugin lie below ${CLAUDE_PLUGIN_ROOT}";
  }
  return "Correct the command";
}
