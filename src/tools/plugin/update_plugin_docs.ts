import * as z from "zod";
import type { DocsUpdate } from "../../api/harness.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { detailField } from "../fields.ts";
import { sectionHead } from "../bounded_tail.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, requestOptions } from "../tool.ts";

/** Characters of the diff without `detail`. */
const diffShown = 1500;

export default defineTool({
  title: "Update the plugin's README",
  description:
    "Update the README's section on tools: description and parameters from the schemas, an example each from a test that " +
    "passed. Answers the diff; write: true then writes and commits it on the session branch. Use it when the suite passes.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    write: z.boolean().exactOptional().describe("true: write and commit. Default: only show the diff."),
    detail: detailField,
  }),
  output: z.object({
    path: z.string(),
    changed: z.boolean(),
    diff: z.string(),
    undocumented: z.array(z.string()),
    withoutExample: z.array(z.string()),
    outdated: z.array(z.string()).optional(),
    stale: z.object({
      results: z.number(),
      stale: z.number(),
      behind: z.number(),
      commit: z.string().optional(),
      loadError: z.string().optional(),
    }).optional(),
    written: z.boolean().optional(),
    commit: z.string().optional(),
  }),
  async run({ write, detail }, context) {
    const update = await context.harness.session().export.docs(
      { write: write ?? false },
      requestOptions(context),
    );
    const diff = detail ? update.diff : sectionHead(update.diff, diffShown, "; detail: true shows all");
    return { text: docsText({ ...update, diff }), data: { ...update, diff } };
  },
});

function docsText(update: DocsUpdate): string {
  const { path, changed, diff, undocumented, withoutExample, outdated = [], stale, written, commit } = update;
  return joinLines(
    stale &&
      `The README would tell of older code. ${
        staleText({ ...stale, results: 0 })
      } Next: pth_reload_plugin({}).`,
    !changed && `${path} is up to date: nothing to change.`,
    written && `${path} is written${commit === undefined ? "" : ` and committed as ${commit.slice(0, 12)}`}.`,
    tools("Not documented so far", undocumented),
    tools("No example, since no test passes", withoutExample),
    tools("Left out, since their tests have not passed with the current code (run them again)", outdated),
    diff,
    changed && !written && "Next: pth_update_plugin_docs({ write: true }) writes and commits this.",
  );
}

const tools = (title: string, names: readonly string[]): string =>
  names.length === 0 ? "" : `${title}: ${count(names.length, "tool")}: ${limitedList(names, 30).join(", ")}`;
