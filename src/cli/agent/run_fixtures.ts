/** Fixtures side by side: a session with an environment of its own for each. */
import { addSpending, budgetLeft, nothingSpent, overBudget } from "../../../machines/budget/spending.ts";
import type { AgentFixture } from "../../../machines/model/agent_fixture.ts";
import type {
  AgentTestResult,
  FixtureRunRequest,
  FixtureRunResult,
} from "../../../machines/model/fixture_run.ts";
import type { EndReport, Harness, PublishedEvent } from "../../api/harness.ts";
import { asPthError, type PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { releaseLock, takeLock } from "../../registry/lock.ts";
import type { CommandContext } from "../command.ts";
import { inParallel } from "../in_parallel.ts";
import type { Interruption } from "../listen_for_interrupts.ts";
import type { FixtureOptions } from "./fixture_options.ts";

export interface RanFixture {
  fixture: AgentFixture;
  /** Results so far, also where something stopped it. */
  results: AgentTestResult[];
  notRun: FixtureRunResult["notRun"];
  /** Reason why it did not come to its end. */
  error?: PthError;
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
export async function runFixtures(fixtures: readonly AgentFixture[], ask: Ask): Promise<RanFixture[]> {
  const release = await lockPlugins(fixtures, ask.options.force);
  const before: RanFixture[] = [];
  try {
    return await inParallel(fixtures, ask.options.workers, async (fixture) => {
      const request = requestFor(fixture, ask, before);
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

/** One lock for each plugin: sessions of this command are beside one another. */
async function lockPlugins(
  fixtures: readonly AgentFixture[],
  force: boolean,
): Promise<() => Promise<void>> {
  const held: string[] = [];
  const sessionId = crypto.randomUUID().slice(0, 8);
  const release = async () => {
    for (const plugin of held) await releaseLock(plugin, sessionId);
  };
  try {
    for (const plugin of new Set(fixtures.map(({ plugin }) => plugin))) {
      await takeLock(plugin, { sessionId, force });
      held.push(plugin);
    }
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

/** The request, with what earlier fixtures have left of the failures and of the budget; or why it does not run. */
function requestFor(
  fixture: AgentFixture,
  { options: { suite, real }, programs }: Ask,
  before: readonly RanFixture[],
): FixtureRunRequest | { reason: string } {
  const earlier = before.flatMap(({ results }) => results);
  const failed = earlier.filter(({ judgement }) => judgement.status !== "pass").length;
  const left = suite.bail === undefined ? undefined : suite.bail - failed;
  if (left !== undefined && left <= 0) return { reason: `the run was to stop after ${suite.bail} failed` };
  const spent = earlier.reduce((sum, { session }) => addSpending(sum, session?.spent), nothingSpent);
  const over = overBudget(spent, real?.budget);
  if (over !== undefined) return { reason: over };
  const budget = real?.budget === undefined ? {} : { budget: budgetLeft(real.budget, spent) };
  return {
    fixture: { name: fixture.name },
    tests: fixture.tests,
    programs,
    retries: suite.retries ?? 0,
    ...(real === undefined ? {} : { real: { ...real, ...budget } }),
    ...(left === undefined ? {} : { bail: left }),
  };
}

async function runFixture(
  fixture: AgentFixture,
  request: FixtureRunRequest,
  { options, context, interruption: { signal, race }, tell }: Ask,
): Promise<RanFixture> {
  const ran: RanFixture = { fixture, results: [], notRun: [] };
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
