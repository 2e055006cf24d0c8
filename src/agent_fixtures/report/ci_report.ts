/** Converts the report of a run of fixtures to the report of a run, so that every reporter for CI can write it. */
import { firstLine, formatDuration, oneLine } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import type { Report, ReportTest } from "../../testing/report/report_schema.ts";
import type { FixtureRunReport, SkippedReport, TestReport } from "./report_schema.ts";
import { testKey } from "./run_report.ts";

/** Fixtures stand where tools do: reporters group tests by them. A test that failed is where its first miss is written. */
export function ciReport(
  { fixtures, summary, started_at, duration_ms, status, errors, notes }: FixtureRunReport,
): Report {
  const { total, pass, partial, fail, skipped } = summary;
  return {
    schema: "pth-report/1",
    plugin: { name: fixtures.map(({ name }) => name).join(", "), source: fixtures[0]?.plugin ?? "" },
    started_at,
    duration_ms,
    summary: { total, passed: pass, failed: partial + fail, skipped, flaky: 0, duration_ms },
    tests: fixtures.flatMap(({ name, tests, skipped: left }) => [
      ...tests.map((test) => ranTest(name, test)),
      ...left.map((test) => skippedTest(name, test)),
    ]),
    findings: [],
    timings: {},
    notes,
    exit_code: status === "pass" ? 0 : 1,
    ...(errors.length === 0 ? {} : { error: { code: "SETUP_FAILED", message: errors.join("\n") } }),
  };
}

function ranTest(fixture: string, { meta, expectations, execution }: TestReport): ReportTest {
  const failed = expectations.filter(({ status }) => status === "fail");
  const [only] = failed;
  const compared = failed.length === 1 && only!.actual !== null ? only : undefined;
  return definedOnly({
    id: testKey(fixture, meta.test_id),
    name: meta.test_name,
    description: meta.description === "" ? undefined : meta.description,
    tier: 3,
    tool: fixture,
    status: meta.status === "pass" ? "passed" : "failed",
    note: meta.status === "pass" && expectations.length === 0 ? "it expects nothing" : undefined,
    started_at: meta.timestamp,
    duration_ms: meta.duration_ms,
    message: meta.status === "pass" ? undefined : failureMessage(meta, failed),
    expected: compared?.expected,
    actual: compared?.actual,
    prompt: execution.prompt,
    tags: meta.tags.length === 0 ? undefined : meta.tags,
    file: meta.file,
    line: failed.find(({ line }) => line !== undefined)?.line ?? meta.line,
    generated_from: "manual",
  }) as ReportTest;
}

function failureMessage(meta: TestReport["meta"], failed: TestReport["expectations"]): string {
  const [first] = failed;
  const stopped = meta.stopped === undefined
    ? ""
    : `, the agent was stopped (${meta.stopped}) after ${formatDuration(meta.duration_ms)}`;
  const shown = first === undefined ? "" : `: ${oneLine(first.description || first.id, 120)}`;
  return [
    `${meta.status}, ${meta.pass_rate} expectations met${stopped}${shown}`,
    ...failed.map(({ id, description, failure_reason: reason = "not met", line }) =>
      `${id}${description === "" ? "" : ` ${firstLine(description)}`}${
        line === undefined ? "" : ` (line ${line})`
      }: ${reason}`
    ),
  ].join("\n");
}

const skippedTest = (
  fixture: string,
  { test_id, test_name, tags, reason, file, line }: SkippedReport,
): ReportTest => ({
  id: testKey(fixture, test_id),
  name: test_name,
  tier: 3,
  tool: fixture,
  status: "skipped",
  note: reason,
  duration_ms: 0,
  ...(tags.length === 0 ? {} : { tags }),
  file,
  line,
  generated_from: "manual",
});
