/**
 * A session with a plugin of 15 tools and 150 tests, of which none, 10 or 60 fail, as plain values: what answers usually are.
 * The token table (docs/tokens.md) and tests of answers are made with it.
 */
import type { Diagnosis, DiagnosisReport } from "../../../machines/model/diagnosis.ts";
import type { EnvironmentInfo, PluginInfo } from "../../../machines/model/session.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { IterationOutcome, TestStatusSummary } from "../../../machines/model/iteration.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import type { FailureCategory } from "../../../machines/model/verdict.ts";
import type { ScriptedSession } from "./scripted_harness.ts";

interface Cause {
  category: FailureCategory;
  tools: string[];
  message: string;
  path: string;
  line: number;
  code: string;
  says: string;
}

const causes: Cause[] = [
  {
    category: "runtime-exception",
    tools: ["stock_of", "shelf_of", "free_stock"],
    message:
      `success: expected success, got an error: "Cannot read properties of undefined (reading 'count')"`,
    path: "src/stock.ts",
    line: 10,
    code: "const entry = shelves[item].count;",
    says: "a stack trace names the place: Cannot read properties of undefined (reading 'count')",
  },
  {
    category: "wrong-output",
    tools: ["next_day", "due_date", "month_of"],
    message:
      'output_equals: output is not the text expected\n  expected: "2026-03-15"\n  actual:   "2026-04-15"',
    path: "src/dates.ts",
    line: 31,
    code: "return new Date(Date.UTC(year, month, day));",
    says: "the output is not the one that is expected",
  },
  {
    category: "schema-violation",
    tools: ["item_label", "pallet_label"],
    message: '/lines must be integer\n  answer: {"structuredContent":{"lines":"2 lines","text":"chair"}}',
    path: "src/labels.ts",
    line: 18,
    code: "return { lines: `${lines.length} lines`, text };",
    says: "the answer breaks the tool's outputSchema",
  },
  {
    category: "wrong-output",
    tools: ["net_price", "gross_price", "half_price", "double_price"],
    message: 'success: expected success, got an error: "rates is not defined"',
    path: "src/money.ts",
    line: 7,
    code: "return Math.round(cents * rates[currency]);",
    says: "the handler answers an error where success is expected: rates is not defined",
  },
  {
    category: "dependency-error",
    tools: ["two_columns"],
    message: `success: expected success, got an error: "Cannot find package 'column-aligner'"`,
    path: "src/tables.ts",
    line: 3,
    code: 'import { align } from "column-aligner";',
    says: "a package is missing: column-aligner",
  },
];

const toolNames = [...causes.flatMap(({ tools }) => tools), "days_until", "price_in_cents"];

const cases = [
  "valid, required only",
  "valid, every property",
  "boundary, smallest",
  "boundary, largest",
  "refuses a missing property",
  "refuses a wrong type",
  "refuses null",
  "refuses an extra property",
  "refuses a value outside its enum",
  "of the first example in the README",
];

const typicalTests: TestCase[] = toolNames.flatMap((tool) =>
  cases.map((what): TestCase => ({
    id: `${tool} ${what}`.toLowerCase().replaceAll(/[^a-z]+/g, "-"),
    name: `${tool} - ${what}`,
    tier: 1,
    tool,
    input: { item: "lamp" },
    expect: { success: true },
    verify: [],
    setup: [],
    teardown: [],
    tags: [],
    generatedFrom: "schema",
  }))
);

const commit = "4f2a9c1e".repeat(5);
const callsNames = (message: string) => `${message}\n  called with: {"item":"lamp"}`;

