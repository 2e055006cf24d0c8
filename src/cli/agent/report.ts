/** `pth agent report`: saved reports of agent tests as a page, or in the forms that CI systems read. */
import { readFixtureReport } from "../../agent_fixtures/report/read_fixture_report.ts";
import { ciReport } from "../../agent_fixtures/report/ci_report.ts";
import { runPage } from "../../agent_fixtures/report/html/run_page.ts";
import { testPage } from "../../agent_fixtures/report/html/test_page.ts";
import type { FixtureRunReport, TestReport } from "../../agent_fixtures/report/report_schema.ts";
import { combinedRun, runOfTests } from "../../agent_fixtures/report/run_report.ts";
import { PthError } from "../../core/errors.ts";
import { isAbsent, readTextFile, writeTextAtomically } from "../../platform/files.ts";
import { writableProblem } from "../../platform/writable.ts";
import { registry } from "../../testing/reporters/_registry.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { chooseReporters, type ChosenReporter } from "../options/choose_reporters.ts";
import { listValue, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { writeReport } from "../write_report.ts";

/** Reporters that tell of agent tests what they tell of others; the page has a form of its own. */
const fitting = registry.filter(({ name }) => name !== "html" && name !== "json");

/** @throws {PthError} for reports that cannot be read; nothing is written then */
export async function report(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [, ...files], options } = line;
  const problems = new Problems();
  if (files.length === 0) problems.add("name reports: pth agent report <report.json…> --html <file>");
  const page = textValue(options.html);
  const unwritable = page === undefined ? undefined : await writableProblem(page);
  if (unwritable !== undefined) problems.add(`--html: cannot write ${page}: ${unwritable}`);
  const chosen = await chosenReporters(options, page, problems);
  problems.throwIfAny("Cannot make a report");
  const read = await readAll(files);
  const earlier = runsOf(await readAll(listValue(options.earlier)));
  const assessment = textValue(options.assessment);
  const parts = {
    tests: read.flatMap((each) => each.kind === "test" ? [each.report] : []),
    runs: read.flatMap((each) => each.kind === "run" ? [each.report] : []),
  };
  const run = assessed(
    combinedRun(parts, earlier),
    textValue(options.test),
    assessment === undefined ? undefined : await textOf(assessment),
  );
  if (page !== undefined) {
    const [test, ...others] = run.fixtures.flatMap((fixture) => fixture.tests);
    const alone = others.length === 0 && (options.test !== undefined || parts.runs.length === 0);
    await writeTextAtomically(page, test !== undefined && alone ? testPage(test) : runPage(run));
  }
  if (options.json === true) context.stdout.write(`${JSON.stringify(run, undefined, 2)}\n`);
  await writeReport(ciReport(run), chosen, context);
  return 0;
}

async function chosenReporters(
  options: CommandLine["options"],
  page: string | undefined,
  problems: Problems,
): Promise<ChosenReporter[]> {
  const asked = listValue(options.reporter);
  const chosen = await chooseReporters(asked, fitting, problems);
  // A page or JSON that was asked for takes the place of what people read.
  const told = asked.some((each) => !each.includes(":"));
  if (options.json === true && told) problems.add("--json: a reporter already writes to stdout");
  return told || (page === undefined && options.json !== true && asked.length === 0)
    ? chosen
    : chosen.filter(({ file }) => file !== undefined);
}

type Read = ReturnType<typeof readFixtureReport>;

/** Reads all files, so that errors come before any output. */
async function readAll(files: readonly string[]): Promise<Read[]> {
  const all: Read[] = [];
  for (const file of files) all.push(readFixtureReport(file, await textOf(file)));
  return all;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new PthError("TARGET_NOT_FOUND", `Cannot read a report: there is no file ${file}`, {}, {
      cause: error,
    });
  }
}

const runsOf = (read: readonly Read[]): FixtureRunReport[] =>
  read.map((each) => each.kind === "run" ? each.report : runOfTests([each.report]));

/** With one test alone, where one is named; an assessment is that of the only test. */
function assessed(
  run: FixtureRunReport,
  id: string | undefined,
  assessment: string | undefined,
): FixtureRunReport {
  const all = run.fixtures.flatMap((fixture) => fixture.tests);
  const chosen = id === undefined ? all : all.filter(({ meta }) => meta.test_id === id);
  if (chosen.length === 0 && id !== undefined) {
    throw new PthError("TARGET_NOT_FOUND", `Cannot make a report: there is no test ${id}`, {
      next: [`Name one of ${all.map(({ meta }) => meta.test_id).slice(0, 10).join(", ")}`],
    });
  }
  if (assessment !== undefined && chosen.length !== 1) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot make a report: an assessment is of one test, not of ${chosen.length}`,
      {
        next: [{ terminal: "Name the test by --test" }],
      },
    );
  }
  if (id === undefined && assessment === undefined) return run;
  const tests = chosen.map((test): TestReport =>
    assessment === undefined ? test : { ...test, agent_assessment: assessment }
  );
  return { ...runOfTests(tests), earlier: run.earlier, notes: run.notes };
}
