import * as z from "zod";
import { detailField, environmentPath, variablesField } from "../fields.ts";
import { boundedTail, tailLimits } from "../bounded_tail.ts";
import { duration, joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";

/** Said as it is: a second run may have side effects. */
const more = "; detail: true runs it again and shows all";

export default defineTool({
  title: "Run a command in the environment",
  description:
    "Run a command in the plugin's folder inside the environment: to look at a failure, check a side effect, try something. Answers exit " +
    "code (also other than 0) and the ends of stdout and stderr.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    command: z.union([z.string().min(1), z.array(z.string()).min(1)])
      .describe("Shell command line (sh -c), or a list run as it is."),
    cwd: environmentPath.exactOptional(),
    env: variablesField.exactOptional().describe("Variables to add."),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe("Default 600, then it is ended. What is to go on: nohup … &"),
    detail: detailField,
  }),
  output: z.object({
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    durationMs: z.number(),
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().describe("It was longer than PTH keeps; the beginning is missing."),
  }),
  async run({ command, detail, ...rest }, context) {
    const list = typeof command === "string" ? ["sh", "-c", command] : command;
    const result = await context.harness.session().environment.exec(list, rest, requestOptions(context));
    const stdout = boundedTail(result.stdout, tailLimits(detail), more);
    const stderr = boundedTail(result.stderr, tailLimits(detail), more);
    const ended = result.signal === null ? `Exit code ${result.code}` : `Killed by ${result.signal}`;
    return {
      text: joinLines(
        `${ended} after ${duration(result.durationMs)}`,
        result.truncated && "The output was longer than PTH keeps; its beginning is missing.",
        stdout && `stdout:\n${stdout}`,
        stderr && `stderr:\n${stderr}`,
      ),
      data: {
        exitCode: result.code,
        signal: result.signal,
        durationMs: result.durationMs,
        stdout,
        stderr,
        truncated: result.truncated,
      },
    };
  },
});
