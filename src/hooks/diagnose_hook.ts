/** Says what is wrong with a hook that ran, and what to do: an exit code alone does not tell. */
import type { HookRunEnd } from "../../machines/model/hook_run.ts";
import { formatDuration, oneLine } from "../core/text.ts";
import type { HookDefinition } from "./hook_definition.ts";
import { hookEvents } from "./hook_events.ts";
import { type JudgedHook, noReason } from "./judge_hook.ts";

/** Lines for people, each with a way out; none for a hook that did well. */
export function diagnoseHook(
  { event, hook }: HookDefinition,
  run: HookRunEnd,
  judged: JudgedHook,
  limitMs: number,
): string[] {
  const { outcome, failure, ignored = [], reason, answer } = judged;
  const { exitCode, stdout, stderr, timedOut } = run;
  const goesOn = outcome === "blocked" ? "" : "; the action goes ahead as if there were no hook";
  const lines: string[] = [];
  if (timedOut) {
    lines.push(
      `It did not end within ${
        formatDuration(limitMs)
      } and was ended${goesOn}: make it faster, or give it a longer timeout (seconds)`,
    );
  } else if (isUnrunnable(run)) {
    lines.push(`It could not be run: ${oneLine(stderr)}${goesOn}. ${wayOut(stderr, hook)}`);
  } else if (failure !== undefined && outcome !== "blocked") lines.push(`${capital(failure)}${goesOn}`);
  if (exitCode === 2 && outcome === "blocked" && reason === noReason) {
    lines.push(
      "It blocks without a reason: write to stderr why, for the model or the user reads nothing else",
    );
  }
  if (exitCode === 2 && outcome === "blocked" && /no such file|can't open/i.test(stderr)) {
    lines.push(
      `It blocks since its script is missing, with the exit code of its interpreter: ${wayOut(stderr, hook)}`,
    );
  }
  if (exitCode === 2 && outcome === "blocked" && stdout.trim() !== "" && answer === undefined) {
    lines.push("With exit code 2 stdout is not read: write the reason to stderr");
  }
  if (outcome === "blocked" && hookEvents.get(event)?.block === undefined) {
    lines.push(`${event} cannot be blocked: its reason is shown to the user, and all goes on`);
  }
  if (exitCode !== undefined && exitCode !== 0 && exitCode !== 2 && answer !== undefined) {
    lines.push(`Exit code ${exitCode} counts for nothing beside a JSON answer: end with 0`);
  }
  if (answer?.decision === "approve") {
    lines.push('"decision": "approve" is the old form: use hookSpecificOutput.permissionDecision');
  }
  if (outcome === "background" && stdout.trim() !== "") {
    lines.push("It runs in the background: nothing that it writes decides about the action");
  }
  if (ignored.length > 0) lines.push(`Claude Code ignores ${ignored.join(", ")} of the answer`);
  return lines;
}

const isUnrunnable = ({ exitCode, failure }: HookRunEnd): boolean =>
  exitCode === 126 || exitCode === 127 || failure !== undefined;

function wayOut(stderr: string, hook: HookDefinition["hook"]): string {
  if (hook.type === "http") return "Is the server up, and is it reached from the environment?";
  if (/permission denied/i.test(stderr)) return "Set its run bit (chmod +x), or start it by its interpreter";
  if (/no such file|not found/i.test(stderr)) {
    return "Correct the path; files of the plugin lie below ${CLAUDE_PLUGIN_ROOT}";
  }
  return "Correct the command";
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
