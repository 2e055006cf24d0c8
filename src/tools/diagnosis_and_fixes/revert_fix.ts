import * as z from "zod";
import { reloadText, shortCommit } from "../text/fix_text.ts";
import { fixRecord, reloadReport } from "../output/fix.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";

const filesShown = 10;

export default defineTool({
  title: "Revert a fix",
  description:
    "Take back one commit of the session by a commit that undoes it. An environment that was saved before the fix (snapshot: true) goes " +
    "back as well, and the plugin is loaded again. With a conflict nothing changes, and the answer shows the places.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    commit: z.string().regex(/^(HEAD(~\d*)?|[0-9a-f]{4,64})$/i, "expected a commit's hash, or HEAD")
      .describe("As pth_get_fix_history lists it."),
    reload: z.boolean().exactOptional().describe("true: then reload the plugin."),
  }),
  output: z.object({
    revert: fixRecord,
    rolledBack: z.boolean().describe("The environment was rolled back, too."),
    lostSnapshot: z.boolean().describe("It was saved before the fix, and replaced since."),
    reload: reloadReport.exactOptional(),
  }),
  async run(request, context) {
    const session = context.harness.session();
    const { revert, rolledBack, lostSnapshot, reload } = await session.fixes.revert(
      request,
      requestOptions(context),
    );
    return {
      text: joinLines(
        `Committed ${shortCommit(revert.commit)} ${revert.title} in ${
          limitedList(revert.files, filesShown).join(", ")
        }`,
        rolledBack && "The environment is as it was before the fix; its later changes are gone, too.",
        lostSnapshot && "The environment was replaced since: only the source was reverted.",
        reloadText(reload, session),
      ),
      data: { revert, rolledBack, lostSnapshot, ...(reload && { reload }) },
    };
  },
});
