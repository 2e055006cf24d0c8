import { z } from "zod";
import { fixRow, reloadText } from "../fix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

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

export default defineTool({
  title: "Apply a fix",
  description:
    "Change the plugin's source in the session's worktree and commit that on the session branch, one commit per fix. All edits apply, or " +
    "nothing changes and the answer says which do not. The author's checkout is never touched. Answers the commit. Next: pth_reload_plugin, " +
    "or give reload: true.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
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
    reload: z.boolean().exactOptional()
      .describe("true: build and restart the plugin with it (installs where dependencies changed)."),
  }),
  async run(request, context) {
    const { fix, snapshot, reload } = await context.harness.session().applyFix(
      request,
      requestOptions(context),
    );
    return {
      text: lines(
        `Fix committed: ${fix.commit}`,
        fixRow(fix),
        snapshot && `The environment was saved before; pth_revert_fix restores it, too.`,
        reloadText(reload),
      ),
      data: { fix, ...(snapshot && { snapshot }), ...(reload && { reload }) },
    };
  },
});
