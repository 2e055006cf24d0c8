import * as z from "zod";
import { fixList, iterationFields, iterationRun } from "../fields.ts";
import { unknownTestsText } from "../text/fix_text.ts";
import { outcomeData } from "../outcome_data.ts";
import { outcomeText } from "../text/outcome_text.ts";
import { iterationOutcome } from "../output/iteration.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

export default defineTool({
  title: "Run one iteration",
  description:
    "One iteration of test, diagnose, fix, reload, retest, also while the plugin does not build or start. Without fixes: runs the tests and " +
    "answers root causes with places. With fixes: commits each (or refuses it, with the reason), rebuilds, retests and answers what got " +
    "better or worse.",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    fixes: fixList.exactOptional().describe("One for each root cause; each becomes a commit."),
    ...iterationFields,
  }),
  output: iterationOutcome,
  async run({ fixes, ...run }, context) {
    const session = context.harness.session();
    const asked = { ...iterationRun(run), ...(fixes === undefined ? {} : { fixes }) };
    const outcome = await session.loop.run(asked, requestOptions(context));
    const note = unknownTestsText((fixes ?? []).flatMap(({ tests }) => tests), session);
    return { text: joinLines(note, outcomeText(outcome)), data: outcomeData(outcome) };
  },
});
