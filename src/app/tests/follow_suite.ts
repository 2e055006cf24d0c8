/** Hears a suite's facts, stamps times on them, and keeps the results. */
import type { SessionFact } from "../../../machines/session_machine.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import type { Attempts } from "../../../machines/suite/attempts.ts";
import type { SuiteFact } from "../../../machines/suite/suite_events.ts";
import { workflowOf } from "../../export/docs/workflow.ts";
import { flakinessOf, flakinessText, suspicion } from "../../testing/run/flakiness.ts";
import stdoutIsProtocol from "../../testing/checks/stdout_is_protocol.ts";
import { joinNoise } from "../../testing/judge/join_noise.ts";
import { summarizeSuite } from "../../testing/report/results_verdict.ts";
import type { RunHistory } from "./run_history.ts";
import type { SessionParts } from "../session/session_parts.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import { betterExample, callsIn } from "../../export/docs/tools_section.ts";
import { runsOn } from "../../actors/tests/runs_on.ts";

interface SuiteFacts {
  workers: number;
  workersReason: string;
}

/** The plugin's own tests, each with its result, which is stored already. */
export interface FollowedOwnTests {
  tests: TestCase[];
  results: TestResult[];
  /** Framework that ran them, in words. */
  reason: string;
}

type Finished = Extract<SuiteFact, { type: "test.finished" }>;
type Retried = Extract<SuiteFact, { type: "test.retried" }>;

