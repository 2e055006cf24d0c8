/** Renders a report on hooks for a terminal. */
import { count, formatDuration, indentedTail, indentLines, oneLine, visibleText } from "../../core/text.ts";
import { type FiredHook, type HookReport, untestedHooks } from "../../hooks/fire_hooks.ts";

const longest = 160;

export function renderHookReport(report: HookReport): string {
  const {
    event,
    decision,
    reasons,
    consequence,
    stops,
    stopReasons,
    context,
    messages,
    updatedInput,
    hooks,
    changes,
  } = report;
  const ran = hooks.filter(({ outcome }) => outcome !== undefined).length;
  return [
    `${event}  ${subjectOf(report)}${count(ran, "hook")} of ${hooks.length} ran`,
    ...hooks.flatMap(hookLines),
    `Decision: ${decision}${consequence === undefined ? "" : ` (${consequence})`}`,
    ...untestedHooks(report).map((hook) => `  not tested: ${hook}`),
    ...reasons.map((reason) => `  reason: ${oneLine(reason, longest)}`),
    ...(updatedInput === undefined
      ? []
      : [`  input becomes ${oneLine(JSON.stringify(updatedInput), longest)}`]),
    ...(stops
      ? [`  the agent stops${stopReasons.map((reason) => `: ${oneLine(reason, longest)}`).join("")}`]
      : []),
    ...context.map((text) => `  to the model: ${oneLine(text, longest)}`),
    ...messages.map((text) => `  to the user: ${oneLine(text, longest)}`),
    ...(changes.length === 0 ? [] : ["Changed in the project:"]),
    ...changes.map(({ path, change }) => `  ${change} ${path}`),
    "",
  ].map(visibleText).join("\n");
}

const subjectOf = ({ payload: { tool_name: tool, tool_input: input } }: HookReport): string =>
  typeof tool === "string" ? `${tool} ${oneLine(JSON.stringify(input ?? {}), 80)}  ` : "";

function hookLines(hook: FiredHook): string[] {
  const { place: { file, line }, matcher, type, subject, skipped, outcome, durationMs = 0, diagnoses } = hook;
  const fault = diagnoses.some((each) => each.fault);
  const mark = fault ? "✖" : outcome === undefined ? "-" : "✔";
  const matched = matcher === undefined ? "" : ` [${matcher}]`;
  const ended = hook.exitCode !== undefined
    ? `, exit code ${hook.exitCode}`
    : hook.status !== undefined
    ? `, HTTP ${hook.status}`
    : "";
  return [
    `${mark} ${file}:${line}${matched} ${type}: ${oneLine(subject, longest)}`,
    outcome === undefined
      ? `    not run: ${skipped}`
      : `    ${outcome}${ended}, ${formatDuration(durationMs)}`,
    ...output("stdout", hook.stdout),
    ...output("stderr", hook.stderr),
    ...diagnoses.map(({ fault, message }) => indentLines(`${fault ? "✖" : "Note:"} ${message}`, "    ")),
  ];
}

const output = (name: string, text = ""): string[] =>
  text.trim() === "" ? [] : [`    ${name}:`, indentLines(indentedTail(text.trimEnd(), 20), "  ")];
