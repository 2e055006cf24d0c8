import { z } from "zod";
import { detail, environmentPath, variables } from "../fields.ts";
import { tail, tailLimits } from "../tail.ts";
import { duration, lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Run a command in the environment",
  description:
    "Run a command inside the environment, in the plugin's folder, to look at a failure, check a side effect or try something. Answers " +
    "exit code, stdout and stderr; an exit code other than 0 is an answer, not an error.",
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: z.strictObject({
    command: z.union([z.string().min(1), z.array(z.string()).min(1)])
      .describe("A shell command line (sh -c), or a list that is run as it is."),
    cwd: environmentPath.exactOptional(),
    env: variables.exactOptional().describe("Added to the environment's variables."),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe(
        "Default 600; a command that takes longer is ended. What is to go on belongs in the background (nohup … &).",
      ),
    detail,
  }),
  async run({ command, detail, ...rest }, context) {
    const list = typeof command === "string" ? ["sh", "-c", command] : command;
    const result = await context.harness.session().exec(list, rest, requestOptions(context));
    const stdout = tail(result.stdout, tailLimits(detail));
    const stderr = tail(result.stderr, tailLimits(detail));
    const ended = result.signal === null ? `Exit code ${result.code}` : `Ended by ${result.signal}`;
    return {
      text: lines(
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
