import * as z from "zod";
import type { SnapshotInfo } from "../../api/harness.ts";
import { environmentData, environmentText } from "../text/environment_text.ts";
import { environmentSchema } from "../output/environment_schema.ts";
import { duration, joinLines, limitedList } from "../text/join_lines.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Inspect the environment",
  description:
    "The environment right now: runtime, image, system, cpus, memory, disk, limits, tools inside, network, where the source lies, and the " +
    "snapshots that pth_rollback_environment goes back to.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: environmentSchema.extend({
    snapshots: z.array(z.object({
      name: z.string(),
      tag: z.string(),
      takenAt: z.string(),
      ageSeconds: z.number(),
      holds: z.string(),
      fix: z.string().optional().describe("Commit of the fix that it was taken before."),
    })).describe("The oldest first."),
  }),
  async run(_input, context) {
    const session = context.harness.session();
    const info = await session.environment.inspect(requestOptions(context));
    const snapshots = session.snapshots.list().filter(({ usable }) => usable);
    return {
      text: joinLines(
        environmentText(info),
        snapshots.length > 0 && "Snapshots:",
        ...limitedList(snapshots.toReversed().map(snapshotText), 20, "older ones"),
      ),
      data: { ...environmentData(info), snapshots },
    };
  },
});

const snapshotText = ({ name, ageSeconds, holds, fix }: SnapshotInfo): string =>
  `- ${name}: ${holds}, taken ${duration(ageSeconds * 1000)} ago${
    fix === undefined ? "" : `, before fix ${fix.slice(0, 10)}`
  }`;
