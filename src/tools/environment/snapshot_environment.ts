import { z } from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Snapshot the environment",
  description:
    "Save the environment's state before something risky; pth_rollback_environment goes back to it. Answers the snapshot's name and what " +
    "it holds. The plugin's source is not in it: that is in git.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    tag: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/, "expected letters, digits, . _ - (at most 63)")
      .describe("Your name for it, for example before-upgrade."),
  }),
  async run({ tag }, context) {
    const { snapshot, holds } = await context.harness.session().snapshot(tag, requestOptions(context));
    return {
      text: `Snapshot ${snapshot} saved; it holds: ${holds}.\n` +
        `Go back with pth_rollback_environment({ snapshot: ${JSON.stringify(snapshot)} }).`,
      data: { snapshot, holds },
    };
  },
});
