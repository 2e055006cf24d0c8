import { join } from "node:path";
import * as z from "zod";
import { definedOnly } from "../../core/values.ts";
import { hostPathField } from "../fields.ts";
import { hookReportText } from "../text/hook_report_text.ts";
import { defineTool, requestOptions, type ToolContext } from "../tool.ts";
import type { RunningServer } from "../../hooks/hook_servers.ts";

const decisions = ["allow", "deny", "ask", "defer", "block", "none"] as const;

export default defineTool({
  title: "Fire hooks",
  description:
    "Run the plugin's hooks for one event in the environment as Claude Code does, without an agent. Answers what they decide, " +
    "what each did, and what is wrong with it.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    event: z.string().min(1).describe("PreToolUse, Stop …"),
    payload: z.record(z.string(), z.unknown()).exactOptional().describe(
      "tool_name, tool_input, prompt …; what is missing is filled in.",
    ),
    project: hostPathField.exactOptional().describe(
      "Folder of which they work in a copy. Default: an empty one.",
    ),
  }),
  output: z.object({
    decision: z.enum(decisions),
    reasons: z.array(z.string()),
    hooks: z.array(z.unknown()),
    problems: z.array(z.unknown()),
  }),
  async run({ event, payload, project }, context) {
    const [{ fireHooks }, { hookServers }, { payloadFor }, { readHooks }, { requireHooks }, { hostFolder }] =
      await Promise
        .all([
          import("../../hooks/fire_hooks.ts"),
          import("../../hooks/hook_servers.ts"),
          import("../../hooks/payloads.ts"),
          import("../../hooks/read_hooks.ts"),
          import("../../hooks/require_hooks.ts"),
          import("../../plugin/readable_folder.ts"),
        ]);
    const session = context.harness.session();
    const { worktree, subfolder } = session.info().source;
    const filled = payloadFor(event, payload);
    const folder = hostFolder(join(worktree, subfolder));
    const definitions = await readHooks(folder);
    requireHooks(definitions, event);
    const report = await fireHooks(
      definitions,
      { event, payload: filled, env: {}, ...definedOnly({ project }) },
      (request) => session.agents.runHooks(request, requestOptions(context)),
      await hookServers(folder, definitions, runningServer(context)),
    );
    const { decision, reasons, hooks } = report;
    const { problems } = definitions;
    return { text: hookReportText(report, problems), data: { decision, reasons, hooks, problems } };
  },
});

/** The plugin's server, where it is loaded. */
function runningServer(context: ToolContext): RunningServer | undefined {
  const session = context.harness.session();
  const name = session.report().plugin?.plan.serverName;
  if (name === undefined) return undefined;
  return {
    name,
    call: (tool, input, limitMs) =>
      session.plugin.call(tool, input, { ...requestOptions(context), timeoutSeconds: limitMs / 1000 }),
  };
}
