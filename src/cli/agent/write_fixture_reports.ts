/** Writes the report of a run of fixtures in all forms that were asked for. */
import { join } from "node:path";
import { ciReport } from "../../agent_fixtures/report/ci_report.ts";
import { runPage } from "../../agent_fixtures/report/html/run_page.ts";
import { testPage } from "../../agent_fixtures/report/html/test_page.ts";
import type { FixtureRunReport, TestReport } from "../../agent_fixtures/report/report_schema.ts";
import { mkdir, pathExists, writeTextAtomically } from "../../platform/files.ts";
import type { CommandContext } from "../command.ts";
import { writeReport } from "../write_report.ts";
import type { FixtureOptions } from "./fixture_options.ts";
import { readFixtureReports } from "./report_options.ts";

/** Name of the run's report in the folder of `--out`. */
const runFile = "report.json";

export async function writeFixtureReports(
  report: FixtureRunReport,
  { json, page, out, reporters }: Pick<FixtureOptions, "json" | "page" | "out" | "reporters">,
  context: CommandContext,
): Promise<void> {
  if (out !== undefined) await fillFolder(out, report);
  if (page !== undefined) await writeTextAtomically(page, runPage(report));
  if (json) context.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  await writeReport(ciReport(report), reporters, context);
}

/**
 * Report of the run that wrote into the folder before, for the trend.
 * @throws {PthError} `INVALID_INPUT` where another file is in its place
 */
export async function earlierIn(folder: string | undefined): Promise<FixtureRunReport[]> {
  if (folder === undefined || !await pathExists(join(folder, runFile))) return [];
  const read = await readFixtureReports([join(folder, runFile)]);
  return read.flatMap((each) => each.kind === "run" ? [each.report] : []);
}

/** `report.json` and `report.html` of the run, and both of each test below `tests/<fixture>/`. */
async function fillFolder(folder: string, report: FixtureRunReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeTextAtomically(join(folder, runFile), `${JSON.stringify(report, undefined, 2)}\n`);
  await writeTextAtomically(join(folder, "report.html"), runPage(report));
  for (const { name, tests } of report.fixtures) {
    const below = join(folder, "tests", name);
    await mkdir(below, { recursive: true });
    const names = fileNames(tests);
    for (const [index, test] of tests.entries()) {
      const path = join(below, names[index]!);
      await writeTextAtomically(`${path}.json`, `${JSON.stringify(test, undefined, 2)}\n`);
      await writeTextAtomically(`${path}.html`, testPage(test));
    }
  }
}

/** Names that are no way out of the folder: values of a matrix stand in ids. One that is taken gets a number. */
function fileNames(tests: readonly TestReport[]): string[] {
  const taken = new Set<string>();
  return tests.map(({ meta }) => {
    const plain = meta.test_id.replaceAll(/[^\w.=-]+/g, "_").slice(0, 150);
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`;
    taken.add(name);
    return name;
  });
}
