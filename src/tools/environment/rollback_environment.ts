import { z } from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Roll the environment back",
  description:
    "Go back to a snapshot; everything that ran inside has ended. A plugin that was loaded is installed where needed, built and started " +
    "again. Answers whether it was; if not, call pth_load_plugin({}). With recover: true, a rollback that fails is made up for by a clean " +
    "environment with the plugin built from the branch.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    snapshot: z.string().min(1).describe("As pth_snapshot_environment answered it, or its tag."),
    recover: z.boolean().exactOptional().describe("true: where it cannot be gone back to, start afresh."),
  }),
  async run({ snapshot, recover = false }, context) {
    const { reloaded, recovered } = await context.harness.session()
      .rollback(snapshot, { ...requestOptions(context), recover });
    const next = reloaded ? "The plugin was loaded again." : "Next: pth_load_plugin({}).";
    const text = recovered === undefined
      ? `Rolled back to ${snapshot}. ${next}`
      : `${recovered}. A new environment has taken its place, without what the snapshot held. ${next}`;
    return { text, data: { snapshot, reloaded, ...(recovered === undefined ? {} : { recovered }) } };
  },
});
