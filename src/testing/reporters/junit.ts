/** JUnit XML as CI systems read it: a suite per tool, a case per test. */
import type { TestResult } from "../../../machines/model/test_result.ts";
import { findingsOf, toReport } from "../report/report.ts";
import { defineReporter, type FinishedRun, groupOf } from "../reporter.ts";
import { groupBy } from "../../core/values.ts";
import { count, firstLine, showValue, stripEscapes } from "../../core/text.ts";
import { unexercisedReason } from "../exercise/exercise_text.ts";

export default defineReporter({
  name: "junit",
  summary: "JUnit XML for CI systems",
  writes: "whole",
  create: (output) => ({ end: (run) => output.write(junit(run)) }),
});

/** The whole document. */
export function junit(run: FinishedRun): string {
  const { plugin, summary } = toReport(run);
  const errors = run.error === undefined ? 0 : 1;
  const groups = groupBy(run.report?.results ?? [], suiteName);
  const root = attributes({
    name: plugin.name,
    tests: summary.total + errors,
    failures: summary.failed,
    errors,
    skipped: summary.skipped,
    time: seconds(run.durationMs),
    timestamp: new Date(run.startedAt).toISOString(),
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites${root}>`,
    ...[...groups].map(([tool, results]) => suite(run, plugin.name, tool, results)),
    ...(run.error === undefined ? [] : [startError(run, plugin.name)]),
    `</testsuites>`,
    ``,
  ].join("\n");
}

function suite(run: FinishedRun, plugin: string, tool: string, results: TestResult[]): string {
  const counted = (status: string) => results.filter((result) => result.status === status).length;
  const head = attributes({
    name: tool,
    tests: results.length,
    failures: counted("failed"),
    errors: 0,
    skipped: counted("skipped"),
    time: seconds(results.reduce((sum, result) => sum + result.durationMs, 0)),
    timestamp: new Date(results[0]?.startedAt ?? run.startedAt).toISOString(),
  });
  return [
    `  <testsuite${head}>`,
    ...properties(run, tool, results[0]?.entry),
    ...results.map((result) => testCase(`${plugin}.${tool}`, result)),
    `  </testsuite>`,
  ].join("\n");
}

/** Name of a suite: the tool, in a matrix with the environment. */
const suiteName = (result: TestResult): string =>
  result.entry === undefined ? groupOf(result) : `${groupOf(result)} [${result.entry}]`;

function environmentProperties({ report }: FinishedRun, entry: string | undefined): [string, string][] {
  const place = entry === undefined
    ? report?.environment?.handle
    : report?.matrix?.entries.find(({ name }) => name === entry)?.environment;
  if (place === undefined) return [];
  return [
    ...(entry === undefined ? [] : [["matrix.entry", entry] as [string, string]]),
    ["runtime", place.runtime],
    ["image", place.image],
    ...("os" in place ? [["os", place.os] as [string, string]] : []),
  ];
}

/** Account of the suite's tool; that of tools without tests is in the suite of the server. */
function exerciseProperties({ report }: FinishedRun, tool: string): [string, string][] {
  const tested = new Set(report?.results.map(groupOf));
  return (report?.exercise ?? []).flatMap((each): [string, string][] =>
    each.tool === tool
      ? [["exercise", unexercisedReason(each)]]
      : tool === "server" && !tested.has(each.tool)
      ? [[`exercise.${each.tool}`, unexercisedReason(each)]]
      : []
  );
}

function properties(run: FinishedRun, tool: string, entry: string | undefined): string[] {
  const named: [string, string][] = [
    ...environmentProperties(run, entry),
    ...exerciseProperties(run, tool),
    ...findingsOf(run).filter((finding) => (finding.tool ?? "server") === tool)
      .map((finding): [string, string] => [`finding.${finding.code}`, finding.message]),
  ];
  if (named.length === 0) return [];
  const lines = named.map(([name, value]) => `      <property${attributes({ name, value })}/>`);
  return ["    <properties>", ...lines, "    </properties>"];
}

function testCase(classname: string, result: TestResult): string {
  const head = attributes({
    name: result.name,
    classname,
    time: seconds(result.durationMs),
    file: result.file,
    line: result.line,
  });
  const inside = [
    ...(result.status === "failed" ? [failure(result)] : []),
    ...(result.status === "skipped" ? [`      <skipped${attributes({ message: result.note })}/>`] : []),
    ...(result.status === "flaky" ? [flaky(result)] : []),
    ...output("system-err", result.stderrTail),
  ];
  if (inside.length === 0) return `    <testcase${head}/>`;
  return [`    <testcase${head}>`, ...inside, "    </testcase>"].join("\n");
}

function failure(result: TestResult): string {
  const message = result.message ?? "failed";
  const compared = [
    ...(result.expected === undefined ? [] : [`expected: ${showValue(result.expected)}`]),
    ...(result.actual === undefined ? [] : [`actual: ${showValue(result.actual)}`]),
  ];
  const head = attributes({ type: result.category ?? "failed", message: firstLine(message) });
  return `      <failure${head}>${xml([message, ...compared].join("\n"))}</failure>`;
}

/**
 * Surefire's element for a test that failed and passed when it ran again; those who do not know it see a test that
 * passed.
 */
function flaky({ category, flakiness, message, note }: TestResult): string {
  const rate = flakiness &&
    `failed ${flakiness.failures} of ${count(flakiness.attempts, "time")}, ${
      Math.round(flakiness.rate * 100)
    } % of ${count(flakiness.runs, "known run")}`;
  const lines = [rate, message ?? note].filter((text) => text !== undefined);
  const head = attributes({ type: category ?? "flaky", message: firstLine(lines[0] ?? "flaky") });
  return `      <flakyFailure${head}>${xml(lines.join("\n"))}</flakyFailure>`;
}

/** A run that ended before its tests did is a suite of its own with one error, so that CI shows it. */
function startError(run: FinishedRun, plugin: string): string {
  const error = run.error!;
  const head = attributes({ name: "pth", tests: 1, failures: 0, errors: 1, skipped: 0, time: "0" });
  const inner = attributes({ type: error.code, message: firstLine(error.message) });
  return [
    `  <testsuite${head}>`,
    `    <testcase${attributes({ name: "run", classname: `${plugin}.pth`, time: seconds(run.durationMs) })}>`,
    `      <error${inner}>${xml([error.message, error.context.output ?? ""].join("\n").trim())}</error>`,
    `    </testcase>`,
    `  </testsuite>`,
  ].join("\n");
}

const output = (tag: string, text: string | undefined): string[] =>
  text === undefined || text.trim() === "" ? [] : [`      <${tag}>${xml(text.trimEnd())}</${tag}>`];

function attributes(values: Record<string, string | number | undefined>): string {
  return Object.entries(values).filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${xml(String(value)).replaceAll("\n", "&#10;")}"`).join("");
}

const seconds = (milliseconds: number): string => (Math.max(0, milliseconds) / 1000).toFixed(3);

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text that XML 1.0 can hold: no control characters, no halves of surrogate pairs. */
function xml(text: string): string {
  return stripEscapes(text).replaceAll(/[\ufffe\uffff]/g, "\uFFFD")
    .replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
