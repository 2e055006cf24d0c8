import { z } from "zod";
import { environmentPath, hostPath } from "../fields.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Copy out of the environment",
  description:
    "Copy a file or a whole folder from the environment to this machine, for example a log or a core dump; missing parent folders are " +
    "made and an existing file is replaced.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ hostPath, envPath: environmentPath }),
  async run({ hostPath, envPath }, context) {
    await context.harness.session().copyOut(envPath, hostPath, requestOptions(context));
    return { text: `Copied ${envPath} to ${hostPath}.`, data: { hostPath, envPath } };
  },
});
