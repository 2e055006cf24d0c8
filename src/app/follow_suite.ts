/** Hears a suite's facts, stamps times on them, and keeps the results. */
import type { SessionFact } from "../../machines/session_machine.ts";
import type { TestFact } from "../../machines/test_machine.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult, Verdict } from "../../machines/model/test_result.ts";
import { betterExample } from "../handover/docs/example.ts";
import type { SessionContext } from "./session_context.ts";

interface SuiteFacts {
  workers: number;
  workersReason: string;
}

type Finished = Extract<TestFact, { type: "test.finished" }>;

/** Results of `tests` alone: of those with the same id from earlier runs nothing is left once `start` was called. */
export function followSuite(context: SessionContext, tests: TestCase[], facts: SuiteFacts) {
  const { live, actor, results } = context;
  const byId = new Map(tests.map((test) => [test.id, test]));
  const begun = new Map<string, { startedAt: number; at: number }>();
  const started = performance.now();

  const subscription = actor.on("*", (fact: SessionFact) => {
    if (fact.type === "test.started") {
      begun.set(fact.testId, { startedAt: Date.now(), at: performance.now() });
      live.publish({ type: "test.started", test: byId.get(fact.testId)!, connection: fact.connectionId });
    } else if (fact.type === "test.finished") {
      record(byId.get(fact.testId)!, fact.verdict, fact);
    }
  });

  function record(test: TestCase, verdict: Verdict, fact?: Finished): void {
    const begin = begun.get(test.id);
    begun.delete(test.id);
    const result: TestResult = {
      ...verdict,
      ...identity(test),
      durationMs: begin ? performance.now() - begin.at : 0,
      startedAt: begin?.startedAt ?? Date.now(),
      ...(fact?.connectionId === undefined ? {} : { connection: fact.connectionId }),
      ...(fact?.pid === undefined ? {} : { serverPid: fact.pid }),
      ...(fact && verdict.status === "failed" ? stderrOf(fact) : {}),
    };
    if (begin) live.operations.note("test", result.durationMs);
    results.set(test.id, result);
    if (fact && test.tool !== undefined && verdict.status === "passed") {
      const example = betterExample(context.examples.get(test.tool), test, fact.observation.outcome);
      if (example) context.examples.set(test.tool, example);
    }
    live.publish({ type: "test.finished", test, result });
  }

  function stderrOf(fact: Finished): { stderrTail?: string } {
    const tail = fact.observation.loss?.stderrTail ??
      live.redact.text(live.connections.get(fact.connectionId ?? "")?.stderrTail() ?? "");
    return tail === "" ? {} : { stderrTail: tail.slice(-4000) };
  }

  return {
    start(): void {
      for (const { id } of tests) results.delete(id);
      live.failures.forget(tests.map(({ id }) => id));
      live.captures.forget(tests.map(({ id }) => id));
      live.publish({ type: "suite.started", tests, ...facts });
    },
    /** Closes the books: what did not run is skipped, saying why. */
    finish(reason: string): { summary: SuiteSummary; results: TestResult[] } {
      const note = reason === "bailed"
        ? "not run: enough failures (--bail)"
        : "not run: the suite was cancelled";
      for (const test of tests) {
        if (!results.has(test.id)) record(test, { status: "skipped", note, findings: [] });
      }
      const own = tests.map(({ id }) => results.get(id)!);
      const summary = summarize(own, performance.now() - started);
      live.publish({ type: "suite.finished", summary });
      return { summary, results: own };
    },
    stop: () => subscription.unsubscribe(),
  };
}

const identity = ({ id, name, tier, tool, generatedFrom, file, line }: TestCase) => ({
  id,
  name,
  tier,
  generatedFrom,
  ...(tool === undefined ? {} : { tool }),
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
});

export function summarize(results: readonly TestResult[], durationMs: number): SuiteSummary {
  const count = (status: TestResult["status"]) => results.filter((result) => result.status === status).length;
  return {
    total: results.length,
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    flaky: count("flaky"),
    durationMs: Math.round(durationMs),
  };
}
