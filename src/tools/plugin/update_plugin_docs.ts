import { z } from "zod";
import { staleText } from "../../testing/stale_text.ts";
import { count, lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

/** Characters of the diff that are shown. */
const longest = 20_000;

export default defineTool({
  title: "Update the plugin's README",
  description:
    "Bring the README's section on tools up to the plugin as it is: description and parameters from the tools' schemas, one real " +
    "example each from a test that passed. Answers the diff; write: true then writes and commits it on the session branch. Use it " +
    "when the suite passes: tools without a passing test get no example.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    write: z.boolean().exactOptional().describe("true: write and commit. Default: only show the diff."),
  }),
  async run({ write }, context) {
    const update = await context.harness.session().updateDocs(
      { write: write ?? false },
      requestOptions(context),
    );
    const { path, changed, diff, undocumented, withoutExample, outdated = [], stale, written, commit } =
      update;
    return {
      text: lines(
        stale &&
          `The README would tell of older code. ${
            staleText({ ...stale, results: 0 })
          } Next: pth_reload_plugin({}).`,
        changed ? undefined : `${path} says what the plugin does: nothing to change.`,
        written
          ? `${path} is written${commit === undefined ? "" : ` and committed as ${commit.slice(0, 12)}`}.`
          : undefined,
        undocumented.length === 0 ? undefined : `Not documented so far: ${undocumented.join(", ")}`,
        withoutExample.length === 0
          ? undefined
          : `Without an example, for want of a passing test: ${count(withoutExample.length, "tool")}: ${
            withoutExample.join(", ")
          }`,
        outdated.length === 0
          ? undefined
          : `Left out, for their tests did not pass with the code as it is now: ${
            outdated.join(", ")
          }. Run them anew.`,
        diff === "" ? undefined : diff.slice(0, longest),
        changed && !written
          ? "Next: pth_update_plugin_docs({ write: true }) writes and commits this."
          : undefined,
      ),
      data: { ...update, diff: diff.slice(0, longest) },
    };
  },
});
