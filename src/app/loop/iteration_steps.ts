/** Slots of the iteration machine: what is no request to the session. */
import { join } from "node:path";
import {
  isRefusedFix,
  isReloadReport,
  type IterationDiagnosed,
  type IterationReloaded,
  remainingCauses,
} from "../../../machines/iteration/iteration_state.ts";
import type {
  ChooseTestsStep,
  ChosenTests,
  IterationSummary,
  LoadStepRequest,
  Proposed,
  ProposeStep,
  RecordStep,
  SettleLoadStep,
} from "../../../machines/iteration/iteration_setup.ts";
import type { FixRequest } from "../../../machines/model/fix.ts";
import type { IterationRecord, IterationRun } from "../../../machines/model/iteration.ts";
import type { PluginInfo } from "../../../machines/model/session.ts";
import type { ReloadReport } from "../../../machines/model/reload_report.ts";
import type { SuiteOptions } from "../../../machines/model/suite_options.ts";
import type { Fixer } from "../../api/fixer.ts";
import type { Session } from "../../api/harness.ts";
import { errorMessage } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { isLoadFailure, isOutOfReach, loadErrorText } from "../../diagnosis/load_failure.ts";
import { requestProposal } from "../../fixers/request_proposal.ts";
import { statusesOf, summarizeTestStatus } from "../../fixers/summarize_test_status.ts";
import { retryBudget } from "../../platform/retry.ts";
import { startLimit } from "../../plugin/start_limit.ts";
import { checkpointArgs } from "../fixes/checkpoint_command.ts";
import { checkedFix } from "../fixes/fix_commands.ts";
import { sessionRequests } from "../../../machines/session/session_requests.ts";
import { publicError } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { type LoopStepAccess, loopStepOf, Stopwatch } from "./loop_step.ts";

export function iterationSteps(contextOf: () => SessionParts) {
  const step = loopStepOf(contextOf);
  const watch = new Stopwatch();
  let before: BeforeLoad = { wasLoaded: false, tests: new Set() };
  return {
    inspect: step((access: LoopStepAccess, input: { run: IterationRun; changed: boolean }) => {
      watch.restart();
      const { plugin, tests } = access.session;
      before = {
        wasLoaded: plugin.status().plan !== undefined,
        tests: new Set(tests.list().map(({ id }) => id)),
      };
      return loadRequest(access, input, before);
    }),
    settleLoad: step(async (access: LoopStepAccess, input: SettleLoadStep): Promise<IterationReloaded> => ({
      ...await settleLoad(access, input, before),
      ms: watch.lap(),
    })),
    chooseTests: step(chooseTests),
    readStatus: step((
      { session: { tests } }: LoopStepAccess,
      { loadError }: { loadError: string | undefined },
    ) => ({
      standing: summarizeTestStatus(tests, loadError),
      statuses: statusesOf(tests),
      ms: watch.lap(),
    })),
    diagnose: step(async ({ session, signal }: LoopStepAccess, _input: void): Promise<IterationDiagnosed> => {
      watch.restart();
      return { diagnosis: await session.fixes.diagnose({}, { signal }), ms: watch.lap() };
    }),
    propose: step(async (access: LoopStepAccess, input: ProposeStep): Promise<Proposed> => {
      if (input.index === 0) watch.restart();
      const proposed = await propose(access, input);
      return { ...proposed, ms: proposed === undefined ? watch.lap() : 0 };
    }),
    summarize: step((access: LoopStepAccess, input: RecordStep) => summarize(access, input, watch)),
  };
}

/** Situation before the plugin is brought up. */
interface BeforeLoad {
  wasLoaded: boolean;
  /** Ids. */
  tests: ReadonlySet<string>;
}

/** Asks for a load where there was none; one that failed is loaded again as it was asked for, by a reload. */
function loadRequest(
  { live }: LoopStepAccess,
  { run, changed }: { run: IterationRun; changed: boolean },
  { wasLoaded }: BeforeLoad,
): LoadStepRequest | undefined {
  const runs = live.plugin.tools.length > 0 && live.plugin.loadFailure === undefined &&
    !live.code.line.isBehind;
  if (runs && !changed) return undefined;
  if (wasLoaded || live.plugin.loadFailure !== undefined) return { type: "session.reload_plugin" };
  live.limits.retries = retryBudget(undefined);
  return { type: "session.load_plugin", load: startLimit(run.suite) };
}

/**
 * Makes tests for new and changed tools. A plugin that does not come up is what the loop is for: why is told, not thrown,
 * unless it is out of a fix's reach.
 */
async function settleLoad(
  { session, signal }: LoopStepAccess,
  { run: { generate = true }, withFixes, request, loaded, failure }: SettleLoadStep,
  before: BeforeLoad,
): Promise<Omit<IterationReloaded, "ms">> {
  if (loaded === undefined) {
    const error = publicError(failure, `Cannot ${sessionRequests[request.type].action}`);
    if (!isLoadFailure(error) || isOutOfReach(error, withFixes)) throw error;
    return { newTests: 0, loadError: loadErrorText(error) };
  }
  const tools = changedTools(loaded);
  const touched = [...tools.added, ...tools.changed, ...tools.removed];
  // Of a plugin that did not run until now all tools are new.
  if (generate && (touched.length > 0 || request.type === "session.load_plugin")) {
    await session.tests.generate(before.wasLoaded ? { tools: touched } : {}, { signal });
  }
  return { tools, newTests: session.tests.list().filter(({ id }) => !before.tests.has(id)).length };
}

