/** An environment as programs get it: `environmentData`. */
import * as z from "zod";
import { tierField } from "../fields.ts";

const state = z.object({
  status: z.enum(["running", "stopped", "gone"]),
  hostname: z.string(),
  os: z.string(),
  kernel: z.string(),
  cpus: z.number(),
  memoryMB: z.number(),
  diskFreeMB: z.number(),
  limits: z.array(z.object({ name: z.string(), value: z.number(), enforced: z.boolean() })),
  tools: z.record(z.string(), z.string()).optional().describe("Versions of programs found inside."),
  network: z.string(),
  processes: z.number(),
  notes: z.array(z.string()).optional(),
});

export const environmentSchema = z.object({
  environment: z.object({
    environmentId: z.string(),
    sessionId: z.string(),
    runtime: z.string(),
    tier: tierField,
    image: z.string(),
    sourcePath: z.string().describe("Inside."),
  }),
  state,
  mount: z.object({
    method: z.string(),
    hostPath: z.string(),
    envPath: z.string(),
    writable: z.boolean(),
    latency: z.string(),
  }),
  reason: z.string().describe("Why this runtime and image."),
  config: z.object({ runtime: z.string(), tier: tierField, baseImage: z.string().optional() })
    .describe("As pth_provision_environment takes it, with every choice made."),
  advisory: z.string().optional(),
});
