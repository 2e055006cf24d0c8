/** Published events: the actors' facts, as clients and reporters receive them. */
import type { EvalRunResult } from "../../machines/model/eval_result.ts";
import type { FixRecord } from "../../machines/model/fix.ts";
import type { FixtureRunFact } from "../../machines/model/fixture_run.ts";
import type { Convergence, IterationRecord } from "../../machines/model/iteration.ts";
import type { EnvironmentInfo, PluginInfo, SessionInfo } from "../../machines/model/session.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import type { ProjectTestFact } from "../../machines/model/project_test_run.ts";
import type { SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import type { IterationPhase } from "../../machines/model/iteration.ts";
import type { MatrixPhase } from "../../machines/model/matrix.ts";
import type { Verdict } from "../../machines/model/verdict.ts";
import type { ReloadReport } from "../../machines/model/reload_report.ts";

/** Facts that reporters, the tool registry and recordings follow, in the order in which they happened. */
export type PublishedEvent =
  | { type: "harness.activated"; session: SessionInfo }
  | { type: "harness.deactivated" }
  | { type: "session.noted"; message: string; /** Over MCP in its place. */ mcp?: string }
  | { type: "step.started"; phase: string; message: string }
  | { type: "step.output"; phase: string; text: string }
  | { type: "step.finished"; phase: string; message: string; durationMs: number }
  | { type: "step.failed"; phase: string; error: unknown }
  | { type: "environment.provisioned"; environment: EnvironmentInfo }
  | { type: "plugin.loaded"; plugin: PluginInfo }
  | {
    type: "suite.started";
    tests: TestCase[];
    workers: number;
    workersReason: string;
    /** True for the plugin's own tests, which run on no server. */
    own?: boolean;
  }
  | { type: "test.started"; test: TestCase; connection: string }
  /** A run of a test ended, from 1, and the test runs again: `test.finished` tells what all its runs came to. */
  | { type: "test.retried"; test: TestCase; attempt: number; verdict: Verdict }
  | { type: "test.finished"; test: TestCase; result: TestResult }
  | { type: "suite.finished"; summary: SuiteSummary }
  /** Phase that the loop is in now. */
  | { type: "iteration.phase"; iteration: number; phase: IterationPhase }
  | { type: "fix.committed"; iteration: number; fix: FixRecord }
  | { type: "fix.refused"; iteration: number; title: string; reason: string }
  | { type: "plugin.reloaded"; reload: ReloadReport }
  /** A distribution is provisioned, tested or fixed for the matrix. */
  | { type: "matrix.phase"; entry: string; phase: MatrixPhase }
  /** A run of a case of evals ended: `done` of `total` of those of all cases. */
  | {
    type: "eval.finished";
    name: string;
    run: number;
    runs: number;
    result: EvalRunResult;
    done: number;
    total: number;
  }
  | { type: "iteration.recorded"; record: IterationRecord; convergence: Convergence }
  | FixtureRunFact
  | ProjectTestFact;
