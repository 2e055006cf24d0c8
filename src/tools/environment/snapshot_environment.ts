import { z } from "zod";
import { PthError } from "../../errors.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Snapshot the environment",
  description:
    "Save the environment's state before something risky; pth_rollback_environment goes back to it. Answers the snapshot's name and what " +
    "it holds: disk, or disk and memory. The plugin's source is not in it: that is in git. pth_inspect_environment lists all snapshots. " +
    "With drop: forget one and free its room.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    tag: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/, "expected letters, digits, . _ - (at most 63)")
      .exactOptional().describe("Your name for it, for example before-upgrade."),
    drop: z.string().min(1).exactOptional().describe("Name of a snapshot to forget, in place of saving one."),
  }),
  async run({ tag, drop }, context) {
    const session = context.harness.session();
    if ((tag === undefined) === (drop === undefined)) {
      throw new PthError("INVALID_INPUT", "Cannot tell what to do: give either tag or drop", {
        next: ['Save one: pth_snapshot_environment({ tag: "before-upgrade" })'],
      });
    }
    if (drop !== undefined) {
      await session.dropSnapshot(drop, requestOptions(context));
      return { text: `Snapshot ${drop} forgotten.`, data: { dropped: drop } };
    }
    const { snapshot, holds } = await session.snapshot(tag!, requestOptions(context));
    return {
      text: `Snapshot ${snapshot} saved; it holds: ${holds}.\n` +
        `Go back with pth_rollback_environment({ snapshot: ${JSON.stringify(snapshot)} }).`,
      data: { snapshot, holds },
    };
  },
});
