import { z } from "zod";
import { dependencyRows, planData } from "../plugin_text.ts";
import { count, lines } from "../words.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Plugin status",
  description:
    "Whether the plugin is installing, building, starting, ready or failed, its connections and process ids, the dependency plugins that " +
    "run beside it, and its last error.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  run(_input, { harness }) {
    const { plan, ...status } = harness.session().pluginStatus();
    const text = lines(
      `Plugin: ${status.state}, ${count(status.tools, "tool")}`,
      status.server && `Server: ${status.server.name} ${status.server.version}`,
      ...status.connections.map(({ id, state, pid }) =>
        `- ${id}: ${state}${pid === undefined ? "" : `, pid ${pid}`}`
      ),
      ...dependencyRows(status.dependencies ?? []),
      status.lastError && `Last error: ${status.lastError}`,
    );
    return Promise.resolve({ text, data: { ...status, ...(plan && { plan: planData(plan) }) } });
  },
});
