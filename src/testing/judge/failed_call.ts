/** The tool call that a failed test is about. */
import type { TestCase } from "../../../machines/model/test_case.ts";

/**
 * Finds the call that a failed test is about. For a test of steps, it is the call of the step that failed or the last
 * call before it; if no step failed, the last of all. Undefined if no tool was called.
 */
export function failedCall(
  { tool, input, steps }: TestCase,
  failedStep?: number,
): { tool: string; input: Record<string, unknown> } | undefined {
  if (steps === undefined) return tool === undefined ? undefined : { tool, input: input ?? {} };
  const made = failedStep === undefined ? steps : steps.slice(0, failedStep + 1);
  const calls = made.flatMap(({ action }) => action.kind === "call" ? [action] : []);
  const last = calls.at(-1);
  return last && { tool: last.tool, input: last.input };
}
