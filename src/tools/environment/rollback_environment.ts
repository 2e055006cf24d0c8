import * as z from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Roll the environment back",
  description:
    "Roll back to a snapshot; all processes inside end. A loaded plugin is installed if needed, built and started again.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    snapshot: z.string().min(1).describe("Its name, as answered, or its tag."),
    recover: z.boolean().exactOptional().describe(
      "true: create a new environment if rollback fails.",
    ),
  }),
  output: z.object({
    snapshot: z.string(),
    reloaded: z.boolean(),
    recovered: z.string().optional().describe("Why a new environment was made."),
  }),
  async run({ snapshot, recover = false }, context) {
    const { reloaded, recovered } = await context.harness.session()
      .snapshots.rollBack(snapshot, { ...requestOptions(context), recover });
    const next = reloaded ? "The plugin was loaded again." : "Next: pth_load_plugin({}).";
    const text = recovered === undefined
      ? `Rolled back to ${snapshot}. ${next}`
      : `${recovered}. A new environment replaces it, without the snapshot's state. ${next}`;
    return { text, data: { snapshot, reloaded, ...(recovered === undefined ? {} : { recovered }) } };
  },
});
