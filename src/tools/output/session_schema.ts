/** A session as structured answers have it. */
import * as z from "zod";
import { tierField } from "../fields.ts";

/** Tells where the source came from and where its copy lies. */
const source = z.object({
  name: z.string(),
  version: z.string().exactOptional(),
  source: z.string().describe("As it was given."),
  worktree: z.string().describe("Host folder of the copy: read the source there."),
  subfolder: z.string().describe("The plugin's folder within the worktree."),
  branch: z.string().exactOptional(),
  repository: z.string().exactOptional(),
  base: z.string().exactOptional().describe("Commit that the branch started from."),
  notes: z.array(z.string()),
});

const places = z.array(z.object({ what: z.string(), file: z.string(), line: z.number() }));

export const sessionSchema = z.object({
  sessionId: z.string(),
  status: z.string(),
  source,
  recommendation: z.object({ tier: tierField, reasons: places }).exactOptional(),
  services: z.object({
    proposals: z.array(z.object({ title: z.string(), reasons: places })),
    config: z.object({
      fixtures: z.object({ services: z.array(z.object({ name: z.string() })) }),
    }).describe("Arguments for pth_provision_environment."),
    problems: z.array(z.string()),
  }).exactOptional(),
  superpowers: z.object({
    version: z.string().exactOptional(),
    skills: z.array(z.string()),
  }).exactOptional(),
});

/** Address of a page on this machine at which a person can watch. */
export const watchSchema = z.string().exactOptional();
