/** Fixtures side by side: a session with an environment of its own for each. */
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type { FixtureRunRequest } from "../../../machines/model/fixture_run.ts";
import { fixtureRequest } from "../../agent_fixtures/run/fixture_request.ts";
import type { RanFixture } from "../../agent_fixtures/run/ran_fixture.ts";
import type { EndReport, Harness, PublishedEvent } from "../../api/harness.ts";
import { asPthError, type PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { holdLocks } from "../../registry/hold_locks.ts";
import type { CommandContext } from "../command.ts";
import { inParallel } from "../in_parallel.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import type { FixtureOptions } from "./fixture_options.ts";

/** A fixture that ran in a session of its own. */
export interface EndedFixture extends RanFixture {
  ended?: EndReport;
}

interface Ask {
  options: FixtureOptions;
  programs: NonNullable<FixtureRunRequest["programs"]>;
  context: CommandContext;
  interruption: Interruption;
  /** Takes what goes on in a fixture. */
  tell: (fixture: AgentFixture, fact: PublishedEvent) => void;
}

/** Runs them all, whatever stops one. @throws {PthError} `SESSION_LOCKED` where another session holds a plugin */
export async function runFixtures(fixtures: readonly AgentFixture[], ask: Ask): Promise<EndedFixture[]> {
  // Sessions of this command are beside one another.
  const release = await holdLocks(fixtures.map(({ plugin }) => plugin), ask.options);
  const before: EndedFixture[] = [];
  const { options: { suite: { retries, bail }, real }, programs } = ask;
  try {
    return await inParallel(fixtures, ask.options.workers, async (fixture) => {
      const request = fixtureRequest(fixture, { programs, retries, bail, real }, before);
      const ran = "reason" in request
        ? { fixture, results: [], notRun: fixture.tests.map(({ id }) => ({ id, reason: request.reason })) }
        : await runFixture(fixture, request, ask);
      before.push(ran);
      return ran;
    });
  } finally {
    await release();
  }
}

async function runFixture(
  fixture: AgentFixture,
  request: FixtureRunRequest,
  { options, context, interruption: { signal, race }, tell }: Ask,
): Promise<EndedFixture> {
  const ran: EndedFixture = { fixture, results: [], notRun: [] };
  const skipped = fixture.tests.filter(({ skip }) => skip !== undefined);
  if (skipped.length === fixture.tests.length) {
    return { ...ran, notRun: skipped.map(({ id, skip }) => ({ id, reason: skip! })) };
  }
  if (signal.aborted) return ran;
  const harness = await context.createHarness({
    announce: { command: "agent test", target: fixture.plugin, entry: fixture.name },
    keepsHistory: false,
  });
  const stopFollowing = harness.on((fact) => {
    if (fact.type === "agent_test.finished" && !fact.again) ran.results.push(fact.result);
    tell(fixture, fact);
  });
  try {
    const target = { target: fixture.plugin, beside: true };
    await race(harness.startSession(target, { signal, mode: "run", force: options.force }));
    const session = harness.session();
    await race(session.environment.provision(options.config, { signal }));
    if (options.load) await race(session.plugin.load({}, { signal, ...options.asking }));
    Object.assign(ran, await race(session.agents.test(request, { signal })));
  } catch (error) {
    if (!signal.aborted) ran.error = asPthError(error, `Cannot run the fixture ${fixture.name}`);
  }
  stopFollowing();
  return { ...ran, ...definedOnly(await end(harness, fixture, ran)) };
}

async function end(
  harness: Harness,
  { name }: AgentFixture,
  { error }: RanFixture,
): Promise<{ ended?: EndReport | undefined; error?: PthError | undefined }> {
  try {
    const ended = await harness.endSession({ keep: false });
    await harness.close();
    return { ended, error };
  } catch (failure) {
    return { error: error ?? asPthError(failure, `Cannot end the session of the fixture ${name}`) };
  }
}
