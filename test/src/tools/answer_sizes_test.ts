/** Answers about a plugin with very many failures stay small enough for a model to read. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import t from "tap";
import type { Diagnosis, DiagnosisReport } from "../../../machines/model/diagnosis.ts";
import type {
  IterationOutcome,
  IterationRecord,
  TestStatusSummary,
} from "../../../machines/model/iteration.ts";
import type { IterationStatus } from "../../../src/api/harness.ts";
import type { TestImpact } from "../../../machines/model/coverage.ts";
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import diagnoseFailure from "../../../src/tools/diagnosis_and_fixes/diagnose_failure.ts";
import getStatus from "../../../src/tools/iteration/get_iteration_status.ts";
import runLoop from "../../../src/tools/iteration/run_iteration_loop.ts";
import runIteration from "../../../src/tools/iteration/run_iteration.ts";
import fuzzTools from "../../../src/tools/testing/fuzz_tools.ts";
import generateTests from "../../../src/tools/testing/generate_tests.ts";
import getCoverage from "../../../src/tools/testing/get_coverage_report.ts";
import getImpact from "../../../src/tools/testing/get_test_impact.ts";
import getTestResults from "../../../src/tools/testing/get_test_results.ts";
import measure from "../../../src/tools/performance/run_performance_suite.ts";
import listTests from "../../../src/tools/testing/list_tests.ts";
import runTestSuite from "../../../src/tools/testing/run_test_suite.ts";
import { mostTokens } from "../../../src/server/answer_pages.ts";
import type { ToolAnswer } from "../../../src/tools/tool.ts";
import { wrongCalls } from "../../../scripts/checks/wrong_calls.ts";
import { toolContext } from "./tool_context.ts";
import { scriptedHarness, type ScriptedSession } from "../server/scripted_harness.ts";

/** Hosts cut or refuse what is longer: about 25,000 tokens. */
const mostCharacters = 100_000;
/** Tokens of a usual answer. */
const usualTokens = 400;

const ids = Array.from({ length: 300 }, (_, index) => `tool-${index}-accepts-its-smallest-valid-input`);

const diagnosis = (testId: string, index: number): Diagnosis => ({
  testId,
  testName: `tool_${index}: accepts its smallest valid input`,
  tool: `tool_${index}`,
  category: "runtime-exception",
  evidence: Array.from(
    { length: 4 },
    () => `the handler threw before it answered ${"at a place ".repeat(10)}`,
  ),
  error: `TypeError: rate is undefined\n${"    at handler (src/tools/handler.ts:7:3)\n".repeat(20)}`,
  input: { text: "x".repeat(200) },
  expected: { text: "y".repeat(200) },
  actual: { text: "z".repeat(200) },
  exchange: Array.from({ length: 4 }, () => ({ jsonrpc: "2.0", text: "m".repeat(1000) })),
  stderr: "stderr\n".repeat(200),
  places: [{ path: `src/tools/tool_${index}.ts`, line: 7 }],
  excerpts: [{ path: `src/tools/tool_${index}.ts`, from: 1, text: "const line = 1;\n".repeat(100) }],
  previousFixes: [],
  environment: { problems: [], processes: 3 },
});

const report: DiagnosisReport = {
  groups: ids.map((id, index) => ({
    id: `group-${index}`,
    category: "runtime-exception",
    cause: `rate is undefined in tool_${index}: ${"it is read before it is set. ".repeat(5)}`,
    place: { path: `src/tools/tool_${index}.ts`, line: 7 },
    testIds: [id],
  })),
  diagnoses: ids.map(diagnosis),
};
/** The same failures with one cause. */
const oneCause: DiagnosisReport = { ...report, groups: [{ ...report.groups[0]!, testIds: ids }] };

const standing: TestStatusSummary = {
  total: 320,
  passed: 20,
  skipped: 0,
  failing: ids.map((id) => ({ id, name: id.replaceAll("-", " "), tool: id, category: "runtime-exception" })),
};

