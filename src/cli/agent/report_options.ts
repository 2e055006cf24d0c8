/** `--html`, `--reporter` and `--earlier` of commands that report agent tests. */
import { type FixtureReport, readFixtureReport } from "../../agent_fixtures/report/read_fixture_report.ts";
import type { FixtureRunReport } from "../../agent_fixtures/report/report_schema.ts";
import { runOfTests } from "../../agent_fixtures/report/run_report.ts";
import { PthError } from "../../core/errors.ts";
import { isAbsent, readTextFile } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import type { CommandLine } from "../command.ts";
import { chooseReporters, type ChosenReporter } from "../options/choose_reporters.ts";
import { listValue, textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";

/** Reporters that tell of agent tests what they tell of others; the page has a form of its own. */
const fitting = registry.filter(({ name }) => name !== "html" && name !== "json");

/** File of the page; undefined where none is wanted. */
export async function readPage(
  options: CommandLine["options"],
  problems: Problems,
): Promise<string | undefined> {
  const page = textValue(options.html);
  const unwritable = page === undefined ? undefined : await writableProblem(page);
  if (unwritable !== undefined) problems.add(`--html: cannot write ${page}: ${unwritable}`);
  return page;
}

/**
 * Reporters that were asked for.
 * @param told Whether people read something else, so that nothing is added for them
 */
export async function readFixtureReporters(
  options: CommandLine["options"],
  told: boolean,
  problems: Problems,
): Promise<ChosenReporter[]> {
  const asked = listValue(options.reporter);
  const chosen = await chooseReporters(asked, fitting, problems);
  const onStdout = asked.some((each) => !each.includes(":"));
  if (options.json === true && onStdout) problems.add("--json: a reporter already writes to stdout");
  return onStdout || !told ? chosen : chosen.filter(({ file }) => file !== undefined);
}

/** Reads all files, so that errors come before any output. */
export async function readFixtureReports(files: readonly string[]): Promise<FixtureReport[]> {
  const all: FixtureReport[] = [];
  for (const file of files) all.push(readFixtureReport(file, await reportText(file)));
  return all;
}

export async function reportText(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new PthError("TARGET_NOT_FOUND", `Cannot read a report: there is no file ${file}`, {}, {
      cause: error,
    });
  }
}

/** Reports of earlier runs, for the trend. @throws {PthError} as `readFixtureReports` */
export const readEarlierRuns = async (options: CommandLine["options"]): Promise<FixtureRunReport[]> =>
  (await readFixtureReports(listValue(options.earlier))).map((each) =>
    each.kind === "run" ? each.report : runOfTests([each.report])
  );
