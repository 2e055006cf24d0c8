/** The facts of one run as they are recorded, with every status and text that is hard to write down. */
import type { EnvironmentInfo, PluginInfo, RunReport } from "../../../../machines/model/session.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../../../machines/model/test_result.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";
import { dispatch, type FinishedRun, type ReporterDefinition } from "../../../../src/testing/reporter.ts";
import { registry } from "../../../../src/testing/reporters/_registry.ts";
import type { Finding } from "../../../../machines/model/verdict.ts";

for (const reporter of registry) await reporter.prepare?.();

export const environment: EnvironmentInfo = {
  handle: {
    environmentId: "e1",
    sessionId: "s1",
    runtime: "docker",
    tier: 1,
    image: "pth-base-debian12",
    sourcePath: "/work/plugin",
    state: {},
  },
  state: {
    runtime: "docker",
    tier: 1,
    image: "pth-base-debian12",
    status: "running",
    hostname: "box",
    os: "Debian 12",
    kernel: "6.1",
    sourcePath: "/work/plugin",
    cpus: 2,
    memoryMB: 1024,
    diskFreeMB: 1024,
    limits: [],
    tools: { node: "22.0.0" },
    network: "bridge",
    processes: 1,
  },
  mount: { method: "bind", hostPath: "/tmp/x", envPath: "/work/plugin", writable: true, latency: "none" },
  reason: "docker: the engine is ready and the image is present; --env sandbox would use the sandbox",
  config: { runtime: "auto", tier: 1 },
};

export const plugin: PluginInfo = {
  plan: {
    name: "sample",
    version: "1.2.3",
    source: "./sample",
    folder: "/work/plugin",
    server: { type: "stdio", command: ["node", "index.js"], env: {}, cwd: "/work/plugin" },
  },
  server: { name: "sample-server", version: "0.9.0", protocolVersion: "2025-11-25", capabilities: {} },
  tools: [],
};

const test = (id: string, tool: string | undefined, name: string): TestCase => ({
  id,
  name,
  tier: 1,
  ...(tool === undefined ? { check: "tools_list" } : { tool }),
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "schema",
});

export const finding: Finding = {
  severity: "warning",
  code: "schema-not-enforced",
  tool: "echo",
  message: "echo accepted an input without message",
};

type ResultExtras = Partial<TestResult>;

const result = (of: TestCase, extras: ResultExtras): TestResult => ({
  id: of.id,
  name: of.name,
  tier: 1,
  ...(of.tool === undefined ? {} : { tool: of.tool }),
  generatedFrom: of.generatedFrom,
  status: "passed",
  findings: [],
  durationMs: 12.3456,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  ...extras,
});

/** Markup, quotes, escape sequences, control characters, half a surrogate pair, and a TAP directive. */
export const nasty = `a <b> & "c" 'd' ]]> \u001b[31mred\u001b[0m \u0000\u0007 \ud800 # SKIP \\ 漢字 🎉`;

export const tests: TestCase[] = [
  test("echo-valid", "echo", "echo - valid, required only"),
  test("echo-refuses", "echo", "echo - refuses missing message"),
  test("store-crash", "store", `store - ${nasty}`),
  test("store-skip", "store", "store - all properties"),
  test("tools-list", undefined, "tools/list is well-formed"),
];

export const results: TestResult[] = [
  result(tests[0]!, {}),
  result(tests[1]!, { findings: [finding], note: "accepted" }),
  result(tests[2]!, {
    status: "failed",
    category: "runtime-exception",
    message: `Server crashed: exited with 1\ncalled with ${nasty}`,
    expected: { a: 1, list: ["one", "two"] },
    actual: { a: 2, list: ["one", "three"] },
    stderrTail: `Error: boom ${nasty}\n    at index.js:1:1\n`,
    file: "tests/store.yaml",
    line: 7,
    durationMs: 1500,
  }),
  result(tests[3]!, { status: "skipped", note: 'refused: needs a fixture: "no such <item>" # 1' }),
  result(tests[4]!, { status: "flaky", note: "passed on the second run" }),
];

export const summary: SuiteSummary = {
  total: 5,
  passed: 2,
  failed: 1,
  skipped: 1,
  flaky: 1,
  durationMs: 1600,
};

export const report: RunReport = {
  source: {
    sessionId: "s1",
    name: "sample",
    version: "1.2.3",
    source: "./sample",
    worktree: "/tmp/pth-worktree-s1",
    subfolder: "",
    notes: [],
  },
  environment,
  plugin,
  tests,
  results,
  findings: [finding],
  summary,
  timings: { provision_ms: 120.4, install_ms: 2000, start_ms: 300, suite_ms: 1600 },
};

export const facts: PublishedEvent[] = [
  { type: "session.noted", message: "uncommitted changes are included" },
  { type: "step.started", phase: "provision", message: "starting a container" },
  { type: "step.finished", phase: "provision", message: "docker, debian12", durationMs: 120.4 },
  { type: "environment.provisioned", environment },
  { type: "step.started", phase: "install", message: "npm install" },
  { type: "step.output", phase: "install", text: "added 90 packages\n" },
  { type: "step.finished", phase: "install", message: "npm install", durationMs: 2000 },
  { type: "plugin.loaded", plugin },
  { type: "suite.started", tests, workers: 1, workersReason: "tools may change state" },
  ...tests.flatMap((test, index): PublishedEvent[] => [
    { type: "test.started", test, connection: "c1" },
    { type: "test.finished", test, result: results[index]! },
  ]),
  { type: "suite.finished", summary },
];

export const finished: FinishedRun = {
  target: "./sample",
  report,
  notes: ["uncommitted changes are included"],
  exitCode: 1,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  durationMs: 4200,
  strict: false,
  files: ["out.json"],
};

/** A run that died while the plugin was installed. */
export const died: FinishedRun = {
  target: "./sample",
  notes: [],
  exitCode: 3,
  error: new PthError("INSTALL_FAILED", "Cannot install plugin: npm exited with 1", {
    output: `npm ERR! ${nasty}`,
  }),
  startedAt: 0,
  durationMs: 900,
  strict: false,
  files: [],
};

export interface Screen {
  isTerminal?: boolean;
  colour?: boolean;
  columns?: number;
}

/** All that a reporter writes for these facts and this end. */
export function written(
  reporter: ReporterDefinition,
  told: readonly PublishedEvent[],
  end: FinishedRun,
  { isTerminal = false, colour = false, columns = 80 }: Screen = {},
): string {
  let text = "";
  const hooks = reporter.create({
    write: (piece) => {
      text += piece;
    },
    isTerminal,
    colour,
    columns: () => columns,
  });
  for (const fact of told) dispatch(hooks, fact);
  hooks.end?.(end);
  return text;
}
