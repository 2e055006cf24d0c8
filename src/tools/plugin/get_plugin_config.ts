import { z } from "zod";
import { lines } from "../words.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Plugin configuration",
  description:
    "Resolved configuration values (environment variables) of the plugin and where each came from; secrets are shown as [REDACTED].",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  run(_input, { harness }) {
    const values = harness.session().pluginConfig();
    const rows = values.map(({ name, value, source }) => `${name}=${value}  (${source})`);
    return Promise.resolve({
      text: lines(values.length === 0 ? "The plugin has no configuration values." : undefined, ...rows),
      data: { values },
    });
  },
});
