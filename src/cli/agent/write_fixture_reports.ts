/** Writes the report of a run of fixtures in all forms that were asked for. */
import { ciReport } from "../../agent_fixtures/report/ci_report.ts";
import { runPage } from "../../agent_fixtures/report/html/run_page.ts";
import { writeReportFolder } from "../../agent_fixtures/report/report_folder.ts";
import type { FixtureRunReport } from "../../agent_fixtures/report/report_schema.ts";
import { writeTextAtomically } from "../../platform/files.ts";
import type { CommandContext } from "../command.ts";
import { writeReport } from "../write_report.ts";
import type { FixtureOptions } from "./fixture_options.ts";

export async function writeFixtureReports(
  report: FixtureRunReport,
  { json, page, out, reporters }: Pick<FixtureOptions, "json" | "page" | "out" | "reporters">,
  context: CommandContext,
): Promise<void> {
  if (out !== undefined) await writeReportFolder(out, report);
  if (page !== undefined) await writeTextAtomically(page, runPage(report));
  if (json) context.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  await writeReport(ciReport(report), reporters, context);
}
