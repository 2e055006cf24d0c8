/** Judges a prompt-driven test by the agent's own judgement and by `verify` commands. */
import type { AgentWork } from "../../../machines/model/agent_run.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { checkAssertion } from "./assertion_table.ts";
import { count, oneLine } from "../../core/text.ts";
import { skippingVerdict } from "./failing_verdict.ts";
import type { FailureCategory, JudgedItem, Verdict } from "../../../machines/model/verdict.ts";

/** Error texts stand for what `work.error` holds; the machine does not know what it caught. */
export interface JudgedWork extends Omit<AgentWork, "error"> {
  error?: string;
}

/** An agent that called no tool has tested nothing, whatever its judgement. */
export function judgeAgentRun(test: TestCase, work: JudgedWork): Verdict {
  const cut = cutShort(work);
  if (cut) return failure(cut.category, cut.message, work);
  if (work.abandoned !== undefined) return skippingVerdict(`the run was given up: ${work.abandoned}`);
  const { checklist = [] } = work;
  if (work.calls.length === 0) return skippingVerdict("inconclusive: no tool was called under this run");
  const breach = firstBreach(work);
  if (breach) return failure(breach.category, breach.message, work);
  const problems = [...unmet(checklist), ...commandProblems(work)];
  if (problems.length > 0) return failure("missing-side-effect", problems.join("\n"), work);
  const done = `${count(work.calls.length, "call")}, ${count(test.verify.length, "command")} verified`;
  return { status: "passed", note: [done, ...checklist.map(itemText)].join("\n"), findings: [] };
}

function cutShort(
  { setupFailure, loss, timedOut, checklist, error, calls }: JudgedWork,
): { category: FailureCategory; message: string } | undefined {
  if (setupFailure !== undefined) {
    return { category: "dependency-error", message: `setup failed, nothing was called: ${setupFailure}` };
  }
  if (loss) {
    const last = calls.at(-1);
    return {
      category: "runtime-exception",
      message: `the server ended during the run${last ? `, after a call of ${last.tool}` : ""}: ${
        [loss.message, loss.stderrTail.trim()].filter(Boolean).join("\n")
      }`,
    };
  }
  if (timedOut) {
    const message = checklist === undefined
      ? "the run was not closed within its limit"
      : "the verify commands did not end within the run's limit";
    return { category: "timeout", message };
  }
  return error === undefined ? undefined : { category: "dependency-error", message: error };
}

/** Faults of the server count independently of the agent's judgement, as in tests of calls. */
function firstBreach({ calls }: JudgedWork): { category: FailureCategory; message: string } | undefined {
  for (const { tool, outcome: { violations: [breach] } } of calls) {
    if (breach === undefined) continue;
    const category = breach.kind === "output_schema" ? "schema-violation" : "protocol-error";
    return { category, message: `${tool}: ${breach.message}` };
  }
  return undefined;
}

/** An item with its evidence, in one line. */
export const itemText = ({ item, evidence }: JudgedItem): string => `${item}: ${oneLine(evidence, 300)}`;

/** A line for each item that is not met. */
export const unmet = (checklist: readonly JudgedItem[]): string[] =>
  checklist.filter(({ met }) => !met).map((judged) => `not met: ${itemText(judged)}`);

/** A line for each expectation of a `verify` command that does not hold. */
export function commandProblems({ commands }: Pick<JudgedWork, "commands">): string[] {
  return commands.flatMap(({ command, result }) =>
    Object.entries({ expect_exit_code: 0, ...command.expect }).flatMap(([key, expected]) => {
      const checked = checkAssertion("command", key, expected, result);
      return checked.pass ? [] : [`verify "${oneLine(command.exec, 80)}": ${checked.message()}`];
    })
  );
}

function failure(category: FailureCategory, message: string, { calls }: JudgedWork): Verdict {
  const made = calls.map(({ tool, outcome }) => `${tool}${outcome.isError ? " (failed)" : ""}`);
  const sequence = made.length === 0 ? "no tool was called" : `called: ${made.join(", ")}`;
  return { status: "failed", category, message: `${message}\n  ${sequence}`, findings: [] };
}
