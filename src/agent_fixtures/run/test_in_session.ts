/** Fixtures of a session's plugin, read from its copy and run one after the other in its environment. */
import { join, relative } from "node:path";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { AgentCommandLine } from "../../../machines/model/agent_session.ts";
import type { FixtureRunRequest, FixtureRunResult } from "../../../machines/model/fixture_run.ts";
import type { SessionSource } from "../../../machines/model/session.ts";
import type { SuiteOptions } from "../../../machines/model/suite_options.ts";
import { agentNamed, findAgent } from "../../agents/adapters/agents.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import { problemLine } from "../../core/problems.ts";
import { definedOnly } from "../../core/values.ts";
import { realPath } from "../../platform/files.ts";
import { folderProblem } from "../../platform/writable.ts";
import { readFixtures } from "../format/read_fixtures.ts";
import { fixtureReport } from "../report/fixture_report.ts";
import { earlierIn, writeReportFolder } from "../report/report_folder.ts";
import type { PlaceOfTest } from "../report/reproduce_commands.ts";
import { chooseAgentTests } from "./choose_agent_tests.ts";
import { openFixtureHistories } from "./fixture_histories.ts";
import { fixtureRequest } from "./fixture_request.ts";
import { notJudged, type RanFixture } from "./ran_fixture.ts";
import { testsOnAgents } from "./tests_on_agents.ts";

export interface SessionTests {
  /** Folders with fixtures, or files of tests, relative to the plugin's folder; they stay in the session's copy. */
  places: string[];
  suite: Pick<SuiteOptions, "grep" | "tag" | "lastFailed" | "retries" | "bail">;
  /** Agents in place of those that the tests name; of tests that name several, these of them. None: the tests' own. */
  agents: string[];
  /** For the agent `command`. */
  command?: AgentCommandLine;
  /** Folder of the command's files. */
  folder?: string;
  /** Host folder for the reports. */
  out?: string;
}

/** The session as far as its fixtures need it. */
export interface SessionUnderTest {
  source: SessionSource;
  /** Aborts when the caller cancels. */
  signal: AbortSignal;
  test(request: FixtureRunRequest): Promise<FixtureRunResult>;
  /** Tells where the tests ran, for commands that reproduce them. */
  place(): Promise<PlaceOfTest>;
  /** Takes the number of tests that are to run, before the first. */
  begin(total: number): void;
}

export interface SessionTestsResult {
  ran: RanFixture[];
  notes: string[];
  /** Observations on the fixtures that are no mistakes, at their places. */
  lints: string[];
  /** Page of the report. */
  report?: string;
}

/**
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_TEST_FILE`, `INVALID_INPUT`, `NO_TESTS_MATCH`, `TOOLCHAIN_MISSING` before
 * anything starts; what the first fixture could not begin with
 */
export async function testInSession(
  { places, suite, agents, command, folder, out }: SessionTests,
  session: SessionUnderTest,
): Promise<SessionTestsResult> {
  const unwritable = out === undefined ? undefined : await folderProblem(out);
  if (unwritable !== undefined) {
    throw new PthError("INVALID_INPUT", `Cannot write reports to ${out}: ${unwritable}`);
  }
  const { fixtures: own, notes, lints } = await ownFixtures(places, session.source);
  const problems: string[] = [];
  const { fixtures: all, notes: left } = testsOnAgents(
    own,
    {
      agents,
      command,
      real: false,
      commandLine: (name) => `the agent ${name} needs its command line`,
      noModel: "it has no playbook, and sessions over MCP test on playbooks alone",
    },
    ({ file, line, id }, message) => problems.push(`${file}:${line} ${id}: ${message}`),
  );
  if (problems.length > 0) {
    throw new PthError("INVALID_INPUT", `Cannot run agent tests: ${problems.join("\n")}`);
  }
  const histories = await openFixtureHistories(all);
  const chosen = chooseAgentTests(all, suite, histories.lastFailed);
  notes.push(...left, ...chosen.notes);
  const programs = await programsOf(chosen.fixtures, definedOnly({ command, folder }));
  const earlier = await earlierIn(out);
  session.begin(
    chosen.fixtures.flatMap(({ tests }) => tests.filter(({ skip }) => skip === undefined)).length,
  );
  const ran = await runInTurn(chosen.fixtures, { programs, ...suite }, session);
  await histories.keep(ran, (problem) => notes.push(problem));
  if (out === undefined) return { ran, notes, lints };
  const report = await fixtureReport(ran, await session.place(), { notes: notJudged(ran), earlier });
  await writeReportFolder(out, report);
  return { ran, notes, lints, report: join(out, "report.html") };
}

