/** A prompt-driven test that waits for the agent, in structured answers. */
import { z } from "zod";

export const agentRunSchema = z.object({
  status: z.literal("needs_agent"),
  runId: z.string(),
  testId: z.string(),
  description: z.string().exactOptional(),
  prompt: z.string(),
  checklist: z.array(z.string()).readonly(),
  timeoutSeconds: z.number(),
});
