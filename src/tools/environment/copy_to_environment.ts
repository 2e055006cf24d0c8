import * as z from "zod";
import { environmentPath, hostPathField } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Copy into the environment",
  description:
    "Copy a file or folder from this machine into the environment; parent folders are made. The plugin's source is there already.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ hostPath: hostPathField, envPath: environmentPath }),
  output: z.object({ hostPath: z.string(), envPath: z.string() }),
  async run({ hostPath, envPath }, context) {
    await context.harness.session().environment.copyIn(hostPath, envPath, requestOptions(context));
    return { text: `Copied ${hostPath} to ${envPath}.`, data: { hostPath, envPath } };
  },
});
