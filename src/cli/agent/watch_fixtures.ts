/** `pth agent test --watch`: after the run, fixtures again whose files the author changes, until told to end. */
import { relative, resolve } from "node:path";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import { type ReadFixtures, readFixtures } from "../../agent_fixtures/format/read_fixtures.ts";
import { affectedFixtures } from "../../agent_fixtures/run/affected_fixtures.ts";
import { chooseAgentTests } from "../../agent_fixtures/run/choose_agent_tests.ts";
import { openFixtureHistories } from "../../agent_fixtures/run/fixture_histories.ts";
import { hasPassed } from "../../agent_fixtures/run/ran_fixture.ts";
import { count } from "../../core/text.ts";
import { Problems } from "../options/problems.ts";
import { changeLine, keyLine } from "../watch/play_changes.ts";
import { type DirectorySnapshot, snapshotDirectory, type WatchKey } from "../watch/wait_for_cause.ts";
import { watchChanges } from "../watch/watch_changes.ts";
import { type FixtureOptions, programsFor, withAgents } from "./fixture_options.ts";
import { type FixtureRound, playFixtures } from "./play_fixtures.ts";
import type { EndedFixture } from "./run_fixtures.ts";

/**
 * Reads the fixtures again for each round; mistakes in them are reported, and the changes wait for the next round.
 * @param ran Fixtures of the first run
 * @param before State of the root before that run
 * @returns the exit code: what the latest results of all tests say, or that of an interruption
 */
export async function watchFixtures(
  place: string,
  ran: readonly EndedFixture[],
  { root }: ReadFixtures,
  round: FixtureRound,
  before: DirectorySnapshot,
): Promise<number> {
  const { options, context, interruption } = round;
  const say = (line: string) => round.out.write(`${line}\n`);
  const written = writtenBy(options).map((path) => relative(root, path));
  const isWritten = (path: string) => written.some((own) => path === own || path.startsWith(`${own}/`));
  const authors = (photo: DirectorySnapshot) => new Map([...photo].filter(([path]) => !isWritten(path)));
  const latest = new Map(ran.map((each) => [each.fixture.name, each]));
  const pending = new Set<string>();

  const play = async (fixtures: readonly AgentFixture[], all: readonly AgentFixture[]) => {
    if (fixtures.length === 0) return say("  no fixture to run: nothing of them changed");
    say(`  ${count(fixtures.length, "fixture")}: ${fixtures.map(({ name }) => name).join(", ")}`);
    const programs = await programsFor(fixtures, options.choice, (text) => context.stderr.write(text));
    const histories = await openFixtureHistories(fixtures);
    for (const each of await playFixtures(fixtures, { ...round, programs, histories })) {
      const whole = all.find(({ name }) => name === each.fixture.name)!;
      latest.set(whole.name, joined(whole, latest.get(whole.name), each));
    }
  };
  await watchChanges(
    {
      folder: root,
      before: authors(before),
      look: async () => authors(await snapshotDirectory(root)),
      async play(cause) {
        if (cause.kind === "changed") {
          say(changeLine(cause.paths));
          for (const path of cause.paths) pending.add(path);
        } else say(keyLine(cause.key));
        const read = await readFixtures(place);
        const all = chosenOf(read, options);
        for (const name of latest.keys()) {
          if (!all.some((fixture) => fixture.name === name)) latest.delete(name);
        }
        const affected = affectedFixtures([...pending], read);
        const { key } = cause.kind === "key" ? cause : { key: undefined };
        await play(key === undefined ? all.filter(({ name }) => affected.has(name)) : asked(key, all), all);
        if (key !== "f") pending.clear();
      },
    },
    interruption,
    context,
  );
  // A change that was not taken in, as one with a mistake, has not passed.
  return interruption.exitCode() ?? (pending.size === 0 && hasPassed([...latest.values()]) ? 0 : 1);

  /** All fixtures, or of each the tests that have not passed. */
  function asked(key: WatchKey, all: readonly AgentFixture[]): AgentFixture[] {
    if (key !== "f") return [...all];
    return all.map((fixture) => {
      const results = latest.get(fixture.name)?.results ?? [];
      const passed = new Set(
        results.filter(({ judgement }) => judgement.status === "pass").map(({ id }) => id),
      );
      return {
        ...fixture,
        tests: fixture.tests.filter(({ id, skip }) => skip === undefined && !passed.has(id)),
      };
    }).filter(({ tests }) => tests.length > 0);
  }
}

/** Tests that the options choose; parts and what failed last were for the first run. */
function chosenOf(read: ReadFixtures, options: FixtureOptions): AgentFixture[] {
  const problems = new Problems();
  const { fixtures } = withAgents(read.fixtures, options, problems);
  problems.throwIfAny("Cannot run agent tests");
  const { lastFailed: _last, shard: _part, shuffle: _order, ...suite } = options.suite;
  return chooseAgentTests(fixtures, suite, () => undefined).fixtures;
}

/** Latest result of each test of a fixture. */
function joined(fixture: AgentFixture, before: EndedFixture | undefined, now: EndedFixture): EndedFixture {
  const ran = new Set(now.fixture.tests.map(({ id }) => id));
  const kept =
    before?.results.filter(({ id }) => !ran.has(id) && fixture.tests.some((test) => test.id === id)) ?? [];
  return { ...now, fixture, results: [...kept, ...now.results] };
}

/** Files and folders that the run itself writes. */
const writtenBy = ({ out, page, reporters }: FixtureOptions): string[] =>
  [out, page, ...reporters.map(({ file }) => file)].filter((path) => path !== undefined).map((path) =>
    resolve(path)
  );
