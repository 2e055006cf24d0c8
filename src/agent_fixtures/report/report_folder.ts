/** A folder with the reports of a run of fixtures, and their pages. */
import { join } from "node:path";
import { mkdir, readTextIfExists, writeTextAtomically } from "../../platform/files.ts";
import { runPage } from "./html/run_page.ts";
import { testPage } from "./html/test_page.ts";
import { readFixtureReport } from "./read_fixture_report.ts";
import type { FixtureRunReport, TestReport } from "./report_schema.ts";

/** Name of the run's report in the folder. */
const runFile = "report.json";

/**
 * Report of the run that wrote into the folder before, for the trend.
 * @throws {PthError} `INVALID_INPUT` where another file is in its place
 */
export async function earlierIn(folder: string | undefined): Promise<FixtureRunReport[]> {
  const text = folder === undefined ? undefined : await readTextIfExists(join(folder, runFile));
  if (text === undefined) return [];
  const read = readFixtureReport(join(folder!, runFile), text);
  return read.kind === "run" ? [read.report] : [];
}

/** `report.json` and `report.html` of the run, and both of each test below `tests/<fixture>/`. */
export async function writeReportFolder(folder: string, report: FixtureRunReport): Promise<void> {
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
