import { z } from "zod";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Roll the environment back",
  description:
    "Go back to a snapshot; everything that ran inside has ended. A plugin that was loaded is installed where needed, built and started " +
    "again. Answers whether it was; if not, call " +
    "pth_load_plugin({}).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    snapshot: z.string().min(1).describe("As pth_snapshot_environment answered it."),
  }),
  async run({ snapshot }, context) {
    const { reloaded } = await context.harness.session().rollback(snapshot, requestOptions(context));
    const next = reloaded ? "The plugin was loaded again." : "Next: pth_load_plugin({}).";
    return { text: `Rolled back to ${snapshot}. ${next}`, data: { snapshot, reloaded } };
  },
});
