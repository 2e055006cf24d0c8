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
import type { CommandContext, CommandLine } from "../command.ts";
import { listenForInterrupts } from "../listen_for_interrupts.ts";
import { Problems } from "../options/problems.ts";
import { snapshotDirectory } from "../watch/wait_for_cause.ts";
import { type FixtureOptions, programsFor, readFixtureOptions, withAgents } from "./fixture_options.ts";
import { readEarlierRuns } from "./report_options.ts";
import { playFixtures } from "./play_fixtures.ts";
import { watchFixtures } from "./watch_fixtures.ts";
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
  const interruption = listenForInterrupts(context);
  const round = { options, programs, context, interruption, histories, out };
  const before = options.watch ? await snapshotDirectory(read.root) : undefined;
  try {
    const ran = await playFixtures(fixtures, round);
    if (isReported(options)) {
      const report = await fixtureReport(ran, placeOf(options), { notes: notJudged(ran), earlier });
      await writeFixtureReports(report, options, context);
    }
    if (before !== undefined && interruption.exitCode() === undefined) {
      return await watchFixtures(place!, ran, read, round, before);
    }
    const interrupted = interruption.exitCode();
    if (interrupted !== undefined) return interrupted;
    const error = ran.find((each) => each.error !== undefined)?.error;
    if (error !== undefined) throw error;
    return hasPassed(ran) ? 0 : 1;
  } finally {
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
