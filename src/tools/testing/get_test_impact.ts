import * as z from "zod";
import { impactText, parseChangedFile } from "../../testing/coverage/impact_of.ts";
import { detailField } from "../fields.ts";
import { testImpact } from "../output/coverage.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

export default defineTool({
  title: "Get the tests that a change affects",
  description:
    "Tests that run the code at these places: as measured by pth_run_test_suite({ coverage: true }), else as read from the source. Without " +
    "arguments: of what differs now from the code that was measured. Next: pth_run_iteration({ scope: [ids] }) or pth_run_test({ id }).",
  annotations: readsOnly,
  input: z.strictObject({
    files: z.array(z.string().min(1)).min(1).exactOptional().describe(
      'Relative to the plugin\'s folder: "src/a.ts", "src/a.ts:12", "src/a.ts:12-20"; lines as they stood when measured.',
    ),
    commit: z.string().min(4).exactOptional().describe(
      "A fix of this session, instead of files.",
    ),
    detail: detailField,
  }),
  output: testImpact,
  async run({ files, commit, detail }, context) {
    const request = {
      ...(files === undefined ? {} : { files: files.map(parseChangedFile) }),
      ...(commit === undefined ? {} : { commit }),
    };
    const session = context.harness.session();
    const impact = await session.coverage.impact(request, requestOptions(context));
    return {
      text: joinLines(...impactText(impact, session.tests.list().length, detail)),
      data: { ...impact },
    };
  },
});
