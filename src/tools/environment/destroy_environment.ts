import * as z from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Destroy the environment",
  description:
    "Stop the plugin and remove the environment with its snapshots; session, worktree and tests stay. " +
    "Next: pth_provision_environment({}), or pth_end_session({}).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({ destroyed: z.boolean() }),
  async run(_input, context) {
    await context.harness.session().environment.destroy(requestOptions(context));
    return {
      text: "Environment destroyed. Next: pth_provision_environment({}), or pth_end_session({}).",
      data: { destroyed: true },
    };
  },
});
