/** Branch work `hand_over`: at a session's end its suite and its report go onto the branch. */
import { join, posix } from "node:path";
import { readHistory } from "../../git/history.ts";
import { branchOf } from "../../git/session_branch.ts";
import { commitExport } from "../../export/commit_export.ts";
import { pullRequest, pullRequestPath, pullRequestText } from "../../export/report/pull_request.ts";
import { reportPath, sessionReport } from "../../export/report/session_report.ts";
import { suiteFiles } from "../../export/suite_files.ts";
import { writeInside } from "../../platform/write_inside.ts";
import type { SessionResources } from "../session_resources.ts";
import type { ExportedSession, ExportSessionArgs } from "../../../machines/model/branch_work.ts";

/** Does nothing without a branch, or while the branch holds no commit. @throws {PthError} `GIT_FAILED`, `INVALID_INPUT` */
export async function exportSessionActor(
  live: SessionResources,
  { report, iterations, always, pullRequest: wanted }: ExportSessionArgs,
): Promise<ExportedSession> {
  const source = live.code.source!;
  const branch = branchOf(source);
  if (branch === undefined) return {};
  const history = await readHistory(branch);
  if (history.length === 0 && !always) return {};
  const folder = join(source.worktree, source.subfolder);
  const inRepository = (path: string) => posix.join(source.subfolder, path);

  const tests = suiteFiles(live.secrets.redact.value(report.tests), folder);
  await writeInside(folder, tests);
  // Files of tests made by hand lie there already.
  const own = report.tests.flatMap(({ file }) => file?.startsWith(join(source.worktree, "/")) ? [file] : []);
  const paths = [
    ...tests.map(({ path }) => inRepository(path)),
    ...own.map((file) => file.slice(join(source.worktree, "/").length)),
  ];
  await commitExport(source, [...new Set(paths)], {
    type: "tests",
    title: "keep the test suite of the session",
  });

  const facts = { report, history: await readHistory(branch), iterations };
  const request = wanted ? live.secrets.redact.value(pullRequest(facts)) : undefined;
  const files = [
    { path: reportPath, text: live.secrets.redact.text(sessionReport(facts)) },
    ...(request ? [{ path: pullRequestPath, text: pullRequestText(request) }] : []),
  ];
  await writeInside(folder, files);
  await commitExport(source, files.map(({ path }) => inRepository(path)), {
    type: "report",
    title: "report on the PTH session",
  });
  return {
    report: inRepository(reportPath),
    ...(request ? { pullRequest: { path: inRepository(pullRequestPath), ...request } } : {}),
  };
}