/** Fixtures of the session's plugin; those of others are told, and whatever lies outside of the copy is refused. */
async function ownFixtures(
  places: readonly string[],
  { worktree, subfolder, folder }: SessionSource,
): Promise<{ fixtures: AgentFixture[]; notes: string[]; lints: string[] }> {
  const copy = await realPath(worktree);
  const plugin = join(copy, subfolder);
  const fixtures = new Map<string, AgentFixture>();
  const notes: string[] = [];
  const lints = new Set<string>();
  for (const place of places) {
    const real = await realPath(join(plugin, place)).catch(() => undefined); // nothing is there, or it cannot be seen
    if (real === undefined || (real !== copy && !real.startsWith(`${copy}/`))) {
      throw new PthError(
        "TARGET_NOT_FOUND",
        `Cannot read fixtures: there is no ${place} in the session's copy`,
        {
          next: ["Give folders relative to the plugin's folder"],
        },
      );
    }
    const read = await readFixtures(real, copy);
    for (const lint of read.lints) lints.add(problemLine({ ...lint, file: relative(plugin, lint.file) }));
    for (const fixture of read.fixtures) {
      if (fixture.plugin === plugin) merge(fixtures, fixture);
      else {notes.push(
          `${fixture.name} is a fixture of another plugin (${relative(copy, fixture.plugin)}): left out`,
        );}
    }
  }
  if (fixtures.size === 0) {
    throw new PthError(
      "TARGET_NOT_FOUND",
      "Cannot run agent tests: there is no fixture of the session's plugin",
      {
        notes,
        next: ["A fixture is a folder with fixture.yaml, and tests/test_*.yaml"],
      },
    );
  }
  // Files of the author's: the copy goes with the session.
  const authors = (file: string) => folder === undefined ? file : join(folder, relative(plugin, file));
  return {
    fixtures: [...fixtures.values()].map((fixture) => ({
      ...fixture,
      tests: fixture.tests.map((test) => ({ ...test, file: authors(test.file) })),
    })),
    notes,
    lints: [...lints],
  };
}

/** Adds a fixture, or its tests to those of it that another place has named. */
function merge(fixtures: Map<string, AgentFixture>, fixture: AgentFixture): void {
  const known = fixtures.get(fixture.name);
  const tests = fixture.tests.filter(({ id }) => known?.tests.some((test) => test.id === id) !== true);
  fixtures.set(fixture.name, { ...fixture, tests: [...known?.tests ?? [], ...tests] });
}

async function programsOf(
  fixtures: readonly AgentFixture[],
  { command, folder }: Pick<SessionTests, "command" | "folder">,
): Promise<NonNullable<FixtureRunRequest["programs"]>> {
  const names = fixtures.flatMap(({ tests }) =>
    tests.filter(({ skip }) => skip === undefined).map((test) => test.agent)
  );
  const programs: NonNullable<FixtureRunRequest["programs"]> = {};
  for (const name of new Set(names)) {
    const agent = agentNamed(name);
    const isCommand = agent.installation === undefined;
    const { program } = await findAgent(agent, isCommand ? folder : undefined);
    programs[name] = definedOnly({ program, command: isCommand ? command : undefined });
  }
  return programs;
}

/** A fixture that stops with an error ends the run; what ran before it counts. */
async function runInTurn(
  fixtures: readonly AgentFixture[],
  rules: Parameters<typeof fixtureRequest>[1],
  { signal, test }: SessionUnderTest,
): Promise<RanFixture[]> {
  const ran: RanFixture[] = [];
  let stopped: string | undefined;
  for (const fixture of fixtures) {
    const request = stopped === undefined ? fixtureRequest(fixture, rules, ran) : { reason: stopped };
    if ("reason" in request) {
      ran.push({
        fixture,
        results: [],
        notRun: fixture.tests.map(({ id }) => ({ id, reason: request.reason })),
      });
      continue;
    }
    try {
      ran.push({ fixture, ...await test(request) });
    } catch (error) {
      if (signal.aborted || ran.every(({ results }) => results.length === 0)) throw error;
      stopped = `the fixture ${fixture.name} could not run: ${errorMessage(error)}`;
      ran.push({ fixture, results: [], notRun: [], error: asPthError(error, `Cannot run ${fixture.name}`) });
    }
  }
  return ran;
}
