/** Arguments that describe a fix. */
import { z } from "zod";

const path = z.string().min(1);
const text = z.string();

const edit = z.union([
  z.strictObject({
    path,
    find: text.min(1).describe("Occurs exactly once in the file."),
    replace: text,
  }),
  z.strictObject({ path, content: text.describe("The whole file.") }),
  z.strictObject({ path, delete: z.literal(true) }),
  z.strictObject({ from: path, to: path }),
  z.strictObject({ patch: text.min(1).describe("A unified diff that fits exactly.") }),
], "expected { path, find, replace }, { path, content }, { path, delete: true }, { from, to } or { patch }");

/** One fix; becomes one commit. */
export const fixFields = {
  tests: z.array(z.string().min(1)).default([])
    .describe("Ids or names of the tests that it is for."),
  category: z.string().min(1).exactOptional()
    .describe("Of the failure: runtime-exception, wrong-output …"),
  title: z.string().min(1).describe('First line of the commit, without "fix: ".'),
  body: z.string().exactOptional().describe("Why, and what is done."),
  edits: z.array(edit).min(1).describe("In order; paths are relative to the plugin's folder."),
  snapshot: z.boolean().exactOptional().describe(
    "true: save the environment first, for a fix that installs packages or changes the system.",
  ),
  distro: z.string().min(1).exactOptional().describe("Only meant for this distribution."),
};

export const fixList = z.array(z.strictObject(fixFields)).min(1);

/** The list for tools that leave describing a fix to another's definition: it costs a model its tokens once. */
export const fixListAsElsewhere = z.array(z.record(z.string(), z.unknown())).min(1).pipe(fixList);
