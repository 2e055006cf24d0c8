import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Snapshot the environment",
  description:
    "Snapshot the environment's disk (and memory, if the runtime can), not the source, which is in git. pth_rollback_environment restores " +
    "it, pth_inspect_environment lists all. With drop: delete one.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    tag: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/, "expected letters, digits, . _ - (at most 63)")
      .exactOptional().describe("Your name for it: before-upgrade."),
    drop: z.string().min(1).exactOptional().describe("Snapshot to delete, instead of taking one."),
  }),
  output: z.object({
    snapshot: z.string().optional(),
    holds: z.string().optional().describe("disk, or disk and memory."),
    dropped: z.string().optional(),
  }),
  async run({ tag, drop }, context) {
    const session = context.harness.session();
    if ((tag === undefined) === (drop === undefined)) {
      throw new PthError("INVALID_INPUT", "Cannot snapshot environment: give either tag or drop", {
        next: ['Take one: pth_snapshot_environment({ tag: "before-upgrade" })'],
      });
    }
    if (drop !== undefined) {
      await session.snapshots.drop(drop, requestOptions(context));
      return { text: `Snapshot ${drop} deleted.`, data: { dropped: drop } };
    }
    const { snapshot, holds } = await session.snapshots.take(tag!, requestOptions(context));
    return {
      text: `Snapshot ${snapshot} taken; it contains: ${holds}.\n` +
        `Restore it with pth_rollback_environment({ snapshot: ${JSON.stringify(snapshot)} }).`,
      data: { snapshot, holds },
    };
  },
});