/** Results of `tests` alone: of those with the same id from earlier runs nothing is left once their suite began. */
export function followSuite(
  context: SessionParts,
  tests: TestCase[],
  facts: SuiteFacts,
  history?: Pick<RunHistory, "past">,
) {
  const { live, actor } = context;
  const results = context.results.latest;
  const byId = new Map(tests.map((test) => [test.id, test]));
  const begun = new Map<string, { startedAt: number; at: number; ended?: number }>();
  /** Results that are known and wait for the suite's end: noise on stdout is judged for all tests of a tool together. */
  const noisy = new Map<string, { test: TestCase; fact: Finished | undefined }>();
  /** Failures that their tests ran again after, or were to. */
  const failures = new Map<string, { verdict: Verdict; stderrTail?: string }>();
  const started = performance.now();

  const subscription = actor.on("*", (fact: SessionFact) => {
    if (fact.type === "suite.began") start();
    else if (fact.type === "test.started") {
      // A test that runs again was told before; its time is that of all its runs.
      if (begun.has(fact.testId)) return;
      begun.set(fact.testId, { startedAt: Date.now(), at: performance.now() });
      live.progress.publish({
        type: "test.started",
        test: byId.get(fact.testId)!,
        connection: fact.connectionId,
      });
    } else if (fact.type === "test.pending") {
      const begin = begun.get(fact.testId);
      if (begin) begin.ended = performance.now();
    } else if (fact.type === "test.finished") {
      record(byId.get(fact.testId)!, fact.verdict, fact);
    } else if (fact.type === "test.retried") {
      const { attempt, verdict } = fact;
      if (verdict.status === "failed") failures.set(fact.testId, { verdict, ...stderrOf(fact) });
      live.progress.publish({ type: "test.retried", test: byId.get(fact.testId)!, attempt, verdict });
    }
  });

  function record(test: TestCase, verdict: Verdict, fact?: Finished): void {
    const begin = begun.get(test.id);
    begun.delete(test.id);
    const result: TestResult = {
      ...verdict,
      ...flakiness(test, verdict, fact?.attempts),
      ...testIdentity(test),
      ...runsOn(live),
      durationMs: begin ? (begin.ended ?? performance.now()) - begin.at : 0,
      startedAt: begin?.startedAt ?? Date.now(),
      ...(fact?.connectionId === undefined ? {} : { connection: fact.connectionId }),
      ...(fact?.pid === undefined ? {} : { serverPid: fact.pid }),
      ...(fact && isFailure(verdict) ? stderrOf(fact) : {}),
      ...(isFailure(verdict) ? lastWords(test) : {}),
    };
    if (begin) live.progress.operations.note("test", result.durationMs);
    if (verdict.noise === undefined) return finished(test, result, fact);
    results.set(test.id, result);
    noisy.set(test.id, { test, fact });
  }

  function finished(test: TestCase, result: TestResult, fact: Finished | undefined): void {
    results.set(test.id, result);
    if (fact && result.status === "passed") keepExamples(test, fact);
    live.progress.publish({ type: "test.finished", test, result });
  }

  /** Joins noise: of each tool the first test that the session has fails, in whatever order they ran. */
  function finishNoisy(): void {
    const places = new Map(context.tests.all.map(({ id }, place) => [id, place]));
    const placeOf = (id: string) => places.get(id) ?? 0;
    const held = [...noisy.keys()].sort((one, other) => placeOf(one) - placeOf(other));
    const starts = {
      lines: live.evidence.startLines,
      fail: tests.some(({ id, check }) =>
        check === stdoutIsProtocol.name && results.get(id)?.status === "failed"
      ),
    };
    for (const result of joinNoise(held.map((id) => results.get(id)!), starts)) {
      const { test, fact } = noisy.get(result.id)!;
      finished(test, result, fact);
    }
    noisy.clear();
  }

  function lastWords({ id }: TestCase): { stderrTail?: string } {
    const { stderrTail } = failures.get(id) ?? {};
    return stderrTail === undefined ? {} : { stderrTail };
  }

  function keepExamples(test: TestCase, { observation }: Finished): void {
    for (const call of callsIn(test, observation)) {
      const example = betterExample(context.results.examples.get(call.tool), test, call, runsOn(live).commit);
      if (example) context.results.examples.set(call.tool, example);
    }
    const workflow = workflowOf(test);
    if (workflow) context.results.workflows.set(test.id, workflow);
  }

  /** Judges from this run and earlier ones whether a test whose outcomes differ is flaky. */
  function flakiness(
    test: TestCase,
    verdict: Verdict,
    attempts: Attempts | undefined,
  ): Pick<TestResult, "flakiness" | "note"> {
    const past = history?.past(test) ?? { runs: 0, failures: 0 };
    if (verdict.status === "flaky" && attempts) {
      const flakiness = flakinessOf(attempts, past);
      return { flakiness, note: flakinessText(flakiness) };
    }
    const doubt = suspicion(verdict.status, past);
    return doubt === undefined ? {} : { note: [verdict.note, doubt].filter(Boolean).join("; ") };
  }

  function stderrOf(fact: Finished | Retried): { stderrTail?: string } {
    const tail = fact.observation.loss?.stderrTail ??
      live.secrets.redact.text(live.connections.open.get(fact.connectionId ?? "")?.stderrTail() ?? "");
    return tail === "" ? {} : { stderrTail: tail.slice(-4000) };
  }

  function start(): void {
    for (const { id } of tests) {
      results.delete(id);
      context.results.workflows.delete(id);
    }
    live.evidence.forget(tests.map(({ id }) => id));
    live.environment.killsBefore = live.environment.resources?.health.oomKills ?? 0;
    live.progress.publish({ type: "suite.started", tests, ...facts });
  }

  /** Publishes own tests, which have all ended. */
  function tellOwn({ tests, results, reason }: FollowedOwnTests): void {
    live.progress.publish({ type: "suite.started", tests, workers: 0, workersReason: reason, own: true });
    tests.forEach((test, at) => live.progress.publish({ type: "test.finished", test, result: results[at]! }));
  }

  return {
    /** Closes the books: what did not run is skipped, saying why; what failed and was to run again has failed. */
    finish(reason: string, own?: FollowedOwnTests): { summary: SuiteSummary; results: TestResult[] } {
      const note = reason === "bailed" ? "not run: enough tests failed" : "not run: the suite was cancelled";
      for (const test of tests) {
        if (results.has(test.id)) continue;
        const failure = failures.get(test.id)?.verdict;
        if (failure) {
          record(test, { ...failure, note: [failure.note, unfinished].filter(Boolean).join("; ") });
        } else record(test, { status: "skipped", note, findings: [] });
      }
      finishNoisy();
      if (own !== undefined) tellOwn(own);
      const ended = [...tests.map(({ id }) => results.get(id)!), ...own?.results ?? []];
      const summary = summarizeSuite(ended, performance.now() - started);
      live.progress.publish({ type: "suite.finished", summary });
      return { summary, results: ended };
    },
    stop: () => subscription.unsubscribe(),
  };
}

/** Error of a failure whose retries, which might have shown that it is flaky, were cancelled. */
const unfinished = "the suite was cancelled before it ran again";

const isFailure = ({ status }: Verdict): boolean => status === "failed" || status === "flaky";

/** Identity of a result's test. */
export const testIdentity = ({ id, name, tier, tool, own, generatedFrom, file, line }: TestCase) => ({
  id,
  name,
  tier,
  generatedFrom,
  ...(tool === undefined ? {} : { tool }),
  ...(own === undefined ? {} : { own }),
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
});
