import { z } from "zod";
import { definedOnly } from "../../values.ts";
import { detail } from "../fields.ts";
import { tail, tailLimits } from "../tail.ts";
import { duration, lines } from "../words.ts";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { defineTool, requestOptions } from "../tool.ts";

function headline(tool: string, outcome: CallOutcome): string {
  const took = duration(outcome.durationMs);
  if (outcome.kind === "rpc_error") return `${tool} answered JSON-RPC error ${outcome.code} after ${took}:`;
  return `${tool} answered ${outcome.isError ? "isError" : "success"} after ${took}:`;
}

export default defineTool({
  title: "Call a tool of the plugin",
  description:
    "Call one tool of the plugin under test and see exactly what it answers: text, structured content, breaches of the protocol or of its " +
    "output schema. An error that the plugin answers is an answer. Use it to reproduce a failure or before writing a test.",
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: z.strictObject({
    tool: z.string().min(1).describe("Name as in pth_list_plugin_tools."),
    input: z.record(z.string(), z.unknown()).exactOptional().describe("The tool's arguments. Default: {}."),
    runId: z.string().min(1).exactOptional().describe(
      "Of a prompt-driven test that pth_run_test began: the call counts as part of it and goes to its own server. The run's limit " +
        "stands in place of timeoutSeconds.",
    ),
    timeoutSeconds: z.number().positive().exactOptional().describe(
      "How long the answer may take; each progress notification begins it anew. A server that hangs is ended and replaced. Default: 120.",
    ),
    detail,
  }),
  async run({ tool, input = {}, runId, timeoutSeconds, detail }, context) {
    const session = context.harness.session();
    const options = requestOptions(context);
    const outcome = runId === undefined
      ? await session.callTool(tool, input, { ...options, ...definedOnly({ timeoutSeconds }) })
      : await session.callInAgentRun(runId, tool, input, options);
    const { text, raw, content, ...facts } = outcome;
    const shown = tail(text, tailLimits(detail));
    return {
      text: lines(
        headline(tool, outcome),
        shown,
        ...outcome.violations.map((violation) => `Breach (${violation.kind}): ${violation.message}`),
      ),
      // The raw result repeats the text, and may hold images.
      data: { tool, ...facts, text: shown, ...(detail && { raw, ...(content && { content }) }) },
    };
  },
});
