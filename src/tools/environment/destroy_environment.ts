import { z } from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Destroy the environment",
  description:
    "Stop the plugin and remove the environment with its snapshots; the session, its worktree and its tests stay. Next: " +
    "pth_provision_environment({}) for a fresh one, or pth_end_session({}).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({}),
  async run(_input, context) {
    await context.harness.session().destroyEnvironment(requestOptions(context));
    return { text: "Environment destroyed. Next: pth_provision_environment({}).", data: { destroyed: true } };
  },
});
