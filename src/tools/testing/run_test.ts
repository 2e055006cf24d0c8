import { z } from "zod";
import { testRun } from "../fields.ts";
import { resultText } from "../results_text.ts";
import { agentRunText } from "../agent_run_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Run one test",
  description:
    "Run a single test by its id, for example after a change. Answers its result in full: status, category, expected and actual, the " +
    "server's stderr. A failing test is an answer, not an error. A test with a prompt answers needs_agent with a run id: do what the " +
    "prompt says with pth_call_plugin_tool({ runId, … }), then judge its checklist with pth_complete_test_run.",
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({ id: z.string().min(1).describe("As in pth_list_tests."), ...testRun }),
  async run({ id, ...options }, context) {
    const session = context.harness.session();
    if (session.tests({ ids: [id] })[0]?.prompt !== undefined) {
      const begun = await session.beginAgentRun(id, options, requestOptions(context));
      if ("run" in begun) {
        return { text: agentRunText(begun.run), data: { status: "needs_agent", ...begun.run } };
      }
      return { text: resultText(begun.result), data: { result: begun.result } };
    }
    const result = await session.runTest(id, options, requestOptions(context));
    return { text: resultText(result), data: { result } };
  },
});