function resultsOf(failures: number): TestResult[] {
  const used = failures <= 10 ? causes.slice(0, 3) : causes;
  const skips = failures / 2;
  const failing = typicalTests.filter(({ tool }) => used.some(({ tools }) => tools.includes(tool!)));
  const failed = new Set(
    failing.filter((_, at) => at % Math.floor(failing.length / failures) === 0)
      .slice(0, failures),
  );
  const skipped = new Set(failing.filter((test) => !failed.has(test)).slice(0, skips));
  return typicalTests.map((test): TestResult => {
    const { id, name, tier, tool = "", generatedFrom } = test;
    const result = { id, name, tier, tool, generatedFrom, findings: [], durationMs: 8, startedAt: 0, commit };
    const cause = used.find(({ tools }) => tools.includes(tool));
    if (failed.has(test)) {
      const { category, message } = cause!;
      const stderrTail = "TypeError: it failed\n    at handler (file:///plugin/src/a.js:7:3)\n".repeat(20);
      return {
        ...result,
        status: "failed",
        category,
        message: callsNames(`${tool}: ${message}`),
        stderrTail,
      };
    }
    if (skipped.has(test)) {
      return {
        ...result,
        status: "skipped",
        note: `inconclusive: its control call was refused: ${cause!.says}`,
      };
    }
    return { ...result, status: "passed" };
  });
}

const summaryOf = (results: readonly TestResult[]): SuiteSummary => {
  const of = (status: TestResult["status"]) => results.filter((one) => one.status === status).length;
  return {
    total: results.length,
    passed: of("passed"),
    failed: of("failed"),
    skipped: of("skipped"),
    flaky: 0,
    durationMs: 2300,
  };
};

function diagnosisOf(results: readonly TestResult[]): DiagnosisReport {
  const failed = results.filter(({ status }) => status === "failed");
  const groups = causes.flatMap(({ category, tools, path, line, says }, index) => {
    const testIds = failed.filter(({ tool }) => tools.includes(tool!)).map(({ id }) => id);
    if (testIds.length === 0) return [];
    return [{ id: `${category}-${index}a7c2e`, category, cause: says, place: { path, line }, testIds }];
  });
  const diagnoses = failed.map(({ id, name, tool, category, message }): Diagnosis => {
    const { path, line, code, says } = causes.find(({ tools }) => tools.includes(tool!))!;
    return {
      testId: id,
      testName: name,
      ...(tool === undefined ? {} : { tool }),
      category: category!,
      evidence: [says, `${tool} answered it in 3 of 3 calls`],
      error: message!,
      input: { item: "lamp" },
      exchange: [],
      stderr: "TypeError: it failed\n    at handler (file:///plugin/src/a.js:7:3)\n",
      places: [{ path, line, name: "handler" }],
      excerpts: [{ path, from: line - 2, text: `function handler({ item }) {\n  // ${tool}\n  ${code}\n}` }],
      previousFixes: [],
      environment: { problems: [], processes: 4 },
    };
  });
  return { groups, diagnoses };
}

const standingOf = (results: readonly TestResult[]): TestStatusSummary => ({
  total: results.length,
  passed: results.filter(({ status }) => status === "passed").length,
  skipped: results.filter(({ status }) => status === "skipped").length,
  failing: results.filter(({ status }) => status === "failed").map(({ id, name, tool, category }) => ({
    id,
    name,
    ...(tool === undefined ? {} : { tool }),
    ...(category === undefined ? {} : { category }),
  })),
});

/** One turn of the loop with a fix of each root cause, after which all tests pass; without failures there was nothing to fix. */
function iterationOf(results: readonly TestResult[]): IterationOutcome {
  const before = standingOf(results);
  const total = results.length;
  const after: TestStatusSummary = { total, passed: total, skipped: 0, failing: [] };
  const { groups } = diagnosisOf(results);
  const fixes = groups.map(({ cause, place, testIds, category }): FixRecord => ({
    commit,
    type: "fix",
    title: `mend ${place!.path}`,
    body: cause,
    tests: testIds,
    category,
    iteration: 1,
    files: [place!.path],
    changed: { added: 1, removed: 1 },
    at: "2026-01-01T00:00:00Z",
  }));
  return {
    state: "green",
    iteration: 1,
    records: [{
      number: 1,
      at: "2026-01-01T00:00:00Z",
      before,
      after,
      mended: before.failing.map(({ name }) => name),
      broken: [],
      groups: groups.map(({ id, cause, testIds }) => ({ id, cause, tests: testIds.length })),
      fixes: fixes.map(({ title, files }) => ({ commit, title, files })),
      refused: [],
      tools: { added: [], removed: [], changed: [], total: toolNames.length },
      newTests: 0,
      health: [],
      timings: { fix: 120, reload: 900, retest: 2300 },
    }],
    convergence: {
      trend: "green",
      progress: [before.passed, total],
      totals: [total, total],
      total,
      stale: 0,
      reason: "no test fails",
    },
    standing: after,
    fixes,
  };
}

