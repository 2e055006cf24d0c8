import * as z from "zod";
import { changesText } from "../text/fix_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { changeFigures } from "../output/fix.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "End the session",
  description:
    "Stop the plugin, destroy the environment, remove the worktree. The session branch stays if it holds commits. Answers the branch, its " +
    "changes and report, and what could not be removed. The session tools go away.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    keep: z.boolean().exactOptional()
      .describe("true: leave environment, worktree and branch, and answer how to remove them."),
    report: z.boolean().exactOptional()
      .describe("true: commit tests and report also where the branch holds no commit yet."),
    pullRequest: z.boolean().exactOptional()
      .describe("true: also write title and text of a pull request. Nothing is pushed."),
  }),
  output: z.object({
    branch: z.string().exactOptional(),
    branchKept: z.boolean(),
    commits: z.number(),
    changes: z.object({ files: z.number(), ...changeFigures }).exactOptional(),
    repository: z.string().exactOptional().describe("Where the branch is."),
    standing: z.object({
      state: z.enum(["passed", "failed", "unknown", "untested"]),
      text: z.string(),
    }).exactOptional().describe("The verdict of the session's tests."),
    report: z.string().exactOptional().describe("Path on the branch."),
    notReported: z.string().exactOptional().describe("Why there is no report."),
    pullRequest: z.object({ path: z.string(), title: z.string(), body: z.string() }).exactOptional(),
    kept: z.array(z.string()),
    leftBehind: z.array(z.string()).describe("What could not be removed, and where it is."),
  }),
  async run({ keep, report: always, pullRequest }, { harness }) {
    const report = await harness.endSession({
      keep: keep ?? false,
      report: always ?? false,
      pullRequest: pullRequest ?? false,
    });
    const branch = report.branch === undefined
      ? undefined
      : `Branch ${report.branch}: ${count(report.commits, "commit")}, ${
        report.branchKept ? "kept" : "removed"
      }`;
    return {
      text: joinLines(
        "Session ended.",
        branch,
        report.standing && `Tests: ${report.standing.text}`,
        report.report === undefined ? undefined : `Report on the branch: ${report.report}`,
        report.notReported === undefined ? undefined : `No report was written: ${report.notReported}`,
        report.changes && changesText(report.changes),
        report.branchKept && report.repository && `It is in ${report.repository}`,
        pullRequest && !report.pullRequest && "No text for a pull request: the branch has no commit",
        report.pullRequest && `Text for a pull request, in ${report.pullRequest.path}:`,
        report.pullRequest?.title,
        report.pullRequest?.body,
        ...report.kept.map((thing) => `Kept: ${thing}`),
        ...report.leftBehind.map((thing) => `Could not be removed: ${thing}`),
      ),
      data: { ...report },
    };
  },
});
