/** Detail on request as structured answers have it. */
import { z } from "zod";

const text = z.string().exactOptional();

const call = z.object({
  sequence: z.number().describe("From 1; 0: outside of calls."),
  method: z.string(),
  tool: text,
  durationMs: z.number().exactOptional(),
  messages: z.array(z.object({
    at: z.number().describe("Milliseconds since the epoch."),
    direction: z.enum(["sent", "received"]),
    message: z.unknown(),
  })),
});

const usage = z.object({
  disks: z.array(
    z.object({ mount: z.string(), totalMB: z.number(), usedMB: z.number(), freeMB: z.number() }),
  ),
  folders: z.array(z.object({ path: z.string(), usedMB: z.number() })),
  memory: z.object({ totalMB: z.number(), usedMB: z.number(), limited: z.boolean() }),
  cpu: z.object({ cpus: z.number(), load: z.array(z.number()) }),
  processes: z.array(z.object({
    command: z.string(),
    state: z.string(),
    memoryMB: z.number(),
    cpuSeconds: z.number(),
  })),
  processCount: z.number(),
});

/** Each kind has some of these. */
export const shownDetail = z.object({
  kind: z.enum(["exchange", "stderr", "diff", "build", "resources"]),
  test: z.object({ id: z.string(), name: z.string(), status: text }).exactOptional(),
  note: text,
  calls: z.array(call).exactOptional(),
  stderr: text,
  stdout: z.array(z.string()).exactOptional(),
  fix: z.object({ commit: z.string(), title: z.string() }).exactOptional(),
  diff: text,
  system: text,
  install: text,
  build: text,
  output: text,
  error: text,
  health: z.object({ healthy: z.boolean(), problems: z.array(z.string()) }).exactOptional(),
  usage: usage.exactOptional(),
});
