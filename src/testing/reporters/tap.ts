/** TAP version 14 with YAML diagnostics (testanything.org). */
import type { TestResult } from "../../../machines/model/test_result.ts";
import { defineReporter, type ReporterOutput } from "../reporter.ts";
import { exerciseText, unexercised, unexercisedReason } from "../exercise/exercise_text.ts";
import { indentLines, plainLine, showValue, stripEscapes } from "../../core/text.ts";

let yaml: typeof import("yaml");

export default defineReporter({
  name: "tap",
  summary: "TAP version 14 with YAML diagnostics",
  writes: "stream",
  async prepare() {
    yaml = await import("yaml");
  },
  create(output) {
    let count = 0;
    let planned = 0;
    output.write("TAP version 14\n");
    return {
      "session.noted": ({ message }) => comment(output, message),
      "environment.provisioned": ({ environment }) =>
        comment(output, `environment ${environment.handle.runtime}: ${environment.reason}`),
      "suite.started": ({ tests }) => {
        // Other suites may follow, so that the plan stands at the end.
        planned += tests.length;
      },
      "test.finished": ({ result }) => output.write(testPoint(++count, result)),
      end: ({ error, report }) => {
        const exercise = report?.exercise ?? [];
        if (exercise.length > 0) comment(output, exerciseText(exercise));
        for (const each of unexercised(exercise)) {
          comment(output, `not exercised: ${each.tool}: ${unexercisedReason(each)}`);
        }
        if (error !== undefined) output.write(`Bail out! ${escape(error.message)}\n`);
        else output.write(`1..${planned}\n`);
      },
    };
  },
});

/** `ok 1 - name # SKIP reason`, and below it what else is known. */
function testPoint(number: number, result: TestResult): string {
  const mark = result.status === "failed" ? "not ok" : "ok";
  const skip = result.status === "skipped" ? ` # SKIP ${escape(result.note ?? "")}`.trimEnd() : "";
  return `${mark} ${number} - ${escape(result.name)}${skip}\n${diagnostics(result)}`;
}

function diagnostics(result: TestResult): string {
  const facts = {
    duration_ms: Math.round(result.durationMs * 1000) / 1000,
    ...(result.status === "flaky" ? { flaky: true } : {}),
    ...(result.flakiness === undefined ? {} : { flakiness: { ...result.flakiness } }),
    ...text("tool", result.tool),
    ...(result.status === "failed" ? failure(result) : {}),
    ...(result.status === "skipped" ? {} : text("note", result.note)),
    ...(result.findings.length === 0
      ? {}
      : { findings: result.findings.map((finding) => `${finding.code}: ${stripEscapes(finding.message)}`) }),
    ...(result.file === undefined ? {} : { at: { file: result.file, line: result.line ?? 1 } }),
  };
  return indentLines(`---\n${yaml.stringify(facts, { lineWidth: 0, blockQuote: "literal" })}...`, "  ") +
    "\n";
}

function failure(result: TestResult): Record<string, unknown> {
  return {
    ...text("message", result.message),
    severity: "fail",
    ...text("category", result.category),
    ...(result.expected === undefined ? {} : { expected: stripEscapes(showValue(result.expected)) }),
    ...(result.actual === undefined ? {} : { actual: stripEscapes(showValue(result.actual)) }),
    ...text("stderr", result.stderrTail?.trimEnd()),
  };
}

const text = (key: string, value: string | undefined): Record<string, string> =>
  value === undefined || value === "" ? {} : { [key]: stripEscapes(value) };

/** One line in which neither "#" nor "\" means anything. */
const escape = (line: string): string => plainLine(line).replaceAll(/[\\#]/g, "\\$&");

const comment = (output: ReporterOutput, line: string): void => output.write(`# ${plainLine(line)}\n`);
