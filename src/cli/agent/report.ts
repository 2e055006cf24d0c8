/** `pth agent report`: saved reports of agent tests as a page, or in the forms that CI systems read. */
import { ciReport } from "../../agent_fixtures/report/ci_report.ts";
import { runPage } from "../../agent_fixtures/report/html/run_page.ts";
import { testPage } from "../../agent_fixtures/report/html/test_page.ts";
import type { FixtureRunReport, TestReport } from "../../agent_fixtures/report/report_schema.ts";
import { combinedRun, runOfTests } from "../../agent_fixtures/report/run_report.ts";
import { PthError } from "../../core/errors.ts";
import { writeTextAtomically } from "../../platform/files.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { listValue, textValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";
import { writeReport } from "../write_report.ts";
import {
  readEarlierRuns,
  readFixtureReporters,
  readFixtureReports,
  readPage,
  reportText,
} from "./report_options.ts";

/** @throws {PthError} for reports that cannot be read; nothing is written then */
export async function report(line: CommandLine, context: CommandContext): Promise<number> {
  const { operands: [, ...files], options } = line;
  const problems = new Problems();
  if (files.length === 0) problems.add("name reports: pth agent report <report.json…> --html <file>");
  const page = await readPage(options, problems);
  // A page, JSON or a file that was asked for takes the place of what people read.
  const told = page !== undefined || options.json === true || listValue(options.reporter).length > 0;
  const chosen = await readFixtureReporters(options, told, problems);
  problems.throwIfAny("Cannot make a report");
  const read = await readFixtureReports(files);
  const earlier = await readEarlierRuns(options);
  const assessment = textValue(options.assessment);
  const parts = {
    tests: read.flatMap((each) => each.kind === "test" ? [each.report] : []),
    runs: read.flatMap((each) => each.kind === "run" ? [each.report] : []),
  };
  const run = assessed(
    combinedRun(parts, earlier),
    textValue(options.test),
    assessment === undefined ? undefined : await reportText(assessment),
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
  const { earlier, errors, notes } = run;
  return { ...runOfTests(tests), earlier, errors, notes };
}
