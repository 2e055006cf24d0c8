import { z } from "zod";
import type { SnapshotInfo } from "../../harness.ts";
import { environmentData, environmentText } from "../environment_text.ts";
import { duration, lines, listed } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Inspect the environment",
  description:
    "State of the environment right now: runtime, image, system, cpus, memory, disk, enforced limits, tools inside, network, where the " +
    "source lies, and the snapshots that can be gone back to. Use it to choose a number of workers or to understand a failure.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  async run(_input, context) {
    const session = context.harness.session();
    const info = await session.inspect(requestOptions(context));
    const snapshots = session.snapshots().filter(({ usable }) => usable);
    return {
      text: lines(
        environmentText(info),
        snapshots.length > 0 && "Snapshots:",
        ...listed(snapshots.toReversed().map(snapshotText), 20, "older ones"),
      ),
      data: { ...environmentData(info), snapshots },
    };
  },
});

const snapshotText = ({ name, ageSeconds, holds, fix }: SnapshotInfo): string =>
  `- ${name}: ${holds}, taken ${duration(ageSeconds * 1000)} ago${
    fix === undefined ? "" : `, before fix ${fix.slice(0, 10)}`
  }`;
