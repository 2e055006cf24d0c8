import * as z from "zod";
import { limitItems } from "../limit_items.ts";
import { detailField } from "../fields.ts";
import type { FixQuery } from "../../../machines/model/fix.ts";
import { PthError } from "../../core/errors.ts";
import { bisectionText } from "../text/bisection_text.ts";
import { fixRow, patternRows } from "../text/fix_text.ts";
import { bisectionSchema, fixPatterns, fixRecord } from "../output/fix.ts";
import { defineTool, requestOptions, type ToolContext } from "../tool.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";

const rowsShown = 12;

export default defineTool({
  title: "Get the fix history",
  description:
    "Fixes and reverts of this session, newest first, tests that go back and forth between them, fixes that repeat an " +
    "earlier one. Ask before fixing again. brokeTest finds the fix that broke a test, in a copy with an environment of its own.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    test: z.string().min(1).exactOptional().describe("Id or name."),
    category: z.string().min(1).exactOptional(),
    file: z.string().min(1).exactOptional().describe("File or folder, relative to the plugin's folder."),
    iteration: z.int().positive().exactOptional(),
    brokeTest: z.string().min(1).exactOptional()
      .describe("Id or name of a test that passed once; alone. A build for each try."),
    detail: detailField,
  }),
  output: z.object({
    commits: z.array(fixRecord).exactOptional().describe("With brokeTest: absent, as all of the history is."),
    total: z.number().exactOptional(),
    patterns: fixPatterns.exactOptional(),
    leftOut: z.number().exactOptional(),
    ...z.object(bisectionSchema).partial().shape,
  }),
  async run({ detail = false, brokeTest, ...query }, context) {
    if (brokeTest !== undefined) return await bisected(brokeTest, query, context);
    const { records, total, patterns } = await context.harness.session().fixes.history(
      query,
      requestOptions(context),
    );
    const { rows, leftOut } = limitItems(records, detail);
    const asked = Object.keys(query).length > 0;
    return {
      text: joinLines(
        asked ? `${records.length} of ${count(total, "commit")} match` : count(total, "commit"),
        ...patternRows(patterns),
        ...limitedList(
          records.map((record) => fixRow(record, detail)),
          detail ? Infinity : rowsShown,
          "older ones; with detail: true, all and what their commits say",
        ),
      ),
      data: { commits: rows, total, patterns, ...(leftOut === undefined ? {} : { leftOut }) },
    };
  },
});

async function bisected(test: string, query: FixQuery, context: ToolContext) {
  const others = Object.keys(query);
  if (others.length > 0) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot bisect ${test}: ${others.join(", ")} is given, too`,
      {
        next: [`Ask for it alone: pth_get_fix_history({ brokeTest: ${JSON.stringify(test)} })`],
      },
    );
  }
  const found = await context.harness.session().fixes.bisect({ test }, requestOptions(context));
  return { text: bisectionText(found), data: { ...found } };
}
