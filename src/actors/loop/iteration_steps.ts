/** Slots of the iteration machine: each step of the loop is a request to the session like any other. */
import { join } from "node:path";
import {
  type IterationDiagnosed,
  type IterationFixed,
  type IterationReloaded,
  type IterationTested,
  remainingCauses,
} from "../../../machines/iteration/iteration_state.ts";
import type { FixStep, RecordStep, ReloadStep, RunTestsStep } from "../../../machines/iteration_machine.ts";
import { assessConvergence, isGreen } from "../../../machines/iteration/assess_convergence.ts";
import type { FixRecord, FixRequest } from "../../../machines/model/fix.ts";
import type { IterationRecord, IterationRun } from "../../../machines/model/iteration.ts";
import type { TestFilter } from "../../../machines/model/suite_options.ts";
import { isLoadFailure, isOutOfReach, loadErrorText } from "../../diagnosis/load_failure.ts";
import { asPthError, type ErrorCode, errorMessage } from "../../core/errors.ts";
import type { RequestOptions, Session } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import type { Fixer } from "../../api/fixer.ts";
import { requestProposals } from "../../fixers/request_proposals.ts";
import { statusesOf, summarizeTestStatus } from "../../fixers/summarize_test_status.ts";
import { startLimit } from "../../plugin/start_limit.ts";
import type { GetSession } from "../promise_actor.ts";
import { type StepAccess, stepsOf, timed } from "./session_steps.ts";

export function iterationSteps(stage: GetSession, commands: () => Session, stepOf: () => string) {
  const step = stepsOf(stage, commands, stepOf, "the iteration");
  return {
    test: step(timed(test)),
    diagnose: step(timed(diagnose)),
    fix: step(timed(fix)),
    reload: step(timed(reload)),
    record: step(record),
  };
}

async function test(
  access: StepAccess,
  { phase, run, commits = [] }: RunTestsStep,
): Promise<Omit<IterationTested, "ms">> {
  const { live, session, asking } = access;
  if (live.plugin.tools.length === 0 || live.plugin.loadFailure !== undefined || live.code.line.isBehind) {
    const { loadError } = await bringIn(access, run, { withFixes: run.fixes !== undefined });
    if (loadError !== undefined) {
      return { standing: summarizeTestStatus(session.tests, loadError), statuses: statusesOf(session.tests) };
    }
  }
  if (session.tests.list().length === 0) await session.tests.generate({}, asking);
  const scope = phase === "confirming" ? "all" : run.scope ?? "all";
  const ids = scope === "all" ? undefined : scope === "failing" ? failingAndNew(session, run.suite) : scope;
  const affected = phase === "retesting" && ids === undefined
    ? await affectedBy(access, commits, run)
    : undefined;
  const chosen = ids ?? affected;
  const suite = run.impact ? { ...run.suite, coverage: true } : run.suite;
  await session.tests.runSuite({ ...suite, ...(chosen === undefined ? {} : { ids: chosen }) }, asking);
  return {
    standing: summarizeTestStatus(session.tests),
    statuses: statusesOf(session.tests),
    ...(affected === undefined ? {} : { partial: true }),
  };
}

/**
 * Ids of the tests, among those that the run is about, that failed last or never ran; undefined, for all tests, if
 * there are none.
 */
function failingAndNew(session: Session, about?: TestFilter): string[] | undefined {
  const { results } = session.tests.results();
  const settled = new Set(results.filter(({ status }) => status !== "failed").map(({ id }) => id));
  const ids = session.tests.list(about).map(({ id }) => id).filter((id) => !settled.has(id));
  return ids.length === 0 ? undefined : ids;
}

/** Ids of the tests that a fix affects, that failed or are new; undefined where only all of them tell enough. */
async function affectedBy(
  { live, session, signal }: StepAccess,
  commits: readonly string[],
  { impact = true, suite }: IterationRun,
): Promise<string[] | undefined> {
  if (!impact || session.report().impact?.source !== "measured") return undefined;
  const changes = [await session.coverage.impact({}, { signal })];
  for (const commit of commits) changes.push(await session.coverage.impact({ commit }, { signal }));
  const unknown = [...new Set(changes.flatMap((change) => change.unknown))];
  if (unknown.length > 0) {
    live.progress.note(`All tests run again: which of them ${unknown.join(", ")} affects is not known.`);
    return undefined;
  }
  const affected = new Set(changes.flatMap(({ tests }) => tests));
  for (const id of failingAndNew(session, suite) ?? []) affected.add(id);
  const all = session.tests.list(suite).map(({ id }) => id);
  const ids = all.filter((id) => affected.has(id));
  if (ids.length === 0 || ids.length === all.length) return undefined;
  live.progress.note(
    `${ids.length} of ${all.length} tests run again: those that the fix affects, and those that failed.`,
  );
  return ids;
}

async function diagnose(
  access: StepAccess,
  _input: { number: number },
): Promise<Omit<IterationDiagnosed, "ms">> {
  return { diagnosis: await access.session.fixes.diagnose({}, { signal: access.signal }) };
}

/** Codes of a fix that is refused for what it is; others say that no fix can be made now. */
const refusals: ReadonlySet<ErrorCode> = new Set(["EDIT_FAILED", "INVALID_INPUT", "UNSUPPORTED"]);

