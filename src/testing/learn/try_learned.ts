/** Makes the calls of a learned input as its test will make them. */
import type { LearnedInput } from "../../../machines/model/learned.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestStep } from "../../../machines/model/test_case.ts";
import type { FuzzServer } from "../fuzz/fuzz_server.ts";
import { interpolateTest } from "../format/interpolate.ts";
import { replaceVariables } from "../format/variables.ts";
import { captureFrom } from "../judge/judge_step.ts";
import { callTool } from "./called_tool.ts";
import { learnedTests } from "./learned_tests.ts";

export interface TryOptions {
  tools: ReadonlyMap<string, ToolDefinition>;
  /** Tools that may not be called, and why. */
  excluded: ReadonlyMap<string, string>;
  /** Values of `${env:NAME}`. */
  variables: ReadonlyMap<string, string>;
  limitMs: number;
  /** Called before each call; false ends the attempt. */
  mayCall(): boolean;
}

export type TriedInput =
  | { accepted: true }
  | { accepted: false; words: string };

/** @throws {PthError} `INVALID_TEST_FILE` for an unknown `${env:NAME}`; as `callTool` */
export async function tryLearned(
  server: FuzzServer,
  learned: LearnedInput,
  { tools, excluded, variables, limitMs, mayCall }: TryOptions,
): Promise<TriedInput> {
  const { tool, input = {}, steps = [callStep(tool!, input)] } = interpolateTest(
    learnedTests([learned])[0]!,
    variables,
  );
  const isSingle = tool !== undefined;
  let captured: Record<string, unknown> = {};
  for (const [index, { action, capture }] of steps.entries()) {
    if (action.kind !== "call") continue;
    const step = steps.length === 1 ? "" : `step ${index + 1} (${action.tool}): `;
    const definition = tools.get(action.tool);
    if (definition === undefined) {
      const reason = excluded.get(action.tool);
      const why = reason === undefined ? `there is no tool ${action.tool}` : `not called: ${reason}`;
      return { accepted: false, words: step + why };
    }
    if (!mayCall()) return { accepted: false, words: `${step}not called: out of time` };
    const given = isSingle ? action.input : replaceVariables(action.input, captured);
    const called = await callTool(server, definition, given, limitMs);
    if (!called.accepted) return { accepted: false, words: step + called.words };
    const { values, problems } = captureFrom(called.outcome, capture);
    if (problems.length > 0) {
      return { accepted: false, words: `${step}its answer has nothing to capture: ${problems.join("; ")}` };
    }
    captured = { ...captured, ...values };
  }
  return { accepted: true };
}

const callStep = (tool: string, input: Record<string, unknown>): TestStep => ({
  action: { kind: "call", tool, input },
  expect: {},
  capture: {},
  verify: [],
});