/** Changes of the tools; after a first load all are new. */
function changedTools(loaded: PluginInfo | ReloadReport): ReloadReport["tools"] {
  if (isReloadReport(loaded)) return loaded.tools;
  const names = loaded.tools.map(({ name }) => name);
  return { added: names, removed: [], changed: [], total: names.length };
}

/**
 * Ids of the tests, among those that the run is about, that failed last or never ran; undefined, for all tests, if
 * there are none.
 */
function failingAndNew(session: Session, about?: SuiteOptions): string[] | undefined {
  const { results } = session.tests.results();
  const settled = new Set(results.filter(({ status }) => status !== "failed").map(({ id }) => id));
  const ids = testsAbout(session, about).filter((id) => !settled.has(id));
  return ids.length === 0 ? undefined : ids;
}

/** Ids of the tests that a run is about: its choice, and all own tests that the session knows. */
function testsAbout(session: Session, about: SuiteOptions = {}): string[] {
  const own = session.tests.list().filter((test) => test.own !== undefined);
  const chosen = session.tests.list(about).filter((test) => test.own === undefined);
  return [...chosen, ...own].map(({ id }) => id);
}

/** Ids of the tests that a fix affects, that failed or are new; undefined where only all of them tell enough. */
async function affectedBy(
  { live, session, signal }: LoopStepAccess,
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
  const all = testsAbout(session, suite);
  const ids = all.filter((id) => affected.has(id));
  if (ids.length === 0 || ids.length === all.length) return undefined;
  live.progress.note(
    `${ids.length} of ${all.length} tests run again: those that the fix affects, and those that failed.`,
  );
  return ids;
}

async function chooseTests(
  access: LoopStepAccess,
  { phase, run, commits }: ChooseTestsStep,
): Promise<ChosenTests> {
  const { session, signal } = access;
  if (session.tests.list().length === 0) await session.tests.generate({}, { signal });
  const scope = phase === "confirming" ? "all" : run.scope ?? "all";
  const ids = scope === "all" ? undefined : scope === "failing" ? failingAndNew(session, run.suite) : scope;
  const affected = phase === "retesting" && ids === undefined
    ? await affectedBy(access, commits, run)
    : undefined;
  const suite = run.impact ? { ...run.suite, coverage: true } : run.suite;
  return { suite: { ...suite, ...definedOnly({ ids: ids ?? affected }) }, partial: affected !== undefined };
}

/** Gets the next fix as the session is asked for it. */
async function propose(
  { context, live, session, signal }: LoopStepAccess,
  step: ProposeStep,
): Promise<Pick<Proposed, "proposal" | "refused"> | undefined> {
  const { name, worktree, subfolder } = live.code.source!;
  const { run, number } = step;
  const asked = {
    ...step,
    plugin: { name, folder: join(worktree, subfolder) },
    fixerOf: (command: string): Fixer => (input, cancelled) =>
      session.fixes.propose(
        { command, input, ...definedOnly({ timeoutSeconds: run.fixerTimeoutSeconds }) },
        { signal: cancelled },
      ),
  };
  const proposal = await requestProposal(asked, signal);
  if (proposal === undefined) return undefined;
  if ("reason" in proposal) return { refused: proposal };
  try {
    return { proposal: checkedFix(context, { ...trailerOf(run), ...proposal, iteration: number }) };
  } catch (error) {
    if (!isRefusedFix(error)) throw error;
    return { refused: { title: proposal.title, reason: errorMessage(error) } };
  }
}

/**
 * Distribution for the trailer of a fixer's fix: the one on which it was asked. Fixes that a request gives name their
 * own.
 */
const trailerOf = ({ fixes, distro, distroOnly = false }: IterationRun): Pick<FixRequest, "distro"> =>
  fixes === undefined && distroOnly && distro !== undefined ? { distro } : {};

async function summarize(
  access: LoopStepAccess,
  { draft, records, groups }: RecordStep,
  watch: Stopwatch,
): Promise<IterationSummary> {
  const record: IterationRecord = {
    ...draft,
    at: new Date().toISOString(),
    health: await sampleHealth(access),
    timings: { ...draft.timings, record: watch.lap() },
  };
  const causes = remainingCauses(groups, draft.after);
  return { record, checkpoint: checkpointArgs(access.context, { records: [...records, record], causes }) };
}

/** An environment that cannot be asked is a problem of its own. */
async function sampleHealth({ session, signal }: LoopStepAccess): Promise<string[]> {
  try {
    return (await session.environment.health({ signal })).problems;
  } catch (error) {
    return [errorMessage(error)];
  }
}
