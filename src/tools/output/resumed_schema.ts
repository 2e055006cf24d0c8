/** A resumed session as structured answers have it. */
import { z } from "zod";
import { tierField } from "../fields.ts";
import { sessionSchema, watchSchema } from "./session_schema.ts";

const failing = z.object({
  id: z.string(),
  name: z.string().exactOptional(),
  category: z.string().exactOptional(),
  cause: z.string().exactOptional(),
});

/** Standing of the tests when the state was saved. */
const standing = z.object({
  total: z.number(),
  passed: z.number(),
  skipped: z.number(),
  stale: z.object({ results: z.number(), stale: z.number(), behind: z.number() }).exactOptional()
    .describe("Results that are older than the branch's code."),
  failing: z.array(failing),
});

const environment = z.object({
  environment: z.object({
    environmentId: z.string(),
    runtime: z.string(),
    tier: tierField,
    image: z.string(),
  }),
  reason: z.string(),
});

const plugin = z.object({
  plan: z.object({ name: z.string(), version: z.string().exactOptional() }),
  server: z.object({ name: z.string(), version: z.string(), protocolVersion: z.string() }),
});

export const resumedSchema = z.object({
  session: sessionSchema,
  iteration: z.number().describe("The latest one; 0 before the first."),
  savedAt: z.string().exactOptional().describe("ISO time of the checkpoint."),
  standing: standing.exactOptional(),
  trend: z.string().exactOptional(),
  commits: z.object({ fixes: z.number(), reverts: z.number(), others: z.number() }),
  tests: z.number(),
  untestedTools: z.array(z.string()).exactOptional(),
  degraded: z.array(z.string()).describe("What is lost, or not as it was."),
  environment: environment.exactOptional(),
  plugin: plugin.exactOptional(),
  next: z.array(z.string()).describe("Calls that go on from here."),
  watch: watchSchema,
});
