import { z } from "zod";
import type { HealthReport } from "../../../machines/model/environment.ts";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Check the environment's health",
  description:
    "Sample disks, inodes, memory and its pressure, processes, zombies, busy processes, out-of-memory kills since the latest suite began, open " +
    "files, the clock, failed services, and whether files are missing that nothing works without. Use it when tests fail for no visible " +
    "reason; the loop does after each iteration. If it is unhealthy: pth_rollback_environment or pth_reprovision_environment.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  async run(_input, context) {
    const report = await context.harness.session().health(requestOptions(context));
    return {
      text: lines(
        report.healthy ? "Healthy." : "Not healthy:",
        ...report.problems.map((problem) => `- ${problem}`),
        !report.gone && numbersOf(report),
        !report.healthy &&
          "Next: pth_rollback_environment to a snapshot, or pth_reprovision_environment({}).",
      ),
      data: { ...report },
    };
  },
});

function numbersOf(report: HealthReport): string {
  const { inodesUsedPercent, memoryPressurePercent, openFilesPercent, clockSkewSeconds, failedUnits } =
    report;
  return [
    `Disk ${report.diskUsedPercent} % used`,
    inodesUsedPercent !== undefined && `inodes ${inodesUsedPercent} % used`,
    `memory ${report.memoryUsedPercent} % used`,
    report.memoryForFilesPercent !== undefined &&
    `its files ${report.memoryForFilesPercent} % of the memory (the disk is in memory)`,
    memoryPressurePercent !== undefined && `memory pressure ${memoryPressurePercent} %`,
    `${report.processes} processes`,
    `${report.zombies} zombies`,
    `${report.oomKills} out-of-memory kills`,
    openFilesPercent !== undefined && `open files ${openFilesPercent} %`,
    clockSkewSeconds !== undefined && `clock ${clockSkewSeconds} s off`,
    failedUnits.length > 0 && `failed units ${failedUnits.join(" ")}`,
  ].filter(Boolean).join(", ");
}
