import type { LoadRequest } from "../../../machines/plugin_machine.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { PluginInfo, RunReport } from "../../../machines/model/session.ts";
import type { SessionResources } from "../../actors/session_resources.ts";
import type { ToolExample, Workflow } from "../../../machines/model/export.ts";
import type { PublishedEvent, RequestOptions } from "../../api/harness.ts";
import type { MeasuredSuite } from "../../testing/coverage/measured_suite.ts";
import type { SessionActor } from "../send_request.ts";
import type { RunHistory } from "../tests/run_history.ts";
import type { Problem } from "../../core/problems.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import type { MeasuredOf } from "../../../machines/model/session_state.ts";

export interface SessionContext {
  live: SessionResources;
  actor: SessionActor;
  /** Hears every fact; the answer unsubscribes. */
  on(listener: (fact: PublishedEvent) => void): () => void;
  plugin: PluginInfo | undefined;
  /** One that a reload stopped and could not start again. */
  lostPlugin?: PluginInfo | undefined;
  /** Callers of the requests under way, which can be asked, by request id. */
  readonly callers: Map<string, Pick<RequestOptions, "askConfig">>;
  /** The latest run of the loop. */
  loop?: Promise<unknown>;
  /** The latest request to verify distributions. */
  verifying?: Promise<unknown>;
  tests: TestCase[];
  /** Mistakes in the plugin's own test files; what is right beside them is among the tests. */
  testProblems?: Problem[];
  /** Texts of test files when they were last read for a run, by path. */
  testTexts?: Map<string, string>;
  /** Latest result of each test, by id. */
  results: Map<string, TestResult>;
  /** Reads the results of earlier runs on this host; absent where none are stored. */
  history?: () => Promise<RunHistory>;
  /** Seed of the latest run's order. */
  seed?: number;
  /** Results of suites whose coverage was measured. */
  covered?: MeasuredSuite;
  /** Findings about tool definitions, from generation. */
  findings: Finding[];
  /** Measurements made on request, for the report. */
  measurements?: Pick<RunReport, "tokenCost" | "performance" | "matrix">;
  /** Commits of the plugin that was measured. */
  measuredOf?: MeasuredOf;
  /** A real call of each tool, from a test that passed. */
  examples: Map<string, ToolExample>;
  /** Tests of several steps that passed, by id. */
  workflows: Map<string, Workflow>;
}

/** Progress callbacks that are in use: a request that makes another one does not report everything twice. */
const told = new WeakSet<NonNullable<RequestOptions["onProgress"]>>();

/** Tells the caller the steps while the work goes on. */
export async function withProgress<T>(
  { on }: Pick<SessionContext, "on">,
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
    } else if (fact.type === "verification.phase") {
      onProgress({ phase: "verification", message: `${fact.entry}: ${fact.phase}` });
    } else if (fact.type === "fix.committed") {
      onProgress({ phase: "fix", message: `${fact.fix.title} (${fact.fix.commit.slice(0, 10)})` });
    } else if (fact.type === "fix.refused") {
      onProgress({ phase: "fix", message: `no fix for ${fact.title}: ${fact.reason.split("\n", 1)[0]}` });
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
export const lastLoad = ({ actor }: Pick<SessionContext, "actor">): LoadRequest | undefined =>
  actor.getSnapshot().context.loaded.request;

/** Whether a run of the loop is under way. */
export const isLooping = ({ actor }: SessionContext): boolean =>
  actor.getSnapshot().matches({ open: { iteration: "running" } });

/** Whether a verification is under way. One that awaits fixes is not. */
export const isMatrixRunning = ({ actor }: SessionContext): boolean =>
  actor.getSnapshot().matches({ open: { verification: "running" } });
