import { z } from "zod";
import { resultText } from "../results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

const judged = z.strictObject({
  item: z.string().min(1).describe("The item's text, as pth_run_test told it."),
  met: z.boolean(),
  evidence: z.string().trim().min(1).describe("What shows it: what a tool answered, what a command printed."),
});

export default defineTool({
  title: "Close a prompt-driven test",
  description:
    "Close the run that pth_run_test began with needs_agent: judge every item of its checklist with evidence. Then the test's verify " +
    "commands run, and the verdict is answered; an item that is not met fails the test. With abandon the test counts as skipped.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    runId: z.string().min(1),
    checklist: z.array(judged).exactOptional().describe(
      "Every item once. Left out with abandon, or where the test has none.",
    ),
    abandon: z.string().trim().min(1).exactOptional()
      .describe(
        "Why the run is given up without a judgement, for example because no tool can do what it asks.",
      ),
  }),
  async run({ runId, checklist, abandon }, context) {
    const session = context.harness.session();
    const result = abandon === undefined
      ? await session.closeAgentRun(runId, checklist ?? [], requestOptions(context))
      : await session.abandonAgentRun(runId, abandon);
    return { text: resultText(result), data: { result } };
  },
});
