/** Converts a published report back to a finished run, so that every reporter can write it. */
import type { ContractCheck, TokenCost } from "../../../machines/model/contract.ts";
import type { CoverageReport } from "../../../machines/model/coverage.ts";
import type { PerformanceReport } from "../../../machines/model/performance.ts";
import type { PreparationStep, StepAction, TestCase, TestStep } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { type ErrorCode, errorCodes, PthError } from "../../core/errors.ts";
import type { PublishedEvent } from "../../api/harness.ts";
import { definedOnly } from "../../core/values.ts";
import type { Report, ReportStep, ReportTest } from "./report_schema.ts";
import { dispatch, type FinishedRun, type ReportedRun, type ReporterHooks } from "../reporter.ts";
import { matrixOfReport } from "./matrix_report.ts";
import { camelKeys, type Snake } from "./snake_keys.ts";

/** `toReport` of the answer is the report again. @param files That are written of it. */
export function runOfReport(report: Report, files: string[] = []): FinishedRun {
  return definedOnly({
    target: report.plugin.source,
    report: reportedRun(report),
    notes: report.notes,
    exitCode: report.exit_code,
    error: report.error && errorOf(report.error),
    startedAt: Date.parse(report.started_at ?? "") || 0,
    durationMs: report.duration_ms ?? report.summary.duration_ms,
    strict: report.strict ?? false,
    shard: report.shard,
    files,
  }) as FinishedRun;
}

/** Notifies a reporter of the tests of a past run, then of its end. */
export function replayRun(hooks: ReporterHooks, run: FinishedRun): void {
  const { tests, results, summary } = run.report ?? { tests: [], results: [], summary: undefined };
  const tell = (fact: PublishedEvent) => dispatch(hooks, fact);
  for (const message of run.notes) tell({ type: "session.noted", message });
  if (tests.length > 0) {
    tell({ type: "suite.started", tests, workers: 1, workersReason: "read from a report" });
    results.forEach((result, index) => tell({ type: "test.finished", test: tests[index]!, result }));
    if (summary !== undefined) tell({ type: "suite.finished", summary });
  }
  hooks.end?.(run);
}

function reportedRun(report: Report): ReportedRun {
  const { environment, server, plugin: { name, version, source } } = report;
  const { duration_ms: durationMs, ...counts } = report.summary;
  return definedOnly({
    source: definedOnly({ name, version, source }),
    environment: environment && {
      handle: environment,
      reason: environment.reason,
      ...(environment.network === undefined ? {} : { state: { network: environment.network } }),
    },
    plugin: server && definedOnly({
      plan: definedOnly({ name, version }),
      server: { name: server.name, version: server.version, protocolVersion: server.protocol_version },
      tools: { length: server.tools },
      contract: report.contract && camelKeys<ContractCheck>(report.contract as Snake<ContractCheck>),
    }),
    tests: report.tests.map(testOf),
    results: report.tests.map(resultOf),
    findings: report.findings,
    summary: { ...counts, durationMs },
    exercise: report.exercise,
    timings: report.timings,
    coverage: report.coverage && camelKeys<CoverageReport>(report.coverage as Snake<CoverageReport>),
    impact: report.impact && {
      ...report.impact,
      tests: Object.fromEntries(report.impact.tests.map(({ id, reaches }) => [id, reaches])),
    },
    performance: report.performance &&
      camelKeys<PerformanceReport>(report.performance as Snake<PerformanceReport>),
    tokenCost: report.token_cost && camelKeys<TokenCost>(report.token_cost as Snake<TokenCost>),
    seed: report.seed,
    matrix: report.matrix && matrixOfReport(report.matrix),
  }) as ReportedRun;
}

function errorOf({ code, message, output }: NonNullable<Report["error"]>): PthError {
  const known = Object.hasOwn(errorCodes, code) ? code as ErrorCode : "INTERNAL";
  return new PthError(known, message, output === undefined ? {} : { output });
}

const idOf = (test: ReportTest, index: number): string => test.id ?? `test-${index + 1}`;

function testOf(test: ReportTest, index: number): TestCase {
  const none: PreparationStep[] = [];
  return definedOnly({
    id: idOf(test, index),
    name: test.name,
    tier: test.tier,
    description: test.description,
    tool: test.tool,
    own: test.own,
    input: test.input,
    steps: test.steps?.map(stepOf),
    prompt: test.prompt,
    checklist: test.checklist,
    origin: test.origin,
    expect: {},
    verify: [],
    setup: none,
    teardown: none,
    tags: test.tags ?? [],
    generatedFrom: test.generated_from,
    file: test.file,
    line: test.line,
  }) as TestCase;
}

function stepOf(step: ReportStep): TestStep {
  const captures = (step.captures ?? []).map((name) => [name, ""]);
  return definedOnly({
    action: actionOf(step),
    expect: {},
    capture: Object.fromEntries(captures),
    verify: [],
    line: step.line,
  }) as TestStep;
}

function actionOf({ action: kind, target, input }: ReportStep): StepAction {
  switch (kind) {
    case "call":
      return { kind, tool: target, input: input ?? {} };
    case "get_prompt":
      return { kind, prompt: target, arguments: (input ?? {}) as Record<string, string> };
    case "wait_for":
      return { kind, notification: target, ...(input === undefined ? {} : { params: input }) };
    default:
      return { kind, uri: target };
  }
}

function resultOf(test: ReportTest, index: number): TestResult {
  const failedStep = test.steps?.findIndex(({ status }) => status === "failed") ?? -1;
  return definedOnly({
    id: idOf(test, index),
    entry: test.entry,
    name: test.name,
    tier: test.tier,
    tool: test.tool,
    own: test.own,
    generatedFrom: test.generated_from,
    status: test.status,
    category: test.category as TestResult["category"],
    message: test.message,
    note: test.note,
    expected: test.expected,
    actual: test.actual,
    findings: [],
    durationMs: test.duration_ms,
    startedAt: Date.parse(test.started_at ?? "") || 0,
    file: test.file,
    line: test.line,
    flakiness: test.flakiness,
    failedStep: failedStep < 0 ? undefined : failedStep,
    hang: test.hang,
    stderrTail: test.stderr,
  }) as TestResult;
}
