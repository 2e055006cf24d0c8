/** The recorded run with every optional part that a report may have. */
import type { ToolExercise } from "../../../../machines/model/tool_exercise.ts";
import type { CoverageReport, ImpactMap } from "../../../../machines/model/coverage.ts";
import type { ContractCheck, TokenCost } from "../../../../machines/model/contract.ts";
import type { Percentiles, PerformanceReport } from "../../../../machines/model/performance.ts";
import type { TestCase, TestStep } from "../../../../machines/model/test_case.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import type { FinishedRun } from "../../../../src/testing/reporter.ts";
import { finished, nasty, plugin, report, results, tests } from "./recorded_run.ts";

const step = (action: TestStep["action"], capture: Record<string, string> = {}): TestStep => ({
  action,
  expect: {},
  capture,
  verify: [],
  line: 3,
});

export const scenario: TestCase = {
  id: "order-and-pay",
  name: "order and pay",
  tier: 2,
  steps: [
    step({ kind: "call", tool: "order", input: { item: nasty } }, { order_id: "$.output.id" }),
    step({ kind: "call", tool: "pay", input: { order: "$order_id" } }),
    step({ kind: "read_resource", uri: "shop://receipts/1" }),
  ],
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: ["shop"],
  generatedFrom: "documentation",
  origin: "README.md:12",
};

export const scenarioResult: TestResult = {
  id: scenario.id,
  name: scenario.name,
  tier: 2,
  generatedFrom: "documentation",
  status: "failed",
  category: "wrong-output",
  message: "step 2 (pay): output_contains does not hold",
  expected: "paid\nin full\nthank you",
  actual: "paid\nin part\nthank you",
  findings: [],
  durationMs: 42,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 6),
  failedStep: 1,
};

const percentiles: Percentiles = { count: 20, min: 1, p50: 2.5, p95: 8, p99: 9, max: 10 };

export const coverage: CoverageReport = {
  collector: "v8",
  files: [
    {
      path: "src/echo.ts",
      lines: { 1: 1, 2: 4, 3: 4, 9: 0, 10: 0, 11: 0, 20: 0 },
      functions: [
        { name: "echo", line: 2, endLine: 3, hits: 4 },
        { name: "never", line: 9, endLine: 11, hits: 0 },
      ],
      branches: [{ line: 2, hits: [4, 0] }],
      tools: [{ tool: "echo", line: 1, endLine: 11 }],
    },
    { path: `src/${nasty}.ts`, lines: { 1: 2 }, functions: [], branches: [], tools: [] },
  ],
  totals: {
    lines: { covered: 4, total: 8 },
    functions: { covered: 1, total: 2 },
    branches: { covered: 1, total: 2 },
  },
  gaps: [{ path: "src/echo.ts", line: 9, endLine: 11, kind: "error branch", tool: "echo" }],
  notes: ["generated code is left out"],
};

export const impact: ImpactMap = {
  source: "measured",
  tests: {
    "echo-valid": [{ path: "src/echo.ts", ranges: [[1, 3]], functions: ["echo"] }],
    "order-and-pay": [{ path: "src/shop.ts", functions: [] }],
  },
  startup: [{ path: "src/main.ts", functions: ["main:1"] }],
  notes: [],
};

export const contract: ContractCheck = {
  baseline: ".pth/contract.json",
  changes: [{
    impact: "breaking",
    code: "required-field-added",
    path: "tools/echo/inputSchema/required",
    message: "echo: text is required now",
  }],
  breaking: 1,
  tools: 2,
};

export const tokenCost: TokenCost = {
  tokenizer: "o200k_base",
  list: { bytes: 4000, tokens: 900 },
  tools: [{ tool: "echo", bytes: 1000, tokens: 200 }, { tool: "store", bytes: 3000, tokens: 700 }],
  answers: [{ tool: "echo", calls: 20, medianTokens: 12, maxTokens: 80 }],
  instructions: { bytes: 10, tokens: 3 },
};

export const performance: PerformanceReport = {
  calls: 20,
  tools: [
    {
      tool: "echo",
      responseMs: percentiles,
      errors: 0,
      throughput: { callsPerSecond: 800, responseMs: percentiles, inFlight: 4 },
      cpuMsPerCall: 0.4,
      memoryPeakBytes: 40_000_000,
      memoryGrowthBytes: -2000,
      diskReadBytes: 0,
      diskWrittenBytes: 10,
      sideEffects: { files: 1, bytes: 10, rewritten: 0 },
      answerBytes: percentiles,
    },
    { tool: "store", responseMs: { ...percentiles, p95: 900 }, errors: 2, answerBytes: percentiles },
  ],
  outliers: [{
    tool: "store",
    dimension: "response time",
    value: 900,
    usual: 8,
    message: "store takes 900 ms where other tools take 8 ms",
  }],
  unmeasured: [{ tool: "wipe", reason: "held back: its name says that it deletes" }],
  contextCost: tokenCost,
  notes: ["cgroup v2 of the container"],
  startedAt: Date.UTC(2026, 0, 2, 3, 5, 0),
  durationMs: 3000,
};

const flaky: TestResult = {
  ...results[4]!,
  flakiness: { attempts: 4, failures: 1, rate: 0.25, runs: 40, confidence: 0.97 },
};

const exercise: ToolExercise[] = [
  { tool: "echo", state: "exercised" },
  { tool: "store", state: "failing", reason: nasty },
  { tool: "fetch", state: "refused", needs: "network", reason: "getaddrinfo ENOTFOUND example.com" },
  { tool: "wipe", state: "excluded", reason: 'its name says "wipe"' },
];

export const fullRun: FinishedRun = {
  ...finished,
  strict: true,
  shard: { index: 1, of: 2 },
  report: {
    ...report,
    tests: [...tests, scenario],
    results: [...results.slice(0, 4), flaky, scenarioResult],
    summary: { total: 6, passed: 2, failed: 2, skipped: 1, flaky: 1, durationMs: 1642 },
    exercise,
    coverage,
    impact,
    performance,
    tokenCost,
    plugin: { ...plugin, contract },
    seed: 42,
  },
};
