/** The report of a run of fixtures, made of what its tests came to. */
import { dirname, join } from "node:path";
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentTestResult } from "../../../machines/model/fixture_run.ts";
import { PthError } from "../../core/errors.ts";
import type { RanFixture } from "../run/ran_fixture.ts";
import { type EmbeddedTest, embedTest, gitStateOf } from "./embedded_files.ts";
import type { FixtureRunReport, SkippedReport, TestReport } from "./report_schema.ts";
import type { PlaceOfTest } from "./reproduce_commands.ts";
import { runReport } from "./run_report.ts";
import { agentTestReport } from "./test_report.ts";

/**
 * @param notes Observations about the whole run
 * @param earlier Reports of earlier runs
 */
export async function fixtureReport(
  ran: readonly RanFixture[],
  place: PlaceOfTest,
  { notes, earlier }: { notes: readonly string[]; earlier: readonly FixtureRunReport[] },
): Promise<FixtureRunReport> {
  const fixtures = [];
  for (const { fixture, results, notRun } of ran) {
    const { name, description, plugin } = fixture;
    const tests = [];
    for (const result of results) tests.push(await reportOf(fixture, result, place));
    const missing = fixture.tests.filter(({ id }) => !results.some((result) => result.id === id));
    const skipped = missing.map((test): SkippedReport => ({
      test_id: test.id,
      test_name: test.name,
      tags: test.tags,
      reason: notRun.find(({ id }) => id === test.id)?.reason ?? "the run ended before it",
      file: test.file,
      line: test.line,
    }));
    fixtures.push({ name, description, plugin, tests, skipped });
  }
  const errors = ran.flatMap(({ fixture, error }) =>
    error === undefined ? [] : [`${fixture.name}: ${error.message}`]
  );
  return runReport(fixtures, { errors, notes, earlier });
}

async function reportOf(
  fixture: AgentFixture,
  { id, session, judgement, startedAt, durationMs, attempts }: AgentTestResult,
  place: PlaceOfTest,
): Promise<TestReport> {
  const test = fixture.tests.find((each) => each.id === id)!;
  return agentTestReport({
    fixture,
    test,
    ...(session === undefined ? {} : { session }),
    judgement,
    startedAt,
    durationMs,
    embedded: await embeddedOf(fixture, test),
    gitState: await gitStateOf(dirname(test.file), test.start),
    place,
    ...(attempts === 1 ? {} : { attempts }),
  });
}

/** A test whose files cannot be read has failed for it; its report names them, and carries none. */
async function embeddedOf({ plugin }: AgentFixture, test: AgentTest): Promise<EmbeddedTest> {
  const { start } = test;
  try {
    return await embedTest(plugin, test);
  } catch (error) {
    if (!(error instanceof PthError)) throw error;
    return {
      plugin: { files: [], copies: [{ from: plugin, to: "", isFolder: true }] },
      project: {
        files: [],
        copies: start.files.map(({ from, to }) => ({ from: join(start.root, from), to, isFolder: false })),
      },
    };
  }
}
