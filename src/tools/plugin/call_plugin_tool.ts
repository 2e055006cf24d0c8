import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { callText, shownText } from "../text/call_text.ts";
import { detailField } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Call a tool of the plugin",
  description:
    "Call one tool of the plugin under test and see what it answers: text, structured content, violations of the protocol or of its output " +
    "schema. Its errors are answers, too. Use it to reproduce a failure or before writing a test.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tool: z.string().min(1).describe("Name as in pth_list_plugin_tools."),
    input: z.record(z.string(), z.unknown()).exactOptional().describe("The tool's arguments. Default: {}."),
    runId: z.string().min(1).exactOptional()
      .describe(
        "Of a prompt test started by pth_run_test: the call counts as part of it, within the run's time.",
      ),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe("Default: 120; each notification about the call restarts it. A hung server is replaced."),
    detail: detailField,
  }),
  output: z.object({
    tool: z.string(),
    kind: z.enum(["result", "rpc_error"]),
    text: z.string(),
    isError: z.boolean(),
    structuredContent: z.unknown().optional(),
    code: z.number().optional().describe("Of a JSON-RPC error."),
    violations: z.array(z.object({ kind: z.string(), message: z.string() })),
    durationMs: z.number(),
    raw: z.unknown().optional().describe("With detail: the result or error as it came."),
    content: z.array(z.unknown()).optional().describe("With detail."),
  }),
  async run({ tool, input = {}, runId, timeoutSeconds, detail }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const outcome = runId === undefined
      ? await session.plugin.call(tool, input, { ...options, ...definedOnly({ timeoutSeconds }) })
      : await session.agentRuns.call(runId, tool, input, options);
    const { text, raw, content, ...facts } = outcome;
    return {
      text: callText(tool, outcome, detail),
      // The raw result repeats the text, and may hold images.
      data: {
        tool,
        ...facts,
        text: shownText(text, detail),
        ...(detail && { raw, ...(content && { content }) }),
      },
    };
  },
});
