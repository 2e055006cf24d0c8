import { z } from "zod";
import { environmentPath, hostPath } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Copy into the environment",
  description:
    "Copy a file or a whole folder from this machine into the environment; missing parent folders are made. The plugin's own source is " +
    "there already.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ hostPath, envPath: environmentPath }),
  async run({ hostPath, envPath }, context) {
    await context.harness.session().copyIn(hostPath, envPath, requestOptions(context));
    return { text: `Copied ${hostPath} to ${envPath}.`, data: { hostPath, envPath } };
  },
});
