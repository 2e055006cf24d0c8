/** `git_state`: branch, commits and uncommitted files of the project's repository at the end. */
import * as z from "zod";
import { count, oneLine } from "../../core/text.ts";
import { defineExpectation, type Judgement } from "../expectation.ts";
import {
  globMiss,
  globSchema,
  patternMiss,
  rangeLimits,
  rangeSchema,
  rangeText,
  textPatternSchema,
} from "../expected_fields.ts";

const schema = z.strictObject({
  branch: globSchema.optional().describe("Glob for the branch that is checked out."),
  commits: rangeSchema.optional().describe("Number of commits after the first one, or min and max."),
  message: textPatternSchema.optional().describe("Regular expression for the message of the latest commit."),
  clean: z.boolean().optional().describe("Whether all files are as committed."),
}).refine((state) => Object.keys(state).length > 0, "expected a state: branch, commits, message or clean");

type Expected = z.infer<typeof schema>;

const checkName = "state of git";

/** Four parts with NUL between them: branch, number of commits after the first, message, uncommitted files. */
const script = [
  "set -e",
  'test "$(git rev-parse --show-toplevel)" = "$(pwd -P)" || { echo "the project is no repository" >&2; exit 1; }',
  "git symbolic-ref --quiet --short HEAD || echo",
  'printf "\\0"',
  "echo $(($(git rev-list --count HEAD) - 1))",
  'printf "\\0"',
  "git log -1 --pretty=%B",
  'printf "\\0"',
  "git status --porcelain",
].join("\n");

export default defineExpectation({
  type: "git_state",
  summary:
    "The project's repository has such a branch, so many commits, such a latest message, or no changes",
  schema,
  example: { branch: "main", commits: 1, clean: true },
  describe: (expected: Expected) => `git has the expected ${Object.keys(expected).join(", ")}`,
  checks: () => [{ name: checkName, script, timeoutMs: 30_000 }],
  judge(expected: Expected, { checks }): Judgement {
    const outcome = checks[checkName];
    if (outcome === undefined) return { pass: false, actual: null, reason: "git was not asked" };
    const problem = "problem" in outcome
      ? outcome.problem
      : outcome.code === 0
      ? undefined
      : outcome.stderr.trim();
    if (problem !== undefined) {
      return { pass: false, actual: null, reason: `git cannot tell its state: ${oneLine(problem, 300)}` };
    }
    const parts = (outcome as { stdout: string }).stdout.split("\0").map((part) => part.trim());
    const [branch = "", commits = "", message = "", status = ""] = parts;
    const uncommitted = status.split("\n").filter((line) => line !== "");
    const actual = { branch, commits: Number(commits), message, uncommitted: uncommitted.slice(0, 20) };
    const misses = [
      globMiss("the branch", branch === "" ? "none" : branch, expected.branch),
      rangeMiss(expected.commits, actual.commits),
      patternMiss("the latest message", message, expected.message),
      cleanMiss(expected.clean, uncommitted),
    ].filter((miss) => miss !== undefined);
    return misses.length === 0 ? { pass: true, actual } : { pass: false, actual, reason: misses.join("; ") };
  },
});

function rangeMiss(range: Expected["commits"], commits: number): string | undefined {
  if (range === undefined) return undefined;
  const { min, max } = rangeLimits(range, { min: 0, max: Infinity });
  return commits >= min && commits <= max
    ? undefined
    : `${count(commits, "commit")}, expected ${rangeText(range)}`;
}

function cleanMiss(clean: boolean | undefined, uncommitted: readonly string[]): string | undefined {
  if (clean === undefined || clean === (uncommitted.length === 0)) return undefined;
  return clean ? `files are not committed: ${uncommitted.slice(0, 5).join(", ")}` : "all files are committed";
}
