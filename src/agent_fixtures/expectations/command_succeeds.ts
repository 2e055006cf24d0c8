/** `command_succeeds`: a shell command in the project, once the agent has ended. */
import * as z from "zod";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { patternMiss, textPatternSchema, textSchema, withoutLineEnd } from "../expected_fields.ts";

const schema = z.strictObject({
  command: textSchema.describe("Shell command, which runs in the project, in the environment."),
  exit_code: z.int().min(0).max(255).optional().describe("Exit code (default: 0)."),
  stdout: textPatternSchema.optional().describe("Regular expression for its output."),
  stderr: textPatternSchema.optional().describe("Regular expression for its errors."),
  timeout_ms: z.int().min(1).max(600_000).optional().describe("Limit in ms (default: 30000)."),
});

type Expected = z.infer<typeof schema>;

const checkName = (expected: Expected): string => `command ${JSON.stringify(expected)}`;

export default defineExpectation({
  type: "command_succeeds",
  summary:
    "A shell command in the project ends with its exit code once the agent has ended, and says what it should",
  schema,
  example: { command: "npm test", timeout_ms: 60_000 },
  describe: ({ command, exit_code: code = 0 }: Expected) =>
    `\`${oneLine(command, 100)}\` ${code === 0 ? "succeeds" : `exits with ${code}`}`,
  checks: (expected) => [{
    name: checkName(expected),
    script: expected.command,
    timeoutMs: expected.timeout_ms ?? 30_000,
  }],
  judge(expected: Expected, { checks }): Judgement {
    const outcome = checks[checkName(expected)];
    if (outcome === undefined) return { pass: false, actual: null, reason: "it was not run" };
    if ("problem" in outcome) {
      return { pass: false, actual: null, reason: `it could not be run: ${outcome.problem}` };
    }
    const { code, stdout, stderr } = outcome;
    const wanted = expected.exit_code ?? 0;
    const said = textExcerpt(stderr.trim() === "" ? stdout : stderr, 300);
    const misses = [
      code === wanted ? undefined : `it ended with ${code ?? "a signal"}, not ${wanted}: ${said}`,
      patternMiss("its output", withoutLineEnd(stdout), expected.stdout),
      patternMiss("its errors", withoutLineEnd(stderr), expected.stderr),
    ].filter((miss) => miss !== undefined);
    const actual = { exit_code: code, stdout: oneLine(stdout, 300), stderr: oneLine(stderr, 300) };
    return misses.length === 0 ? { pass: true, actual } : { pass: false, actual, reason: misses.join("; ") };
  },
});
