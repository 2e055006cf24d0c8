/** `pth agent test`: fixtures of agent tests, run side by side and judged. */
import { readFixtures } from "../../agent_fixtures/format/read_fixtures.ts";
import { fixtureReport } from "../../agent_fixtures/report/fixture_report.ts";
import { earlierIn } from "../../agent_fixtures/report/report_folder.ts";
import type { PlaceOfTest } from "../../agent_fixtures/report/reproduce_commands.ts";
import { chooseAgentTests } from "../../agent_fixtures/run/choose_agent_tests.ts";
import { openFixtureHistories } from "../../agent_fixtures/run/fixture_histories.ts";
import { hasPassed, notJudged } from "../../agent_fixtures/run/ran_fixture.ts";
import { asPthError } from "../../core/errors.ts";
import { problemLine } from "../../core/problems.ts";
import { visibleText } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { createLiveLine } from "../../testing/reporters/spec/live_line.ts";
import { styleOf } from "../../testing/reporters/spec/terminal_style.ts";
import type { CommandContext, CommandLine } from "../command.ts";
import { listenForInterrupts } from "../listen_for_interrupts.ts";
import { Problems } from "../options/problems.ts";
import { leftovers } from "../with_harness.ts";
import { summaryLines, testLines } from "./test_lines.ts";
import { type FixtureOptions, programsFor, readFixtureOptions, withAgents } from "./fixture_options.ts";
import { readEarlierRuns } from "./report_options.ts";
import { runFixtures } from "./run_fixtures.ts";
import { writeFixtureReports } from "./write_fixture_reports.ts";

/**
 * Exits with 0 where all tests that were to run passed, 1 where one did not or none ran, 130 or 143 once interrupted.
 * @throws {PthError} for options and files that are wrong, all at once and before anything starts; for the first fixture that
 * could not run, after all is told
 */
export async function testFixtures(line: CommandLine, context: CommandContext): Promise<number> {
  const problems = new Problems();
  const options = await readFixtureOptions(line, context, problems);
  const { operands: [, place] } = line;
  if (place === undefined) problems.throwIfAny("Cannot run agent tests");
  const read = await readFixtures(place!).catch((error) => asPthError(error, "Cannot read fixtures"));
  if (read instanceof Error) {
    if (problems.empty) throw read;
    problems.add(read.message);
    problems.throwIfAny("Cannot run agent tests");
    throw read;
  }
  const { fixtures: all, notes: left } = withAgents(read.fixtures, options, problems);
  problems.throwIfAny("Cannot run agent tests");
  const histories = await openFixtureHistories(all);
  const { fixtures, notes } = chooseAgentTests(all, options.suite, histories.lastFailed);
  const { stdout, stderr } = context;
  const earlier = [...await readEarlierRuns(line.options), ...await earlierIn(options.out)];
  const programs = await programsFor(fixtures, options.choice, (text) => stderr.write(text));
  for (const note of [...left, ...notes]) stderr.write(`${note}\n`);
  for (const lint of read.lints) stderr.write(`${visibleText(problemLine(lint))}\n`);

  const out = options.json || options.reporters.some(({ file }) => file === undefined) ? stderr : stdout;
  const style = styleOf(out);
  const live = createLiveLine(stderr);
  const interruption = listenForInterrupts(context);
  const started = performance.now();
  const total = fixtures.reduce((sum, { tests }) => sum + tests.length, 0);
  let ended = 0;
  let current = "starting";
  const draw = () => live.show(() => `${ended}/${total}  ${current}`);
  const say = (text: string) => {
    live.show(undefined);
    out.write(text);
    draw();
  };
  try {
    draw();
    const ran = await runFixtures(fixtures, {
      options,
      programs,
      context,
      interruption,
      tell: ({ name }, fact) => {
        if (fact.type === "step.started") current = `${name}  ${fact.message}`;
        else if (fact.type === "session.noted") say(`! ${name}  ${visibleText(fact.message)}\n`);
        else if (fact.type === "agent_test.started") current = `${name}/${fact.id}  ${fact.name}`;
        else if (fact.type === "agent_test.finished") {
          if (!fact.again) ended++;
          say(testLines(fact, style));
        }
      },
    });
    live.show(undefined);
    out.write(summaryLines(ran, performance.now() - started, style));
    await histories.keep(ran, (problem) => stderr.write(`${problem}\n`));
    if (isReported(options)) {
      const report = await fixtureReport(ran, placeOf(options), { notes: notJudged(ran), earlier });
      await writeFixtureReports(report, options, context);
    }
    for (const { ended } of ran) {
      if (ended !== undefined) { for (const left of leftovers(ended)) stderr.write(`${left}\n`); }
    }
    const interrupted = interruption.exitCode();
    if (interrupted !== undefined) return interrupted;
    const error = ran.find((each) => each.error !== undefined)?.error;
    if (error !== undefined) throw error;
    return hasPassed(ran) ? 0 : 1;
  } finally {
    live.show(undefined);
    interruption.stop();
  }
}

const placeOf = (
  { config: { runtime = "auto", baseImage, network }, load }: FixtureOptions,
): PlaceOfTest => ({
  runtime,
  load,
  ...definedOnly({ image: baseImage, network }),
});

const isReported = ({ json, out, page, reporters }: FixtureOptions): boolean =>
  json || out !== undefined || page !== undefined || reporters.length > 0;
