/** Renders the answer of a run of a project's own tests for people: failures, what was stuck, then the summary. */
import type { ProjectTestAnswer } from "../../../machines/model/project_test_run.ts";
import { count, formatDuration, indentLines, plainLine, stripEscapes } from "../../core/text.ts";
import type { TextOutput } from "../../platform/terminal.ts";
import { styleOf } from "../../testing/reporters/spec/terminal_style.ts";

/** Whole lines. Names and messages are the project's: nothing of them moves the cursor. */
export function renderTestAnswer(answer: ProjectTestAnswer, output: TextOutput): string {
  const { red, green, yellow, bold, dim } = styleOf(output);
  const { summary, failures = [], stuck = [], hint, details, framework } = answer;
  const lines: string[] = [];
  for (const { name, file, line, message, rerun } of failures) {
    const place = file === undefined
      ? ""
      : dim(`  ${plainLine(file)}${line === undefined ? "" : `:${line}`}`);
    lines.push("", `${red("✗")} ${bold(plainLine(name))}${place}`);
    if (message !== "") lines.push(indentLines(stripEscapes(message), "    "));
    if (rerun !== undefined) lines.push(dim(`    again: ${plainLine(rerun)}`));
  }
  for (const { name, elapsed_ms, diagnosis, threads } of stuck) {
    lines.push("", `${red("⏳")} ${bold(plainLine(name))} ${dim(`stuck for ${formatDuration(elapsed_ms)}`)}`);
    lines.push(`    ${plainLine(diagnosis)}`);
    for (const thread of threads) {
      lines.push(
        `    ${plainLine(thread.name)}`,
        ...thread.stack.map((frame) => `      ${plainLine(frame)}`),
      );
    }
  }
  if (lines.length > 0) lines.push("");
  if (summary === null) lines.push(yellow(`No tests (${framework})`));
  else {
    const { passed, failed, skipped, duration_ms } = summary;
    lines.push([
      green(`${passed} passed`),
      ...(failed > 0 ? [red(`${failed} failed`)] : []),
      ...(stuck.length > 0 ? [red(`${summary.stuck ?? stuck.length} stuck`)] : []),
      ...(skipped > 0 ? [yellow(`${skipped} skipped`)] : []),
      dim(`${framework}, ${formatDuration(duration_ms)}`),
    ].join(", "));
  }
  if (hint !== undefined) lines.push(plainLine(hint));
  if (answer.project !== undefined && answer.project.language !== "unknown") {
    const { language, build_system, test_files } = answer.project;
    lines.push(dim(`${language}, ${build_system}, ${count(test_files, "test file")}`));
  }
  if (details !== undefined && (failures.length > 0 || stuck.length > 0)) {
    lines.push(dim(`Details: ${details}`));
  }
  return `${lines.join("\n")}\n`;
}
