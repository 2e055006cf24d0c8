/** Results of a session's tests, and what was learned of the plugin from them. */
import type { ToolExample, Workflow } from "../../../machines/model/export.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { Finding, TestStatus } from "../../../machines/model/verdict.ts";

export class ResultStore {
  /** Latest result of each test, by id. */
  readonly latest = new Map<string, TestResult>();
  /** A real call of each tool, from a test that passed. */
  readonly examples = new Map<string, ToolExample>();
  /** Tests of several steps that passed, by id. */
  readonly workflows = new Map<string, Workflow>();
  /** Findings about tool definitions, from generation. */
  findings: Finding[] = [];
  /** Seed that the latest run's order was drawn from. */
  seed: number | undefined;

  /** Status of each test's latest result, by id. */
  statuses(): Map<string, TestStatus> {
    return new Map([...this.latest].map(([id, { status }]) => [id, status]));
  }
}