const records: IterationRecord[] = Array.from({ length: 10 }, (_, index) => ({
  number: index + 1,
  at: "2026-01-01T00:00:00.000Z",
  before: standing,
  after: standing,
  mended: ids,
  broken: ids,
  groups: report.groups.map(({ id, cause }) => ({ id, cause, tests: 1 })),
  fixes: ids.map((id) => ({ commit: "c".repeat(40), title: `mend ${id}`, files: ["src/tools/a.ts"] })),
  refused: ids.map((id) => ({ title: `mend ${id}`, reason: "it exited with 1\n".repeat(20) })),
  newTests: 0,
  health: [],
  timings: {},
}));

const stopped: IterationOutcome = {
  state: "stopped",
  reason: "no_progress",
  iteration: 10,
  records,
  convergence: {
    trend: "plateau",
    progress: records.map(() => 20),
    totals: records.map(() => 320),
    total: 320,
    stale: 10,
    reason: "stuck",
  },
  standing,
  fixes: ids.map((id) => ({
    commit: "c".repeat(40),
    title: `mend ${id}`,
    body: "why ".repeat(100),
    type: "fix",
    tests: ids,
    files: ["src/tools/a.ts"],
    at: "2026-01-01T00:00:00.000Z",
  })),
};

const awaiting: IterationOutcome = {
  ...stopped,
  state: "awaiting_fixes",
  records: [],
  fixes: [],
  diagnosis: report,
};

const status: IterationStatus = {
  iteration: 10,
  phase: "idle",
  records,
  convergence: stopped.convergence,
  groups: report.groups,
  standing,
  timings: {},
  operations: {},
};

const summary = { total: 300, passed: 0, failed: 300, skipped: 0, flaky: 0, durationMs: 9000 };
const failed = ids.map((id, index): TestResult => ({
  id,
  name: id.replaceAll("-", " "),
  tier: 1,
  tool: `tool_${index}`,
  generatedFrom: "schema",
  status: "failed",
  category: "runtime-exception",
  message: `tool_${index}: success: ${"why it failed ".repeat(index)}\n  called with: ${"x".repeat(1000)}`,
  stderrTail: "stderr\n".repeat(200),
  findings: [{ severity: "warning", code: `code-${index}`, message: "it should not be so ".repeat(20) }],
  durationMs: 3,
  startedAt: 0,
}));
const skipped = failed.map((result): TestResult => ({ ...result, status: "skipped", note: result.message! }));
const tests = failed.map(({ id, name, tool }): TestCase => ({
  id,
  name,
  tier: 1,
  tool: tool!,
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "schema",
}));
const generated = {
  tests,
  findings: failed.flatMap(({ findings }) => findings),
  heldBack: tests.map(({ tool }) => ({ tool: tool!, reason: `its name says "${tool} does away with it"` })),
};

