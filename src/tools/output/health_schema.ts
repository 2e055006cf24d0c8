/** Health of an environment as programs get it. */
import { z } from "zod";

export const healthSchema = z.object({
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