const environment: EnvironmentInfo = {
  handle: {
    environmentId: "a1b2c3-e1",
    sessionId: "a1b2c3",
    runtime: "docker",
    tier: 1,
    image: "pth-base-debian12",
    sourcePath: "/plugin",
    state: {},
  },
  state: {
    runtime: "docker",
    tier: 1,
    image: "pth-base-debian12",
    status: "running",
    hostname: "pth-e1",
    os: "Debian GNU/Linux 12 (bookworm)",
    kernel: "6.1.0",
    sourcePath: "/plugin",
    cpus: 2,
    memoryMB: 4096,
    diskFreeMB: 42_000,
    limits: [{ name: "memoryMB", value: 2048, enforced: true }, { name: "pids", value: 512, enforced: true }],
    tools: { node: "22.11.0", npm: "10.9.0", python: "3.11.2", uv: "0.5.1", git: "2.39.5", deno: "2.1.4" },
    network: "bridge",
    processes: 3,
  },
  mount: { method: "volume", hostPath: "/worktree", envPath: "/plugin", writable: true, latency: "none" },
  reason: "the plugin's source needs nothing but tier 1, and docker is ready",
  config: { runtime: "auto", tier: 1 },
};

const plugin: PluginInfo = {
  plan: {
    name: "office",
    version: "1.4.0",
    source: "/plugins/office",
    folder: "/plugin",
    build: {
      system: "npm",
      evidence: "package.json",
      install: "npm ci",
      build: "npm run build",
      toolchains: [],
    },
    server: { type: "stdio", command: ["node", "dist/server.js"], env: {}, cwd: "/plugin" },
  },
  server: { name: "office", version: "1.4.0", protocolVersion: "2025-06-18", capabilities: { tools: {} } },
  tools: toolNames.map((name) => ({
    name,
    description: `Answers the ${name.replaceAll("_", " ")} of an item that is in stock.`,
    inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
  })),
};

export type Failures = 0 | 10 | 60;

export interface TypicalSession {
  commands: ScriptedSession;
  iteration: IterationOutcome;
}

export function typicalSession(failures: Failures): TypicalSession {
  const results = failures === 0
    ? resultsOf(10).map(({ category: _, message: _no, note: _none, stderrTail: _tail, ...result }) => ({
      ...result,
      status: "passed" as const,
    }))
    : resultsOf(failures);
  const outcome = { summary: summaryOf(results), results };
  const iteration = iterationOf(results);
  return {
    iteration,
    commands: {
      environment: {
        provision: () => Promise.resolve(environment),
      },
      plugin: {
        load: () => Promise.resolve(plugin),
      },
      tests: {
        generate: () =>
          Promise.resolve({
            tests: typicalTests,
            findings: [],
            heldBack: [{ tool: "drop_stock", reason: 'its name says "drop"' }],
          }),
        list: () => typicalTests,
        problems: () => [],
        runSuite: () => Promise.resolve(outcome),
        results: () => ({ ...outcome, findings: [] }),
      },
      fixes: {
        diagnose: () => Promise.resolve(diagnosisOf(results)),
      },
      loop: {
        run: () => Promise.resolve(iteration),
      },
    },
  };
}
