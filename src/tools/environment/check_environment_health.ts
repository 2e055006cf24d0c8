import * as z from "zod";
import type { HealthReport } from "../../../machines/model/environment.ts";
import type { SnapshotInfo } from "../../api/harness.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";

const healthSchema = z.object({
  healthy: z.boolean(),
  problems: z.array(z.string()).describe("The worst first."),
  gone: z.boolean().optional(),
  diskUsedPercent: z.number(),
  memoryUsedPercent: z.number(),
  memoryForFilesPercent: z.number().optional(),
  processes: z.number(),
  zombies: z.number(),
  oomKills: z.number(),
  failedUnits: z.array(z.string()),
  inodesUsedPercent: z.number().optional(),
  otherDisks: z.record(z.string(), z.number()).optional(),
  memoryPressurePercent: z.number().optional(),
  openFilesPercent: z.number().optional(),
  clockSkewSeconds: z.number().optional(),
  busy: z.array(z.object({ pid: z.number(), command: z.string(), cpuSeconds: z.number() })).optional(),
  missing: z.array(z.string()).optional(),
});

export default defineTool({
  title: "Check the environment's health",
  description:
    "Disks, memory and its pressure, processes, out-of-memory kills since the latest suite began, open files, clock, failed services, " +
    "missing system files. Use it when tests fail for no visible reason. Answers the problems and how to get rid of them.",
  annotations: readsOnly,
  input: z.strictObject({}),
  output: healthSchema,
  async run(_input, context) {
    const session = context.harness.session();
    const report = await session.environment.health(requestOptions(context));
    return {
      text: joinLines(
        report.healthy ? "Healthy." : "Not healthy:",
        ...report.problems.map((problem) => `- ${problem}`),
        !report.gone && numbersOf(report),
        !report.healthy && nextText(report.gone ? [] : session.snapshots.list()),
      ),
      data: { ...report },
    };
  },
});

function nextText(snapshots: readonly SnapshotInfo[]): string {
  const latest = snapshots.findLast(({ usable }) => usable);
  const back = latest && `pth_rollback_environment({ snapshot: ${JSON.stringify(latest.name)} }), or `;
  return `Next: ${back ?? ""}pth_reprovision_environment({}).`;
}

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