const percentiles = { count: 20, min: 1, p50: 2, p95: 3, p99: 4, max: 5 };
const performanceReport = {
  calls: 20,
  tools: tests.map(({ tool }) => ({
    tool: tool!,
    responseMs: percentiles,
    errors: 0,
    answerBytes: percentiles,
  })),
  outliers: [{ tool: "slow", dimension: "cpu", value: 9, usual: 1, message: "slow: cpu" }],
  unmeasured: tests.map(({ tool }) => ({ tool: tool!, reason: "it calls itself destructive" })),
  contextCost: { tokenizer: "o200k_base", list: { bytes: 1, tokens: 1 }, tools: [], answers: [] },
  notes: [],
  startedAt: 0,
  durationMs: 1,
};
const fuzzReport = {
  seed: 7,
  runs: 100,
  tools: tests.map(({ tool }) => ({ tool: tool!, calls: 100, accepted: 50, refused: 50 })),
  finds: tests.map((test): FuzzFind => ({
    tool: test.tool!,
    oracle: "crash",
    severity: "failure",
    signature: "exited",
    message: "it exited with 1\n".repeat(50),
    original: { text: "x".repeat(1000) },
    input: { text: "x".repeat(1000) },
    seed: 1,
    path: "0",
    shrinks: 3,
    shrinkMs: 1,
    confirmed: true,
    test,
    file: `/worktree/.pth/tests/fuzz/${test.id}.yaml`,
  })),
  heldBack: [],
  restarts: 300,
  durationMs: 1000,
};
const gaps = ids.map((_, at) =>
  ({
    path: `src/tool_${at}.ts`,
    line: at,
    endLine: at + 3,
    kind: "error branch",
    tool: `tool_${at}`,
  }) as const
);
const none = { covered: 1, total: 2 };
const coverage = {
  collector: "v8",
  files: gaps.map(({ path }) => ({ path, lines: { 1: 0, 2: 1 }, functions: [], branches: [], tools: [] })),
  totals: { lines: none, functions: none, branches: none },
  gaps,
  notes: [],
};
const impact: TestImpact = {
  source: "measured",
  tests: ids,
  changes: gaps.map(({ path, line }) => ({ path, lines: [line, line], tests: ids, reason: "they run it" })),
  unknown: [],
  notes: [],
};

const context = (commands: ScriptedSession) => toolContext(scriptedHarness({ commands }));

const answers: Record<string, () => Promise<ToolAnswer>> = {
  pth_run_iteration: () =>
    runIteration.run(
      {},
      context({
        loop: {
          run: () => Promise.resolve(awaiting),
        },
      }),
    ),
  pth_run_iteration_loop: () =>
    runLoop.run(
      { fixer: "mend", maxIterations: 10, patience: 3 },
      context({
        loop: {
          run: () => Promise.resolve(stopped),
        },
      }),
    ),
  pth_get_iteration_status: () =>
    getStatus.run(
      {},
      context({
        loop: {
          status: () => status,
        },
      }),
    ),
  "pth_diagnose_failure, many causes": () =>
    diagnoseFailure.run(
      {},
      context({
        fixes: {
          diagnose: () => Promise.resolve(report),
        },
      }),
    ),
  "pth_diagnose_failure, one cause": () =>
    diagnoseFailure.run(
      {},
      context({
        fixes: {
          diagnose: () => Promise.resolve(oneCause),
        },
      }),
    ),
};

/** Answers of which the text alone goes to a model, and which programs take whole. */
const texts: typeof answers = {
  "pth_run_test_suite, all different": () =>
    runTestSuite.run(
      {},
      context({
        tests: {
          runSuite: () => Promise.resolve({ summary, results: failed }),
        },
      }),
    ),
  "pth_run_test_suite, all skipped": () =>
    runTestSuite.run(
      {},
      context({
        tests: {
          runSuite: () => Promise.resolve({ summary, results: skipped }),
        },
      }),
    ),
  "pth_get_test_results": () =>
    getTestResults.run(
      {},
      context({
        tests: {
          results: () => ({ summary, results: failed, findings: [] }),
        },
      }),
    ),
  "pth_generate_tests": () =>
    generateTests.run(
      {},
      context({
        tests: {
          generate: () => Promise.resolve(generated),
        },
      }),
    ),
  "pth_run_performance_suite": () =>
    measure.run(
      {},
      context({
        plugin: {
          measurePerformance: () => Promise.resolve(performanceReport),
        },
      }),
    ),
  "pth_fuzz_tools": () =>
    fuzzTools.run(
      {},
      context({
        tests: {
          fuzz: () => Promise.resolve(fuzzReport),
        },
      }),
    ),
  "pth_get_coverage_report": () =>
    getCoverage.run(
      {},
      context({
        coverage: {
          report: () => coverage,
        },
      }),
    ),
  "pth_get_test_impact": () =>
    getImpact.run(
      {},
      context({
        coverage: {
          impact: () => Promise.resolve(impact),
        },
        tests: {
          list: () => tests,
        },
      }),
    ),
  "pth_list_tests": () =>
    listTests.run(
      {},
      context({
        tests: {
          list: () => tests,
          problems: () => [],
        },
      }),
    ),
};
for (const [name, ask] of Object.entries(answers)) {
  t.test(`${name}: 300 failing tests fit into one answer`, async (t) => {
    const { text, data } = await ask();
    const size = JSON.stringify(data).length;
    t.ok(size < mostCharacters, `${size} characters of data`);
    t.ok(countTokens(text) < mostTokens, `${countTokens(text)} tokens of text`);
    t.strictSame(wrongCalls(text), []);
  });
}

