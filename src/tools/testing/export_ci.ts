import * as z from "zod";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Export the tests for CI",
  description:
    "Write the session's tests so that they run without PTH, and commit them: the runner .pth/ci/run-tests.mjs, the tests as YAML, and " +
    ".github/workflows/pth-tests.yml. For a suite that is as it should be; the plugin has to be loaded.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    output: z.string().min(1).exactOptional()
      .describe("Folder on this machine instead of the worktree; nothing is committed then."),
    tag: z.string().min(1).exactOptional().describe("Only tests with this tag."),
    tool: z.string().min(1).exactOptional().describe("Only tests of this plugin tool."),
  }),
  output: z.object({
    folder: z.string(),
    tests: z.number().int(),
    standing: z.object({ state: z.string(), text: z.string() }).describe(
      "The latest verdict of these tests.",
    ),
    written: z.array(z.string()).readonly().describe("Files that are new or changed."),
    secrets: z.array(z.string()).readonly().describe("Names of those required by the CI job."),
    commit: z.string().exactOptional(),
  }),
  async run({ output, ...filter }, context) {
    const request = { filter, ...(output === undefined ? {} : { output }) };
    const exported = await context.harness.session().export.ci(request, requestOptions(context));
    const { folder, tests, standing, written, secrets } = exported;
    return {
      text: joinLines(
        `${count(tests, "test")} exported to ${folder}`,
        standing.state !== "passed" && `Not verified to pass: ${standing.text}`,
        ...written.map((path) => `- ${path}`),
        written.length === 0 ? "All files exist already, unchanged." : undefined,
        secrets.length === 0 ? undefined : `The CI job needs these secrets: ${secrets.join(", ")}`,
        exported.commit === undefined ? undefined : `Committed as ${exported.commit.slice(0, 12)}.`,
        "To try it: npm install --prefix .pth/ci && node .pth/ci/run-tests.mjs",
      ),
      data: { ...exported },
    };
  },
});
