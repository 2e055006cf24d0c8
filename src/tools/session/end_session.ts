import { z } from "zod";
import { changesText } from "../fix_text.ts";
import { count, lines } from "../words.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "End the session",
  description:
    "End the session when testing is done or it is broken beyond use: stops the plugin, destroys the environment, removes the worktree. " +
    "The session branch stays if it holds commits. Answers branch, commits and whatever could not be removed. The session tools go away.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    keep: z.boolean().exactOptional()
      .describe("true: leave environment, worktree and branch for inspection, and say how to remove them."),
    report: z.boolean().exactOptional()
      .describe(
        "true: commit the test suite and .pth/SESSION-REPORT.md also when the branch holds no commit yet.",
      ),
    pullRequest: z.boolean().exactOptional()
      .describe(
        "true: also answer title and text for a pull request, kept as .pth/PULL-REQUEST.md. Nothing is pushed.",
      ),
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
      text: lines(
        "Session ended.",
        branch,
        report.standing && `Tests: ${report.standing.text}`,
        report.report === undefined ? undefined : `Report on the branch: ${report.report}`,
        report.notReported === undefined ? undefined : `No report was written: ${report.notReported}`,
        report.changes && changesText(report.changes),
        report.branchKept && report.repository && `It is in ${report.repository}`,
        pullRequest && !report.pullRequest && "No text for a pull request: the branch holds no commit",
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