async function fix(access: StepAccess, step: FixStep): Promise<Omit<IterationFixed, "ms">> {
  const { live, session, signal, asking } = access;
  const { number } = step;
  const fixes: FixRecord[] = [];
  const refused: IterationRecord["refused"] = [];
  const refuse = (title: string, reason: string) => {
    refused.push({ title, reason });
    live.progress.publish({ type: "fix.refused", iteration: number, title, reason });
  };
  const { name, worktree, subfolder } = live.code.source!;
  const asked = {
    ...step,
    plugin: { name, folder: join(worktree, subfolder) },
    fixerOf: (command: string): Fixer => (input, cancelled) =>
      session.fixes.propose({
        command,
        input,
        ...(step.run.fixerTimeoutSeconds === undefined
          ? {}
          : { timeoutSeconds: step.run.fixerTimeoutSeconds }),
      }, { signal: cancelled }),
  };
  for await (const proposal of requestProposals(asked, signal)) {
    signal.throwIfAborted();
    if ("reason" in proposal) {
      refuse(proposal.title, proposal.reason);
      continue;
    }
    try {
      const applied = await apply(session, { ...trailerOf(step.run), ...proposal }, number, asking);
      fixes.push(applied);
      live.progress.publish({ type: "fix.committed", iteration: number, fix: applied });
    } catch (error) {
      if (!refusals.has(asPthError(error).code)) throw error;
      refuse(proposal.title, errorMessage(error));
    }
  }
  return { fixes, refused };
}

/**
 * Distribution for the trailer of a fixer's fix: the one on which it was asked. Fixes that a request gives name their
 * own.
 */
const trailerOf = ({ fixes, distro, distroOnly = false }: IterationRun): Pick<FixRequest, "distro"> =>
  fixes === undefined && distroOnly && distro !== undefined ? { distro } : {};

const apply = async (session: Session, request: FixRequest, iteration: number, asking: RequestOptions) =>
  (await session.fixes.apply({ ...request, iteration }, asking)).fix;

async function reload(
  access: StepAccess,
  { run }: ReloadStep,
): Promise<Omit<IterationReloaded, "ms">> {
  return await bringIn(access, run, { withFixes: true });
}

/**
 * Makes the plugin run as the branch has it, and makes tests for its new and changed tools.
 * A plugin that does not come up is what the loop is for: why is told, not thrown, unless it is out of a fix's reach.
 */
async function bringIn(
  { live, session, asking }: StepAccess,
  { generate = true, suite }: IterationRun,
  { withFixes }: { withFixes: boolean },
): Promise<Omit<IterationReloaded, "ms">> {
  const before = new Set(session.tests.list().map(({ id }) => id));
  const newTests = () => session.tests.list().filter(({ id }) => !before.has(id)).length;
  const wasLoaded = session.plugin.status().plan !== undefined;
  const loading = definedOnly({ ...asking, askConfig: live.questions.ask });
  try {
    // One that failed to load is loaded again as it was asked for, by a reload.
    if (!wasLoaded && live.plugin.loadFailure === undefined) {
      const { tools } = await session.plugin.load(startLimit(suite), loading);
      if (generate) await session.tests.generate({}, asking);
      const names = tools.map(({ name }) => name);
      const delta = { added: names, removed: [], changed: [], total: names.length };
      return { tools: delta, newTests: newTests() };
    }
    const report = await session.plugin.reload(loading);
    live.progress.publish({ type: "plugin.reloaded", reload: report });
    const { added, changed, removed } = report.tools;
    const touched = [...added, ...changed, ...removed];
    const asked = wasLoaded ? { tools: touched } : {};
    if (generate && touched.length > 0) await session.tests.generate(asked, asking);
    return { tools: report.tools, newTests: newTests() };
  } catch (error) {
    const failure = asPthError(error);
    if (!isLoadFailure(failure) || isOutOfReach(failure, withFixes)) throw error;
    return { newTests: 0, loadError: loadErrorText(failure) };
  }
}

async function record(access: StepAccess, { draft, records, groups }: RecordStep): Promise<IterationRecord> {
  const { live, session } = access;
  const started = performance.now();
  if (isGreen(draft.after)) await dropGates(access);
  const health = await sampleHealth(access);
  const ms = () => Math.round(performance.now() - started);
  const finished: IterationRecord = {
    ...draft,
    at: new Date().toISOString(),
    health,
    timings: { ...draft.timings, record: ms() },
  };
  const all = [...records, finished];
  const causes = remainingCauses(groups, draft.after);
  await session.loop.checkpoint({ records: all, causes });
  live.progress.publish({
    type: "iteration.recorded",
    record: finished,
    convergence: assessConvergence(all, causes),
  });
  return finished;
}

/** Removes the snapshots from before the fixes: once all tests pass, they are not rolled back to. */
async function dropGates({ live, session }: StepAccess): Promise<void> {
  for (const commit of [...live.snapshots.beforeFixes.keys()]) await session.fixes.dropSnapshot(commit);
}

/** An environment that cannot be asked is a problem of its own. */
async function sampleHealth({ session, signal }: StepAccess): Promise<string[]> {
  try {
    return (await session.environment.health({ signal })).problems;
  } catch (error) {
    return [errorMessage(error)];
  }
}
