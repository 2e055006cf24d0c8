/** A finished run as the published report. */
import type { Finding, SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import { definedOnly } from "../values.ts";
import type { FinishedRun } from "./reporter.ts";
import type { Report } from "./report_schema.ts";

const nothing: SuiteSummary = { total: 0, passed: 0, failed: 0, skipped: 0, flaky: 0, durationMs: 0 };

/** The report, also of a run that died before it had tests. */
export function toReport(run: FinishedRun): Report {
  const { report, error } = run;
  const summary = report?.summary ?? nothing;
  const handle = report?.environment?.handle;
  return definedOnly({
    schema: "pth-report/1",
    plugin: pluginOf(run),
    environment: handle && {
      runtime: handle.runtime,
      tier: handle.tier,
      image: handle.image,
      reason: report!.environment!.reason,
    },
    summary: {
      total: summary.total,
      passed: summary.passed,
      failed: summary.failed,
      skipped: summary.skipped,
      flaky: summary.flaky,
      duration_ms: round(summary.durationMs),
    },
    tests: (report?.results ?? []).map(testOf),
    findings: findingsOf(run).map(({ severity, code, tool, message }) =>
      definedOnly({ severity, code, tool, message })
    ),
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

function testOf(result: TestResult): Report["tests"][number] {
  return definedOnly({
    name: result.name,
    tier: result.tier,
    tool: result.tool,
    status: result.status,
    category: result.category,
    note: result.note,
    duration_ms: round(result.durationMs),
    message: result.message,
    file: result.file,
    line: result.line,
    generated_from: result.generatedFrom,
  }) as Report["tests"][number];
}

/** Each finding once: the session's, which hold the results' and the generator's, or what is known without it. */
export function findingsOf({ report, generated }: FinishedRun): Finding[] {
  const all = [
    ...(report?.findings ?? []),
    ...(generated?.findings ?? []),
    ...(report?.results ?? []).flatMap((result) => result.findings),
  ];
  const byText = new Map(
    all.map((finding) => [JSON.stringify([finding.code, finding.tool, finding.message]), finding]),
  );
  return [...byText.values()];
}

function timingsOf({ report }: FinishedRun): Report["timings"] {
  const timings = Object.entries(report?.timings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(timings.map(([name, value]) => [name, round(value)]));
}

/** Whole microseconds: enough for a person, and short in the file. */
const round = (milliseconds: number): number => Math.round(Math.max(0, milliseconds) * 1000) / 1000;
