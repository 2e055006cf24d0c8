import { z } from "zod";
import { fixFields } from "../fix_fields.ts";
import { fixRow, reloadText, strangersText } from "../fix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Apply a fix",
  description:
    "Change the plugin's source in the session's worktree and commit that on the session branch, one commit per fix. All edits apply, or " +
    "nothing changes and the answer says which do not. A change of dependencies takes a package-lock.json that is in git along. The " +
    "author's checkout is never touched. Answers the commit. Next: pth_reload_plugin, or give reload: true.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    ...fixFields,
    reload: z.boolean().exactOptional()
      .describe(
        "true: the plugin then runs with it, as by pth_reload_plugin: configuration, dependencies, build, restart.",
      ),
  }),
  async run(request, context) {
    const session = context.harness.session();
    const { fix, snapshot, reload } = await session.applyFix(request, requestOptions(context));
    return {
      text: lines(
        `Fix committed: ${fix.commit}`,
        fixRow(fix),
        strangersText(fix.tests, session),
        snapshot && `The environment was saved before; pth_revert_fix restores it, too.`,
        reloadText(reload),
      ),
      data: { fix, ...(snapshot && { snapshot }), ...(reload && { reload }) },
    };
  },
});
