import { exerciseText, unexercised, unexercisedReason } from "../../exercise/exercise_text.ts";
import type { ToolExercise } from "../../../../machines/model/tool_exercise.ts";
import { findingsOf } from "../../report/report.ts";
import type { FinishedRun } from "../../reporter.ts";
import { writtenOutcome } from "../../report/run_outcome.ts";
import { summarizeSuite } from "../../report/results_verdict.ts";
import { acceptanceFinding } from "../../run/acceptance_finding.ts";
import { coverageSummary } from "../../coverage/coverage_text.ts";
import { groupBy } from "../../../core/values.ts";
import { count, formatDuration, plainLine, truncate } from "../../../core/text.ts";
import type { PaintText, TerminalStyle } from "./terminal_style.ts";
import type { Finding } from "../../../../machines/model/verdict.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { shortNumber } from "../html/figure_text.ts";

const severities = ["error", "warning", "info"] as const;
const toolsNamed = 6;
/** Limit in characters of an example. */
const longestExample = 240;

/** One line per kind of finding, and one of each where there are several. */
export function renderFindings(run: FinishedRun, style: TerminalStyle): string {
  const findings = findingsOf(run);
  if (findings.length === 0) return "";
  const groups = [...groupBy(findings, ({ severity, code }) => `${severity} ${code}`).values()];
  groups.sort((a, b) => severities.indexOf(a[0]!.severity) - severities.indexOf(b[0]!.severity));
  const lines = groups.flatMap((group) => findingLines(group, style));
  const hints = [
    ...(findings.some(({ code }) => code === acceptanceFinding)
      ? [`--strict makes ${acceptanceFinding} a failure`]
      : []),
    ...(groups.some(({ length }) => length > 1) ? ["the json report has each in full"] : []),
  ];
  return section("Findings", lines, hints.join("; "), style);
}

function findingLines(group: Finding[], style: TerminalStyle): string[] {
  const { severity, code } = group[0]!;
  const tools = [...groupBy(group, ({ tool }) => tool ?? "server")].map(([tool, found]) =>
    found.length === 1 ? plainLine(tool) : `${plainLine(tool)} (${found.length})`
  );
  const more = tools.length > toolsNamed ? ` and ${tools.length - toolsNamed} more` : "";
  const where = tools.slice(0, toolsNamed).join(", ") + more;
  const words = group.length === 1 ? plainLine(group[0]!.message) : `${group.length} × ${where}`;
  const paint = severity === "error" ? style.red : severity === "warning" ? style.yellow : style.dim;
  const example = group.length === 1
    ? []
    : style.lines(`for example: ${truncate(plainLine(group[0]!.message), longestExample)}`, 4);
  return [...style.lines(`${severity} ${code}: ${words}`, 2), ...example].map(paint);
}

/** Summarises which of the plugin's code the tests ran. */
export function renderCoverage({ report }: FinishedRun, style: TerminalStyle): string {
  if (report?.coverage === undefined) return "";
  const lines = coverageSummary(report.coverage).flatMap((line) => style.lines(plainLine(line), 2));
  return section("Coverage", lines, "", style);
}

/** Ways to exercise more, for each kind of reason there is. */
function exerciseHints(left: readonly ToolExercise[]): string[] {
  const has = (wanted: ToolExercise["state"]) => left.some(({ state }) => state === wanted);
  return [
    ...(has("excluded") ? ["--include-destructive calls the excluded tools"] : []),
    ...(has("refused")
      ? [
        "a tool that refused needs an input that works: in a test of .pth/tests, or in .pth/learned.yaml " +
        "(--learned FILE writes what was found); over MCP pth_generate_tests({ inputs }) tries and keeps them",
      ]
      : []),
  ];
}

/** Most tools that are named as not exercised; the json report has all. */
const mostUnexercised = 40;

/** Tools that no test exercised, and why. */
export function renderUnexercised({ report }: FinishedRun, style: TerminalStyle): string {
  const left = unexercised(report?.exercise ?? []);
  if (left.length === 0) return "";
  const lines = left.slice(0, mostUnexercised).flatMap((each) =>
    style.lines(plainLine(`${each.tool}: ${unexercisedReason(each)}`), 2)
  );
  const more = left.length > mostUnexercised ? [`  … and ${left.length - mostUnexercised} more`] : [];
  return section("Not exercised", [...lines, ...more], exerciseHints(left).join("; "), style);
}

/** A heading, its lines, and below them what can be done about it. */
function section(heading: string, lines: string[], hint: string, style: TerminalStyle): string {
  const hints = hint === "" ? [] : style.lines(`→ ${hint}`, 2).map(style.dim);
  return `\n${[style.bold(heading), ...lines, ...hints].join("\n")}\n`;
}

