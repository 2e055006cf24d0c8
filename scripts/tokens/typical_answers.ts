/** Tokens of what the main tools usually answer, made by the tools themselves on a scripted session. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { RegisteredTool } from "../../src/tools/tool.ts";
import { scriptedHarness } from "../../test/src/server/scripted_harness.ts";
import { toolContext } from "../../test/src/tools/tool_context.ts";
import { type Failures, typicalSession } from "../../test/src/server/typical_session.ts";

export interface TypicalAnswer {
  tool: string;
  failures: Failures;
  tokens: number;
}

/** Calls in the order of a session. */
const calls: [tool: string, input: Record<string, unknown>][] = [
  ["pth_start_session", { pluginPath: "/plugins/office" }],
  ["pth_provision_environment", {}],
  ["pth_load_plugin", {}],
  ["pth_generate_tests", {}],
  ["pth_run_test_suite", {}],
  ["pth_get_test_results", {}],
  ["pth_diagnose_failure", {}],
  ["pth_run_iteration", {}],
  ["pth_end_session", {}],
];

export const failureCounts: readonly Failures[] = [0, 10, 60];

export async function typicalAnswers(tools: readonly RegisteredTool[]): Promise<TypicalAnswer[]> {
  const answers: TypicalAnswer[] = [];
  for (const failures of failureCounts) {
    const context = toolContext(scriptedHarness(typicalSession(failures)));
    for (const [name, input] of calls) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`Cannot ask ${name}: there is no such tool; see ${here}`);
      const { text } = await tool.definition.run(tool.definition.input.parse(input) as never, context);
      answers.push({ tool: name, failures, tokens: countTokens(text) });
    }
  }
  return answers;
}

const here = "scripts/tokens/typical_answers.ts";

/** The middle one, of an even number the higher of both. */
export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
