import { z } from "zod";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Check the environment's health",
  description:
    "Sample disk, memory, processes, zombies, out-of-memory kills and failed services. Use it between iterations or when tests fail for no " +
    "visible reason. If it is unhealthy: pth_rollback_environment or pth_reprovision_environment.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  async run(_input, context) {
    const report = await context.harness.session().health(requestOptions(context));
    return {
      text: lines(
        report.healthy ? "Healthy." : "Not healthy:",
        ...report.problems.map((problem) => `- ${problem}`),
        `Disk ${report.diskUsedPercent} % used, memory ${report.memoryUsedPercent} % used, ${report.processes} processes, ` +
          `${report.zombies} zombies, ${report.oomKills} out-of-memory kills`,
      ),
      data: { ...report },
    };
  },
});
