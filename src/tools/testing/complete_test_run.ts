import * as z from "zod";
import { testResultSchema } from "../output/test_result_schema.ts";
import { resultText } from "../text/results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

const judged = z.strictObject({
  item: z.string().min(1).describe("Its text, as in pth_run_test's answer."),
  met: z.boolean(),
  evidence: z.string().trim().min(1).describe("What a tool answered or a command printed."),
});

export default defineTool({
  title: "Close a prompt-driven test",
  description:
    "Close the run that pth_run_test started with needs_agent: judge each item of its checklist. Its verify commands run, and the verdict is " +
    "answered; an item that is not met fails the test.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    runId: z.string().min(1),
    checklist: z.array(judged).exactOptional().describe("Every item once. Not with abandon."),
    abandon: z.string().trim().min(1).exactOptional()
      .describe("Why the run is abandoned; the test counts as skipped."),
  }),
  output: z.object({ result: testResultSchema }),
  async run({ runId, checklist, abandon }, context) {
    const session = context.harness.session();
    const result = abandon === undefined
      ? await session.agentRuns.close(runId, checklist ?? [], requestOptions(context))
      : await session.agentRuns.abandon(runId, abandon);
    return { text: resultText(result), data: { result } };
  },
});
