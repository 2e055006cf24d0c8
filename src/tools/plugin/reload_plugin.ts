import * as z from "zod";
import { contractData, contractText } from "../text/contract_text.ts";
import { detailField } from "../fields.ts";
import { orphanRows, testsText } from "../text/plugin_text.ts";
import { contractCheck } from "../output/contract.ts";
import { closedServers } from "../output/plugin.ts";
import { boundedTail, tailLimits } from "../bounded_tail.ts";
import { duration, joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, requestOptions } from "../tool.ts";

const names = (title: string, tools: readonly string[]): string | undefined =>
  tools.length === 0 ? undefined : `${title}: ${tools.join(", ")}`;

export default defineTool({
  title: "Reload the plugin",
  description:
    "Make the plugin run as its source is now: configuration, changed dependencies, build, restart; what fails before the restart leaves " +
    "the old server running. Answers which tools changed and processes left behind. Next: pth_run_test_suite({}).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({ detail: detailField }),
  output: z.object({
    closed: closedServers,
    tools: z.object({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
      total: z.number(),
    }),
    build: z.object({ output: z.string(), durationMs: z.number() }).optional(),
    contract: contractCheck.optional(),
  }),
  async run({ detail }, context) {
    const session = context.harness.session();
    const { closed, tools, build, contract } = await session.plugin.reload(requestOptions(context));
    const output = boundedTail(build?.output ?? "", tailLimits(detail));
    return {
      text: joinLines(
        build && `Built in ${duration(build.durationMs)}`,
        `Server restarted: ${count(tools.total, "tool")}`,
        names("Added", tools.added),
        names("Removed", tools.removed),
        names("Changed", tools.changed),
        contract && contractText(contract),
        ...orphanRows(closed),
        detail && output && `Build output:\n${output}`,
        testsText(session),
      ),
      data: {
        closed,
        tools,
        ...(build && { build: { output, durationMs: build.durationMs } }),
        ...(contract && { contract: contractData(contract, detail) }),
      },
    };
  },
});
