/** Arguments that describe a fix. */
import { z } from "zod";

const path = z.string().min(1).describe("Relative to the plugin's folder.");
const text = z.string();

const edit = z.union([
  z.strictObject({
    path,
    find: text.min(1).describe("Text that occurs exactly once in the file."),
    replace: text,
  }),
  z.strictObject({ path, content: text.describe("The whole file, new or replaced.") }),
  z.strictObject({ path, delete: z.literal(true) }),
  z.strictObject({ from: path, to: path }),
  z.strictObject({ patch: text.min(1).describe("A unified diff; its context must match exactly.") }),
], "expected { path, find, replace }, { path, content }, { path, delete: true }, { from, to } or { patch }");

/** One fix; becomes one commit. */
export const fixFields = {
  tests: z.array(z.string().min(1)).default([])
    .describe("Ids or names of the tests that it is for; none for a change that was asked for."),
  category: z.string().min(1).exactOptional()
    .describe("Of the failure, as pth_diagnose_failure says, for example runtime-exception."),
  title: z.string().min(1).describe('First line of the commit, without "fix: ".'),
  body: z.string().exactOptional().describe("Why, and what was done."),
  edits: z.array(edit).min(1).describe("In order; each sees what those before it did."),
  snapshot: z.boolean().exactOptional().describe(
    "true: save the environment first, so that pth_revert_fix restores it, too. For fixes that install packages or change the system.",
  ),
  distro: z.string().min(1).exactOptional().describe("Only meant for this distribution."),
};
