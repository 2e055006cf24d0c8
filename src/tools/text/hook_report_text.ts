/** A report on hooks for a model: the decision, each hook, and what is wrong with it. */
import { type Problem, problemLine } from "../../core/problems.ts";
import { oneLine } from "../../core/text.ts";
import { type FiredHook, type HookReport, untestedHooks } from "../../hooks/fire_hooks.ts";
import { joinLines } from "./join_lines.ts";

const longest = 300;

/** @param problems Mistakes of definitions, which are not loaded */
export function hookReportText(report: HookReport, problems: readonly Problem[]): string {
  const { event, decision, reasons, consequence, stops, context, updatedInput, hooks, changes } = report;
  return joinLines(
    `${event}: ${decision}${consequence === undefined ? "" : `, ${consequence}`}`,
    ...untestedHooks(report).map((hook) => `not tested: ${oneLine(hook, longest)}`),
    ...reasons.map((reason) => `reason: ${oneLine(reason, longest)}`),
    updatedInput !== undefined && `input becomes ${oneLine(JSON.stringify(updatedInput), longest)}`,
    stops && "the agent stops",
    ...context.map((text) => `to the model: ${oneLine(text, longest)}`),
    ...hooks.flatMap(hookLines),
    changes.length > 0 &&
      `Changed in its project: ${
        oneLine(changes.map(({ path, change }) => `${path} ${change}`).join(", "), longest)
      }`,
    ...problems.map((problem) => `not loaded: ${problemLine(problem)}`),
  );
}

function hookLines(
  { place, subject, skipped, outcome, exitCode, status, stderr, diagnoses }: FiredHook,
): string[] {
  const ended = exitCode !== undefined
    ? `, exit code ${exitCode}`
    : status !== undefined
    ? `, HTTP ${status}`
    : "";
  const said = stderr === undefined || stderr.trim() === "" ? "" : `: ${oneLine(stderr, longest)}`;
  return [
    `${place.file}:${place.line} ${oneLine(subject, 120)}: ${
      outcome === undefined ? `not run, ${skipped}` : `${outcome}${ended}${said}`
    }`,
    ...diagnoses.map(({ fault, message }) => `- ${fault ? "fault" : "note"}: ${oneLine(message, longest)}`),
  ];
}