/** `12 tests: 10 passed, 1 failed, 1 skipped in 3.2 s`, the environment and the files. */
export function renderSummary(run: FinishedRun, style: TerminalStyle): string {
  const { report } = run;
  const lines: string[] = [];
  if (report !== undefined && report.summary.total > 0) lines.push(counts(run, style));
  const summary = report?.summary ?? summarizeSuite([], 0);
  const { state, text } = writtenOutcome({ ...run, summary, exercise: report?.exercise });
  // Figures alone would look like a run that went well.
  if (state !== "passed" && state !== "failed") lines.push(style.yellow(`${text}.`));
  if (report?.environment !== undefined) {
    const { handle, reason, state } = report.environment;
    const why = reason.startsWith(`${handle.runtime}: `) ? reason.slice(handle.runtime.length + 2) : reason;
    lines.push(...labelled("Environment", `${handle.runtime} (${handle.image}): ${why}`, style));
    if (state !== undefined) lines.push(...labelled("Network", state.network, style));
  }
  if (report?.plugin !== undefined) {
    const { server, tools } = report.plugin;
    const what = `${server.name} ${server.version}, protocol ${server.protocolVersion}, ${
      count(tools.length, "tool")
    }`;
    lines.push(...labelled("Server", what, style));
  }
  const times = Object.entries(report?.timings ?? {}).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.replace(/_ms$/, "")} ${formatDuration(value)}`);
  if (times.length > 0) lines.push(...labelled("Times", times.join(", "), style));
  const drawn = [
    ...(report?.seed === undefined ? [] : [`--seed ${report.seed}`]),
    ...(run.shard === undefined ? [] : [`part ${run.shard.index} of ${run.shard.of}`]),
  ];
  if (drawn.length > 0) lines.push(...labelled("Drawn", drawn.join(", "), style));
  if (run.files.length > 0) lines.push(...labelled("Written", run.files.join(", "), style));
  if (report?.exercise !== undefined && report.exercise.length > 0 && report.results.length > 0) {
    lines.push(...exerciseLines(report.exercise, style));
  }
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}

/** The last lines, so that no verdict is read without what it does not tell. */
function exerciseLines(exercise: readonly ToolExercise[], style: TerminalStyle): string[] {
  const left = unexercised(exercise);
  const named = left.slice(0, toolsNamed).map(({ tool }) => plainLine(tool)).join(", ");
  const more = left.length > toolsNamed ? ` and ${left.length - toolsNamed} more` : "";
  const not = left.length === 0 ? "" : `; not: ${named}${more} (why stands above)`;
  const text = style.lines(`${exerciseText(exercise)}${not}`, 13);
  const paint = left.length === 0 ? style.green : style.yellow;
  return text.map((line, index) =>
    index === 0 ? `${style.dim("Tools".padEnd(12))} ${paint(line.trimStart())}` : paint(line)
  );
}

function counts({ report, durationMs }: FinishedRun, style: TerminalStyle): string {
  const { total, passed, failed, skipped, flaky } = report!.summary;
  const parts: [string, PaintText][] = [
    [`${passed} passed`, style.green],
    [`${failed} failed`, failed > 0 ? style.red : (text) => text],
    [`${skipped} skipped`, (text) => text],
    ...(flaky > 0 ? [[`${flaky} flaky`, style.yellow] as [string, PaintText]] : []),
  ];
  const line = (paint: boolean) => {
    const painted = parts.map(([text, colour]) => (paint ? colour(text) : text)).join(", ");
    const head = `${count(total, "test")}:`;
    return `${paint ? style.bold(head) : head} ${painted} in ${formatDuration(durationMs)}`;
  };
  const lines = style.lines(line(false), 0);
  return lines.length === 1 ? line(true) : lines.join("\n");
}

function labelled(label: string, text: string, style: TerminalStyle): string[] {
  const [first, ...rest] = style.lines(plainLine(text), 13);
  return [`${style.dim(label.padEnd(12))} ${first!.trimStart()}`, ...rest];
}

const mostFlaky = 10;
const mostOutliers = 8;
const dearestTools = 3;

export function renderMeasured({ report }: FinishedRun, style: TerminalStyle): string {
  if (report === undefined) return "";
  const { impact, performance, tokenCost } = report;
  const measured = (heading: string, lines: readonly string[]): string =>
    lines.length === 0
      ? ""
      : section(heading, lines.flatMap((line) => style.lines(plainLine(line), 2)), "", style);
  return [
    measured("Flaky", flaky(report.results)),
    measured(
      "Impact",
      impact === undefined ? [] : [
        `${count(Object.keys(impact.tests).length, "test")} ${
          impact.source === "measured" ? "mapped to what ran during each" : "mapped to source by reading it"
        }`,
        ...impact.notes,
      ],
    ),
    measured("Performance", performance === undefined ? [] : outliers(performance)),
    measured("Token cost", tokenCost === undefined ? [] : [cost(tokenCost)]),
  ].join("");
}

function flaky(results: readonly TestResult[]): string[] {
  const found = results.filter(({ status }) => status === "flaky");
  const lines = found.slice(0, mostFlaky).map(({ name, flakiness, note }) => {
    if (flakiness === undefined) return note === undefined ? name : `${name}: ${note}`;
    const { failures, attempts, rate, runs } = flakiness;
    return `${name}: failed ${failures} of ${count(attempts, "time")}, ${Math.round(rate * 100)} % of ${
      count(runs, "known run")
    }`;
  });
  return found.length > mostFlaky ? [...lines, `… and ${found.length - mostFlaky} more`] : lines;
}

type Performance = NonNullable<NonNullable<FinishedRun["report"]>["performance"]>;

function outliers({ outliers: found, tools, calls }: Performance): string[] {
  const what = `${count(tools.length, "tool")}, ${count(calls, "call")} of each`;
  if (found.length === 0) return [`${what}: no outliers`];
  const lines = found.slice(0, mostOutliers).map(({ dimension, message }) => `${dimension}: ${message}`);
  const left = found.length - mostOutliers;
  return [what, ...lines, ...(left > 0 ? [`… and ${count(left, "more outlier")}`] : [])];
}

type TokenCost = NonNullable<NonNullable<FinishedRun["report"]>["tokenCost"]>;

function cost({ list, tools, tokenizer }: TokenCost): string {
  const dearest = [...tools].sort((a, b) => b.tokens - a.tokens).slice(0, dearestTools);
  const named = dearest.map(({ tool, tokens }) => `${tool} ${shortNumber(tokens)}`).join(", ");
  return `the list of tools takes ${shortNumber(list.tokens)} tokens (${tokenizer})${
    named === "" ? "" : `; most: ${named}`
  }`;
}
