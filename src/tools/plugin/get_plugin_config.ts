import * as z from "zod";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Plugin configuration",
  description:
    "Environment variables that the plugin's server gets, and where each came from; secrets as [REDACTED].",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: z.object({
    values: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
  }),
  run(_input, { harness }) {
    const values = harness.session().plugin.config();
    const rows = values.map(({ name, value, source }) => `${name}=${value}  (${source})`);
    return Promise.resolve({
      text: joinLines(values.length === 0 ? "The plugin has no configuration values." : undefined, ...rows),
      data: { values },
    });
  },
});