for (const [name, ask] of Object.entries(texts)) {
  t.test(`${name}: what is told of 300 tests is one page`, async (t) => {
    const tokens = countTokens((await ask()).text);
    t.ok(tokens < mostTokens, `${tokens} tokens`);
  });
}

/** Ten failures with three causes, as a server with a few mistakes has them. */
const few = ids.slice(0, 10);
const fewCauses: DiagnosisReport = {
  groups: [0, 1, 2].map((index) => ({
    ...report.groups[index]!,
    cause: "TypeError: Cannot read properties of undefined (reading 'rate')",
    testIds: few.filter((_, at) => at % 3 === index),
  })),
  diagnoses: few.map((id, index) => ({
    ...diagnosis(id, index),
    input: { text: "a" },
    expected: "12",
    actual: "13",
  })),
};
const fewStanding: TestStatusSummary = {
  ...standing,
  total: 40,
  passed: 30,
  failing: standing.failing.slice(0, 10),
};
const fewRecord: IterationRecord = {
  ...records[0]!,
  before: fewStanding,
  after: { ...fewStanding, passed: 39, failing: fewStanding.failing.slice(0, 1) },
  broken: [],
  fixes: [0, 1, 2].map((at) => ({
    commit: `${at}`.repeat(40),
    title: `guard rate ${at}`,
    files: [`src/tools/a${at}.ts`],
  })),
  refused: [],
};
const fewOutcome: IterationOutcome = {
  ...stopped,
  reason: "max_iterations",
  iteration: 1,
  records: [fewRecord],
  convergence: {
    ...stopped.convergence,
    trend: "improving",
    progress: [30, 39],
    totals: [40, 40],
    total: 40,
  },
  standing: fewRecord.after,
  fixes: [],
};

const usual: Record<string, () => Promise<ToolAnswer>> = {
  pth_diagnose_failure: () =>
    diagnoseFailure.run(
      {},
      context({
        fixes: {
          diagnose: () => Promise.resolve(fewCauses),
        },
      }),
    ),
  pth_run_iteration: () =>
    runIteration.run(
      {},
      context({
        loop: {
          run: () => Promise.resolve(fewOutcome),
        },
      }),
    ),
  pth_get_iteration_status: () =>
    getStatus.run(
      {},
      context({
        loop: {
          status: () => ({ ...status, ...fewOutcome, phase: "idle", groups: fewCauses.groups }),
        },
      }),
    ),
};

for (const [name, ask] of Object.entries(usual)) {
  t.test(`${name}: ten failures take few tokens`, async (t) => {
    const { text } = await ask();
    t.ok(countTokens(text) < usualTokens, `${countTokens(text)} tokens:\n${text}`);
    t.strictSame(wrongCalls(text), []);
  });
}

t.test("with detail a diagnosis names every cause and every test, with all that is kept of the first", async (t) => {
  const { text } = await diagnoseFailure.run(
    { detail: true },
    context({
      fixes: {
        diagnose: () => Promise.resolve(report),
      },
    }),
  );
  for (const { testName } of report.diagnoses) t.ok(text.includes(testName), testName);
  t.equal(text.split("const line = 1;").length - 1, 300 * 100, "source, uncut");
});
