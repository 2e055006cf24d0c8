/** TAP version 14 with YAML diagnostics (testanything.org). */
import { defineReporter, type ReporterOutput } from "../reporter.ts";
import { exerciseText, unexercised, unexercisedReason } from "../exercise/exercise_text.ts";
import { plainLine } from "../../core/text.ts";

let lines: typeof import("./tap/test_point.ts");

export default defineReporter({
  name: "tap",
  summary: "TAP version 14 with YAML diagnostics",
  writes: "stream",
  async prepare() {
    lines = await import("./tap/test_point.ts");
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
      "test.finished": ({ result }) => output.write(lines.testPoint(++count, result)),
      end: ({ error, report }) => {
        const exercise = report?.exercise ?? [];
        if (exercise.length > 0) comment(output, exerciseText(exercise));
        for (const each of unexercised(exercise)) {
          comment(output, `not exercised: ${each.tool}: ${unexercisedReason(each)}`);
        }
        if (error !== undefined) output.write(`Bail out! ${lines.escapeTap(error.message)}\n`);
        else output.write(`1..${planned}\n`);
      },
    };
  },
});

const comment = (output: ReporterOutput, line: string): void => output.write(`# ${plainLine(line)}\n`);
