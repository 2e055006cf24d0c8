import * as z from "zod";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { detailField, testRunFields } from "../fields.ts";
import { testResultSchema } from "../output/test_result_schema.ts";
import { resultText } from "../text/results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import type { AgentRun } from "../../api/harness.ts";
import { duration, joinLines } from "../text/join_lines.ts";

const agentRunSchema = z.object({
  status: z.literal("needs_agent"),
  runId: z.string(),
  testId: z.string(),
  description: z.string().exactOptional(),
  prompt: z.string(),
  checklist: z.array(z.string()).readonly(),
  timeoutSeconds: z.number(),
});

export default defineTool({
  title: "Run one test",
  description:
    "Run one test. Answers status, category, expected and actual, stderr; a failing test is no error. One with a prompt answers needs_agent " +
    "and a runId: do what it says with pth_call_plugin_tool({ runId, … }), then pth_complete_test_run.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    id: z.string().min(1).describe("As in pth_list_tests."),
    ...testRunFields,
    detail: detailField,
  }),
  output: z.object({ result: testResultSchema.exactOptional(), ...agentRunSchema.partial().shape })
    .describe("A result, or the run that awaits the agent."),
  async run({ id, detail, ...options }, context) {
    const session = context.harness.session();
    const answer = (result: TestResult) => ({ text: resultText(result, detail), data: { result } });
    const { prompt } = session.tests.list({ ids: [id] })[0] ?? {};
    if (prompt !== undefined && session.agents.inUse() === undefined) {
      const begun = await session.agentRuns.begin(id, options, requestOptions(context));
      return "run" in begun
        ? { text: agentRunText(begun.run), data: { status: "needs_agent" as const, ...begun.run } }
        : answer(begun.result);
    }
    return answer(await session.tests.run(id, options, requestOptions(context)));
  },
});

const agentRunText = ({ runId, description, prompt, checklist, timeoutSeconds }: AgentRun): string =>
  joinLines(
    `needs_agent: run ${runId}, ${duration(timeoutSeconds * 1000)} from now on.`,
    description,
    `Prompt:\n${prompt.trim()}`,
    checklist.length > 0 && `Checklist:\n${checklist.map((item) => `- ${item}`).join("\n")}`,
    `Next: work with the plugin's tools only, pth_call_plugin_tool({ runId: "${runId}", tool, input }); then ` +
      `pth_complete_test_run({ runId: "${runId}", checklist: [{ item, met, evidence }] }).`,
  );
