/** The report of a run of tests of hooks, `pth-report/1`, so that every reporter can write it. */
import type { Flakiness } from "../../machines/model/test_result.ts";
import { count, indentedTail, oneLine } from "../core/text.ts";
import { definedOnly, groupBy } from "../core/values.ts";
import type { Report, ReportTest } from "../testing/report/report_schema.ts";
import { type HookReport, untestedHooks } from "./fire_hooks.ts";

/** Outcome of one test of hooks. */
export interface HookTestResult {
  /** Path of the file below the plugin's folder, and the name: `guard.hooks.yaml: refuses to remove`. */
  id: string;
  name: string;
  /** Path on this machine. */
  file: string;
  /** Path for people. */
  shownFile: string;
  line: number;
  /** flaky: it failed, and passed when it ran again. */
  status: "passed" | "failed" | "skipped" | "flaky";
  /** Reasons of a failure, of the first one where it is flaky, or of the skip. */
  messages: string[];
  /** Milliseconds since the epoch; absent of a test that did not run. */
  startedAt?: number;
  /** Duration of the last attempt in ms. */
  durationMs: number;
  /** Set where it ran more than once. */
  flakiness?: Flakiness;
  /** Last attempt; absent of a test that did not run. */
  report?: HookReport;
}

export interface HookTestRun {
  /** Folders of the plugins. */
  plugins: readonly string[];
  results: readonly HookTestResult[];
  startedAt: number;
  durationMs: number;
  notes: readonly string[];
  shard?: { index: number; of: number };
  exitCode: number;
  /** Reason why it ended before its tests did. */
  error?: { code: string; message: string };
}

/** Files stand where tools do: reporters group tests by them. */
export function ciHookReport(
  { plugins, results, startedAt, durationMs, notes, shard, exitCode, error }: HookTestRun,
): Report {
  const counted = (status: HookTestResult["status"]) =>
    results.filter((each) => each.status === status).length;
  return {
    schema: "pth-report/1",
    plugin: { name: "hooks", source: plugins.join(", ") },
    started_at: new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    ...definedOnly({ shard }),
    summary: {
      total: results.length,
      passed: counted("passed"),
      failed: counted("failed"),
      skipped: counted("skipped"),
      flaky: counted("flaky"),
      duration_ms: durationMs,
    },
    tests: results.map(reportedTest),
    findings: [],
    timings: {},
    notes: [...notes],
    exit_code: exitCode,
    ...definedOnly({ error }),
  };
}

function reportedTest(result: HookTestResult): ReportTest {
  const { id, name, file, shownFile, line, status, messages, startedAt, durationMs, flakiness, report } =
    result;
  const text = messages.join("\n");
  return definedOnly({
    id,
    name,
    tier: 1 as const,
    tool: shownFile,
    status,
    note: status === "skipped" ? text : status === "flaky" ? `at first: ${text}` : undefined,
    started_at: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    message: status === "failed" ? [...messages, ...stderrOf(report)].join("\n") : undefined,
    input: report?.payload,
    flakiness,
    file,
    line,
    generated_from: "manual" as const,
  }) as ReportTest;
}

/** Last lines that each hook wrote to stderr. */
const stderrOf = (report: HookReport | undefined): string[] =>
  (report?.hooks ?? []).flatMap(({ subject, stderr = "" }) =>
    stderr.trim() === "" ? [] : [`stderr of ${oneLine(subject, 80)}:`, indentedTail(stderr.trimEnd(), 20)]
  );

/** Lines on hooks that Claude Code would run and the tests did not, each with the number of its tests. */
export function untestedLines(results: readonly HookTestResult[]): string[] {
  const all = results.flatMap(({ report }) => report === undefined ? [] : untestedHooks(report));
  return [...groupBy(all, (hook) => hook)].map(([hook, same]) =>
    `Not tested: ${hook} (${count(same.length, "test")})`
  );
}
