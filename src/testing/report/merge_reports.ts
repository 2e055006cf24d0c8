/** Reports of the parts of a suite as the report of the whole. */
import { uniqueFindings } from "./unique_findings.ts";
import { definedOnly } from "../../core/values.ts";
import { firstLine } from "../../core/text.ts";
import type { Report, ReportTest } from "./report_schema.ts";
import { mergeCoverage } from "./merge_coverage.ts";

/** A report and the file that it was read from. */
export interface NamedReport {
  file: string;
  report: Report;
}

/**
 * Tests in the order of the files; the worst exit code. What differs among the parts, tests that two of them ran and parts
 * that are missing are told in `notes`; a missing part is an `error`, too, since nobody knows what it would have found.
 */
export function mergeReports(parts: readonly NamedReport[]): Report {
  const reports = parts.map(({ report }) => report);
  const [first] = reports as [Report, ...Report[]];
  const tests = mergeTests(parts);
  const missing = missingShards(reports);
  const error = reports.find((report) => report.error !== undefined)?.error ?? missing;
  return definedOnly({
    ...first,
    server: one(reports, "server"),
    environment: one(reports, "environment"),
    started_at: reports.flatMap((report) => report.started_at ?? []).sort()[0],
    duration_ms: longest(reports.map((report) => report.duration_ms)),
    strict: reports.some(({ strict }) => strict === true) || undefined,
    seed: one(reports, "seed"),
    shard: undefined,
    summary: summaryOf(tests.all, reports),
    exercise: mergeExercise(reports),
    tests: tests.all,
    findings: uniqueFindings(reports.flatMap(({ findings }) => findings)),
    coverage: mergeCoverage(reports.flatMap(({ coverage }) => coverage ?? [])),
    impact: mergeImpact(reports),
    performance: one(reports, "performance"),
    token_cost: one(reports, "token_cost"),
    contract: one(reports, "contract"),
    timings: mergeTimings(reports),
    notes: [
      ...new Set([
        ...reports.flatMap(({ notes }) => notes),
        ...differences(parts),
        ...tests.notes,
        ...otherErrors(parts),
      ]),
    ],
    exit_code: Math.max(...reports.map((report) => report.exit_code), missing === undefined ? 0 : 2),
    error,
  }) as Report;
}

const one = <Key extends keyof Report>(reports: readonly Report[], key: Key): Report[Key] =>
  reports.find((report) => report[key] !== undefined)?.[key] as Report[Key];

const longest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

const severity = ["passed", "skipped", "flaky", "failed"] as const;

/** A test that two parts ran counts once, with its worst outcome. */
function mergeTests(parts: readonly NamedReport[]): { all: ReportTest[]; notes: string[] } {
  const byKey = new Map<string, { test: ReportTest; file: string }>();
  const notes: string[] = [];
  for (const { file, report } of parts) {
    const within = new Map<string, number>();
    for (const test of report.tests) {
      // Two tests of one name within a report are two tests.
      const nth = (within.get(test.name) ?? 0) + 1;
      within.set(test.name, nth);
      const key = test.id ?? `${test.name} #${nth}`;
      const known = byKey.get(key);
      if (known === undefined) {
        byKey.set(key, { test, file });
        continue;
      }
      notes.push(`"${test.name}" is in ${known.file} (${known.test.status}) and in ${file} (${test.status})`);
      const worse = severity.indexOf(test.status) > severity.indexOf(known.test.status);
      if (worse) byKey.set(key, { test, file });
    }
  }
  return { all: [...byKey.values()].map(({ test }) => test), notes };
}

function summaryOf(tests: readonly ReportTest[], reports: readonly Report[]): Report["summary"] {
  const counted = (status: ReportTest["status"]) => tests.filter((test) => test.status === status).length;
  return {
    total: tests.length,
    passed: counted("passed"),
    failed: counted("failed"),
    skipped: counted("skipped"),
    flaky: counted("flaky"),
    duration_ms: reports.reduce((sum, { summary }) => sum + summary.duration_ms, 0),
  };
}

const progress = ["exercised", "failing", "refused", "excluded", "not_reached"] as const;

/** A tool that one part exercised is exercised. */
function mergeExercise(reports: readonly Report[]): Report["exercise"] {
  const all = reports.flatMap(({ exercise }) => exercise ?? []);
  if (all.length === 0) return undefined;
  const byTool = new Map<string, (typeof all)[number]>();
  for (const each of all) {
    const known = byTool.get(each.tool);
    if (known === undefined || progress.indexOf(each.state) < progress.indexOf(known.state)) {
      byTool.set(each.tool, each);
    }
  }
  return [...byTool.values()];
}

function mergeImpact(reports: readonly Report[]): Report["impact"] {
  const maps = reports.flatMap(({ impact }) => impact ?? []);
  const [first] = maps;
  if (first === undefined) return undefined;
  const tests = new Map(maps.flatMap((map) => map.tests).map((test) => [test.id, test]));
  return {
    ...first,
    source: maps.every(({ source }) => source === "measured") ? "measured" : "static",
    tests: [...tests.values()],
    notes: [...new Set(maps.flatMap(({ notes }) => notes))],
  };
}

/** Parts run at the same time: the longest of them is the waiting time. */
function mergeTimings(reports: readonly Report[]): Report["timings"] {
  const names = new Set(
    reports.flatMap(({ timings }) => Object.keys(timings) as (keyof Report["timings"])[]),
  );
  return Object.fromEntries(
    [...names].map((name) => [name, longest(reports.map(({ timings }) => timings[name]))]),
  );
}

function missingShards(reports: readonly Report[]): Report["error"] {
  const shards = reports.flatMap(({ shard }) => shard ?? []);
  const of = Math.max(0, ...shards.map((shard) => shard.of));
  const there = new Set(shards.map(({ index }) => index));
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((index) => !there.has(index));
  if (missing.length === 0) return undefined;
  const parts = missing.length === 1
    ? `part ${missing[0]} of ${of} is`
    : `parts ${missing.join(", ")} of ${of} are`;
  return { code: "INVALID_INPUT", message: `Cannot tell how the suite ended: ${parts} missing` };
}

/** Facts that should be the same in all parts, and are not. */
function differences(parts: readonly NamedReport[]): string[] {
  const facts: [string, (report: Report) => unknown][] = [
    ["version", ({ plugin }) => plugin.version],
    ["runtime", ({ environment }) => environment?.runtime],
    ["image", ({ environment }) => environment?.image],
    ["seed", ({ seed }) => seed],
    ["number of parts", ({ shard }) => shard?.of],
    ["--strict", ({ strict }) => strict ?? false],
  ];
  return facts.flatMap(([what, of]) => {
    const values = parts.map(({ file, report }) => ({ file, value: of(report) ?? "none" }));
    if (new Set(values.map(({ value }) => value)).size < 2) return [];
    return [`The parts differ in ${what}: ${values.map(({ file, value }) => `${file} ${value}`).join(", ")}`];
  });
}

/** The report has room for one. */
function otherErrors(parts: readonly NamedReport[]): string[] {
  const broken = parts.filter(({ report }) => report.error !== undefined);
  return broken.length < 2
    ? []
    : broken.map(({ file, report }) => `${file}: ${firstLine(report.error!.message)}`);
}
