import { z } from "zod";
import { fixRow, reloadText } from "../fix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Revert a fix",
  description:
    "Take back one commit of the session, with a commit that undoes its changes. If the environment was saved before the fix (snapshot: " +
    "true), it goes back as well and the plugin is loaded again. With a conflict nothing changes, and the answer shows the places.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  input: z.strictObject({
    commit: z.string().regex(/^(HEAD(~\d*)?|[0-9a-f]{4,64})$/i, "expected a commit's hash, or HEAD")
      .describe("As pth_get_fix_history lists it."),
    reload: z.boolean().exactOptional().describe(
      "true: the plugin then runs without it, as by pth_reload_plugin.",
    ),
  }),
  async run(request, context) {
    const { revert, rolledBack, lostSnapshot, reload } = await context.harness.session().revertFix(
      request,
      requestOptions(context),
    );
    return {
      text: lines(
        `Reverted: ${revert.commit}`,
        fixRow(revert),
        rolledBack && "The environment is as it was before the fix; later changes of it are gone, too.",
        lostSnapshot && "The environment is another one by now: only the source was reverted.",
        reloadText(reload),
      ),
      data: { revert, rolledBack, lostSnapshot, ...(reload && { reload }) },
    };
  },
});
