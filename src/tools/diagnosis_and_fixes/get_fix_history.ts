import { z } from "zod";
import { capped } from "../capped.ts";
import { detail } from "../fields.ts";
import { fixRow, patternRows } from "../fix_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { count, lines, listed } from "../words.ts";

const rowsShown = 30;

export default defineTool({
  title: "See the fix history",
  description:
    "What was tried in this session, newest first: fixes and reverts with their tests, categories, files and iterations. Ask before fixing " +
    "again: it also names tests that go back and forth between fixes, and fixes that repeat an earlier change.",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input: z.strictObject({
    test: z.string().min(1).exactOptional().describe("Id or name of a test."),
    category: z.string().min(1).exactOptional(),
    file: z.string().min(1).exactOptional().describe("File or folder, relative to the plugin's folder."),
    iteration: z.int().positive().exactOptional(),
    detail,
  }),
  async run({ detail, ...query }, context) {
    const { records, total, patterns } = await context.harness.session().fixHistory(
      query,
      requestOptions(context),
    );
    const { rows, leftOut } = capped(records, detail);
    const asked = Object.keys(query).length > 0;
    return {
      text: lines(
        asked ? `${records.length} of ${count(total, "commit")} match` : count(total, "commit"),
        ...listed(records.map(fixRow), detail ? Infinity : rowsShown, "older ones; ask with detail: true"),
        ...patternRows(patterns),
      ),
      data: { commits: rows, total, patterns, ...(leftOut === undefined ? {} : { leftOut }) },
    };
  },
});
