import { z } from "zod";
import { fixFields } from "../fix_fields.ts";
import { strangersText } from "../fix_text.ts";
import { iterationFields, iterationRun } from "../iteration_fields.ts";
import { outcomeData, outcomeText } from "../iteration_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Run one iteration",
  description:
    "One turn of test, diagnose, fix, reload, retest. Without fixes: runs the tests and answers the root causes with their places, then awaits " +
    "fixes. With fixes: commits each (all of its edits apply, or it is refused with the reason), rebuilds and restarts the plugin, runs the " +
    "tests again and answers what got better or worse, and the trend. Works also while the plugin does not build or start.",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    fixes: z.array(z.strictObject(fixFields)).min(1).exactOptional()
      .describe("One for each root cause; each becomes a commit of its own."),
    ...iterationFields,
  }),
  async run({ fixes, ...run }, context) {
    const session = context.harness.session();
    const asked = { ...iterationRun(run), ...(fixes === undefined ? {} : { fixes }) };
    const outcome = await session.iterate(asked, requestOptions(context));
    const note = strangersText((fixes ?? []).flatMap(({ tests }) => tests), session);
    return { text: lines(note, outcomeText(outcome)), data: outcomeData(outcome) };
  },
});
