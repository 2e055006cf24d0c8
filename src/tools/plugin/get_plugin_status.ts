import * as z from "zod";
import { dependenciesSchema, pluginPlan, pluginServer } from "../output/plugin.ts";
import { dependencyRows, planData, startRows } from "../text/plugin_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Plugin status",
  description:
    "Whether the plugin is installing, building, starting, ready or failed, how it is built and started, its connections and process ids, " +
    "its dependency plugins, its last error.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: z.object({
    state: z.string(),
    tools: z.number(),
    server: pluginServer.optional(),
    plan: pluginPlan.optional(),
    connections: z.array(z.object({ id: z.string(), state: z.string(), pid: z.number().optional() })),
    dependencies: dependenciesSchema.optional(),
    lastError: z.string().optional(),
  }),
  run(_input, { harness }) {
    const { plan, ...status } = harness.session().plugin.status();
    const text = joinLines(
      `Plugin: ${status.state}, ${count(status.tools, "tool")}`,
      status.server && `Runs: ${status.server.name} ${status.server.version}`,
      ...(plan ? startRows(plan) : []),
      ...status.connections.map(({ id, state, pid }) =>
        `- ${id}: ${state}${pid === undefined ? "" : `, pid ${pid}`}`
      ),
      ...dependencyRows(status.dependencies ?? []),
      status.lastError && `Last error: ${status.lastError}`,
      ["absent", "failed"].includes(status.state) && "Next: pth_load_plugin({}).",
    );
    return Promise.resolve({ text, data: { ...status, ...(plan && { plan: planData(plan) }) } });
  },
});
