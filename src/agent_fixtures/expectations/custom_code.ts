/** `custom_code`: the author's own code, which judges the session in the environment. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { extname } from "node:path";
import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { textSchema } from "../expected_fields.ts";

/** Bytes of code: the longest argument of a program on Linux has 128 KiB. */
const longestCode = 64 * 1024;

/**
 * Scripts that run `$1`. Python is isolated: modules that the agent laid into the project, in the place of its own, would
 * be imported otherwise.
 */
const scripts = {
  javascript: 'exec node --input-type=module -e "$1"',
  python: 'exec python3 -I -c "$1"',
  shell: 'exec sh -c "$1"',
};

const languageOf: Record<string, keyof typeof scripts> = { ".py": "python", ".sh": "shell" };

const code = textSchema.refine(
  (text) => Buffer.byteLength(text) <= longestCode,
  `expected at most ${longestCode / 1024} KiB of code`,
);

const schema = z.strictObject({
  code: code.optional().describe(
    "Code that reads the session from stdin, as JSON, and exits with 0 where it is as it should be.",
  ),
  file: textSchema.optional().describe(
    "File that holds the code, found as `src` of the setup is; in its place.",
  ),
  language: z.enum(["javascript", "python", "shell"]).optional().describe(
    "Language: that of the file's ending (.py, .sh), else javascript, a module for node.",
  ),
  timeout_ms: z.int().min(1).max(600_000).optional().describe("Limit in ms (default: 30000)."),
}).refine(
  (given) => (given.code === undefined) !== (given.file === undefined),
  "expected code or file, one of them",
);

type Expected = z.infer<typeof schema>;

const checkName = (expected: Expected): string =>
  `code ${createHash("sha256").update(JSON.stringify(expected)).digest("hex")}`;

export default defineExpectation({
  type: "custom_code",
  summary: "Code of the test's author, in the environment, finds the session as it should be",
  schema,
  example: { file: "checks/quiet.mjs" },
  describe: ({ file, code = "" }: Expected) =>
    file === undefined ? `\`${oneLine(code, 60)}\` agrees` : `${file} agrees`,
  async withFiles({ file, ...expected }, read) {
    if (file === undefined) return expected;
    const { language = languageOf[extname(file)] ?? "javascript" } = expected;
    const text = await read(file);
    const { error } = code.safeParse(text);
    if (error === undefined) return { ...expected, code: text, language };
    const size = `${file} has ${Buffer.byteLength(text)} bytes`;
    throw new PthError("INVALID_INPUT", `expected 1 to ${longestCode} bytes of code, ${size}`);
  },
  needsModelInput: true,
  checks: (expected) => [{
    name: checkName(expected),
    script: scripts[expected.language ?? "javascript"],
    args: [expected.code!],
    readsSession: true,
    timeoutMs: expected.timeout_ms ?? 30_000,
  }],
  judge(expected: Expected, { checks }): Judgement {
    const outcome = checks[checkName(expected)];
    if (outcome === undefined) return { pass: false, actual: null, reason: "it was not run" };
    if ("problem" in outcome) {
      return { pass: false, actual: null, reason: `it could not be run: ${outcome.problem}` };
    }
    const { code, stdout, stderr, truncated } = outcome;
    const said = stdout.trim().split("\n").at(-1)!;
    const answer = jsonIn(said);
    const told = isObject(answer) ? answer : undefined;
    const actual = {
      exit_code: code,
      stdout: oneLine(stdout, 300),
      stderr: oneLine(stderr, 300),
      ...(told?.actual === undefined ? {} : { told: told.actual }),
    };
    const reason = typeof told?.reason === "string" ? told.reason : undefined;
    const excerpt = textExcerpt(stderr.trim() === "" ? stdout : stderr, 300);
    const miss = code !== 0
      ? `it ended with ${code ?? "a signal"}: ${reason ?? excerpt}`
      : truncated
      ? "it said too much to be judged: its answer is the last line"
      : said.startsWith("{") && told === undefined
      ? `its last line is no JSON: ${textExcerpt(said, 200)}`
      : told !== undefined && typeof told.pass !== "boolean"
      ? `its answer has no pass that is true or false: ${textExcerpt(said, 200)}`
      : told?.pass === false
      ? reason ?? "it answered that the session is not as it should be"
      : undefined;
    return miss === undefined ? { pass: true, actual } : { pass: false, actual, reason: oneLine(miss, 2000) };
  },
});
