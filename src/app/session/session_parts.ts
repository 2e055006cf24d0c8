import type { LoadRequest } from "../../../machines/plugin_machine.ts";
import type { PromptAgent } from "../../../machines/model/prompt_agent.ts";
import type { PluginInfo, SessionTarget } from "../../../machines/model/session.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import { MeasurementStore } from "../tests/measurement_store.ts";
import { ResultStore } from "../tests/result_store.ts";
import { TestCollection } from "../tests/test_collection.ts";
import type { PublishedEvent, RequestOptions, Session } from "../../api/harness.ts";
import type { SessionActor } from "../send_request.ts";
import type { RunHistory } from "../tests/run_history.ts";

/** Parts of an open session that its commands share: resources, actor, tests, results. */
export interface SessionParts {
  live: SessionResources;
  actor: SessionActor;
  /** Hears every fact; the answer unsubscribes. */
  on(listener: (fact: PublishedEvent) => void): () => void;
  /** Callers of the requests under way, which can be asked, by request id. */
  readonly callers: Map<string, Pick<RequestOptions, "askConfig">>;
  readonly tests: TestCollection;
  readonly results: ResultStore;
  readonly measurements: MeasurementStore;
  /** Agent that works on tests with a prompt where a request names none. */
  readonly promptAgent: { current: PromptAgent | undefined };
  /** Reads the results of earlier runs on this host; absent where none are stored. */
  history?: () => Promise<RunHistory>;
  /** Absent in sessions that can be opened next to no other: those of the exported runner. */
  openSideSession?: OpenSideSession;
}

/**
 * Opens a session next to this one (a copy, an environment and a server of its own) for some work, and ends it after that.
 * @throws {PthError} what starting a session fails with, and what `work` throws
 */
export type OpenSideSession = <Result>(
  target: SessionTarget,
  work: (session: Session) => Promise<Result>,
  options?: { signal?: AbortSignal },
) => Promise<Result>;

/** Makes the empty stores of a session's tests. */
export const testStores = (): Pick<SessionParts, "tests" | "results" | "measurements" | "promptAgent"> => ({
  tests: new TestCollection(),
  results: new ResultStore(),
  measurements: new MeasurementStore(),
  promptAgent: { current: undefined },
});

/** Progress callbacks that are in use: a request that makes another one does not report everything twice. */
const told = new WeakSet<NonNullable<RequestOptions["onProgress"]>>();

/** Tells the caller the steps while the work goes on. */
export async function withProgress<T>(
  { on }: Pick<SessionParts, "on">,
  { onProgress }: RequestOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (!onProgress || told.has(onProgress)) return await work();
  told.add(onProgress);
  let total = 0;
  let done = 0;
  const stop = on((fact) => {
    if (fact.type === "step.started") onProgress({ phase: fact.phase, message: fact.message });
    else if (fact.type === "step.output") {
      const line = fact.text.trim().split("\n").at(-1);
      if (line) onProgress({ phase: fact.phase, message: line.slice(0, 200) });
    } else if (fact.type === "suite.started") {
      total = fact.tests.length;
      done = 0;
    } else if (fact.type === "iteration.phase") {
      onProgress({ phase: "iteration", message: `iteration ${fact.iteration}: ${fact.phase}` });
    } else if (fact.type === "matrix.phase") {
      onProgress({ phase: "matrix", message: `${fact.entry}: ${fact.phase}` });
    } else if (fact.type === "eval.finished") {
      const { name, result: { status }, done, total } = fact;
      onProgress({ phase: "evals", message: `${name}: ${status}`, done, total });
    } else if (fact.type === "agent_test.finished") {
      const { fixture, id, result: { judgement }, again } = fact;
      const message = `${fixture}/${id}: ${judgement.status}${again ? ", runs again" : ""}`;
      onProgress({ phase: "agent tests", message, ...(again ? {} : { done: ++done }) });
    } else if (fact.type === "fix.committed") {
      onProgress({ phase: "fix", message: `${fact.fix.title} (${fact.fix.commit.slice(0, 10)})` });
    } else if (fact.type === "fix.refused") {
      onProgress({ phase: "fix", message: `no fix for ${fact.title}: ${fact.reason.split("\n", 1)[0]}` });
    } else if (fact.type === "project_test.finished") {
      const { test: { name, status }, done, total } = fact;
      onProgress({
        phase: "tests",
        message: `${name}: ${status}`,
        done,
        ...(total === undefined ? {} : { total }),
      });
    } else if (fact.type === "test.finished") {
      onProgress({ phase: "suite", message: fact.test.name, done: ++done, total });
    }
  });
  try {
    return await work();
  } finally {
    stop();
    told.delete(onProgress);
  }
}

/** Request of the latest load, without its values of variables; undefined before the first. */
export const lastLoad = ({ actor }: Pick<SessionParts, "actor">): LoadRequest | undefined =>
  actor.getSnapshot().context.loaded.request;

/** The plugin that runs, as its latest load or reload left it. */
export const loadedPlugin = ({ actor }: Pick<SessionParts, "actor">): PluginInfo | undefined =>
  actor.getSnapshot().context.plugin?.getSnapshot().context.running;

/** Whether a run of the loop is under way. */
export const isLooping = ({ actor }: SessionParts): boolean =>
  actor.getSnapshot().matches({ open: { iteration: "running" } });

/** Whether a matrix run is under way. One that awaits fixes is not. */
export const isMatrixRunning = ({ actor }: SessionParts): boolean =>
  actor.getSnapshot().matches({ open: { matrix: "running" } });
