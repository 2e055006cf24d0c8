import { z } from "zod";
import { impactText } from "../../testing/coverage/impact_text.ts";
import { changedFile } from "../../testing/coverage/changed_file.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Ask which tests a change affects",
  description:
    "Tests that run the code at these places, from what each test really ran (after pth_run_test_suite({ coverage: true })), else from imports " +
    "and calls in the source, and it says which. Without arguments: what differs now in the code that was measured; name other files. Next: " +
    "pth_run_iteration({ scope: [ids] }) or pth_run_test({ id }).",
  annotations: readsOnly,
  input: z.strictObject({
    files: z.array(z.string().min(1)).min(1).exactOptional().describe(
      'Relative to the plugin\'s folder, with a line or lines where only those change: "src/a.ts", "src/a.ts:12", "src/a.ts:12-20". Lines count ' +
        "as they stood when the tests were measured.",
    ),
    commit: z.string().min(4).exactOptional().describe(
      "A fix of this session: what it changed, in place of files.",
    ),
  }),
  async run({ files, commit }, context) {
    const request = {
      ...(files === undefined ? {} : { files: files.map(changedFile) }),
      ...(commit === undefined ? {} : { commit }),
    };
    const session = context.harness.session();
    const impact = await session.testImpact(request, requestOptions(context));
    return { text: lines(...impactText(impact, session.tests())), data: { ...impact } };
  },
});
