/** A finished run as the published report. */
import type { SuiteSummary } from "../../../machines/model/test_result.ts";
import { definedOnly } from "../../core/values.ts";
import { reportOfMatrix } from "./matrix_report.ts";
import { snakeKeys } from "./snake_keys.ts";
import { isoTime, reportedMs, testReport } from "./test_report.ts";
import { uniqueFindings } from "./unique_findings.ts";
import type { FinishedRun } from "../reporter.ts";
import type { Report } from "./report_schema.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

const nothing: SuiteSummary = { total: 0, passed: 0, failed: 0, skipped: 0, flaky: 0, durationMs: 0 };

/** The report, also of a run that died before it had tests. */
export function toReport(run: FinishedRun): Report {
  const { report, error } = run;
  const tests = new Map(report?.tests.map((test) => [test.id, test]));
  return definedOnly({
    schema: "pth-report/1",
    plugin: pluginOf(run),
    server: serverOf(run),
    environment: environmentOf(run),
    started_at: isoTime(run.startedAt),
    duration_ms: reportedMs(run.durationMs),
    strict: run.strict || undefined,
    seed: report?.seed,
    shard: run.shard,
    summary: summaryOf(report?.summary ?? nothing),
    exercise: report?.exercise,
    tests: (report?.results ?? []).map((result) => testReport(result, tests.get(result.id))),
    findings: findingsOf(run).map(({ severity, code, tool, message }) =>
      definedOnly({ severity, code, tool, message })
    ),
    coverage: report?.coverage && snakeKeys(report.coverage),
    impact: impactOf(run),
    performance: report?.performance && snakeKeys(report.performance),
    token_cost: report?.tokenCost && snakeKeys(report.tokenCost),
    contract: report?.plugin?.contract && snakeKeys(report.plugin.contract),
    matrix: report?.matrix && reportOfMatrix(report.matrix),
    timings: timingsOf(run),
    notes: run.notes,
    exit_code: run.exitCode,
    error: error && definedOnly({ code: error.code, message: error.message, output: error.context.output }),
  }) as Report;
}

function pluginOf({ report, target }: FinishedRun): Report["plugin"] {
  const version = report?.plugin?.plan.version ?? report?.source.version ?? report?.plugin?.server.version;
  return definedOnly({
    name: report?.plugin?.plan.name ?? report?.source.name ?? target,
    version,
    source: report?.source.source ?? target,
  }) as Report["plugin"];
}

function serverOf({ report }: FinishedRun): Report["server"] {
  if (report?.plugin === undefined) return undefined;
  const { server, tools } = report.plugin;
  return {
    name: server.name,
    version: server.version,
    protocol_version: server.protocolVersion,
    tools: tools.length,
  };
}

function environmentOf({ report }: FinishedRun): Report["environment"] {
  if (report?.environment === undefined) return undefined;
  const { handle: { runtime, tier, image }, reason, state } = report.environment;
  return { runtime, tier, image, reason, ...definedOnly({ network: state?.network }) };
}

const summaryOf = (
  { total, passed, failed, skipped, flaky, durationMs }: SuiteSummary,
): Report["summary"] => ({
  total,
  passed,
  failed,
  skipped,
  flaky,
  duration_ms: reportedMs(durationMs),
});

/** Ids are data, so they must not be respelled as keys are. */
function impactOf({ report }: FinishedRun): Report["impact"] {
  if (report?.impact === undefined) return undefined;
  const { source, tests, startup, notes } = report.impact;
  const reached = Object.entries(tests).map(([id, reaches]) => ({ id, reaches }));
  return { source, tests: reached, ...(startup === undefined ? {} : { startup }), notes };
}

/** Findings of the session, which hold the results' and the generator's, or what is known without it. */
export const findingsOf = ({ report, generated }: FinishedRun): Finding[] =>
  uniqueFindings([
    ...(report?.findings ?? []),
    ...(generated?.findings ?? []),
    ...(report?.results ?? []).flatMap((result) => result.findings),
  ]);

function timingsOf({ report }: FinishedRun): Report["timings"] {
  const timings = Object.entries(report?.timings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(timings.map(([name, value]) => [name, reportedMs(value)]));
}
