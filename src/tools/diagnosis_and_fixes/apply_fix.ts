import * as z from "zod";
import { fixFields } from "../fields.ts";
import { reloadText, shortCommit, unknownTestsText } from "../text/fix_text.ts";
import { fixRecord, reloadReport } from "../output/fix.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";

const filesShown = 10;

export default defineTool({
  title: "Apply a fix",
  description:
    "Change the plugin's source in the session's worktree, in one commit on the session branch; all edits apply, or none and the answer " +
    "says which do not. A package-lock.json that is in git follows. Next: pth_reload_plugin({}), or give reload: true.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    ...fixFields,
    reload: z.boolean().exactOptional().describe("true: then reload the plugin."),
  }),
  output: z.object({
    fix: fixRecord,
    snapshot: z.string().exactOptional(),
    reload: reloadReport.exactOptional(),
  }),
  async run(request, context) {
    const session = context.harness.session();
    const { fix, snapshot, reload } = await session.fixes.apply(request, requestOptions(context));
    const lineFigures = fix.changed && `: ${fix.changed.added} lines added, ${fix.changed.removed} removed`;
    return {
      text: joinLines(
        `Committed ${shortCommit(fix.commit)} ${fix.title} in ${
          limitedList(fix.files, filesShown).join(", ")
        }${lineFigures ?? ""}`,
        unknownTestsText(fix.tests, session),
        snapshot && "A snapshot was taken before; pth_revert_fix restores it, too.",
        reloadText(reload, session),
      ),
      data: { fix, ...(snapshot && { snapshot }), ...(reload && { reload }) },
    };
  },
});
