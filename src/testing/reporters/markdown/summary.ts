/** Verdict, counts, failures and what else was measured, in so much Markdown as one reads. */
import { groupBy } from "../../../core/values.ts";
import type { RunState } from "../../report/run_outcome.ts";
import type { Report, ReportTest } from "../../report/report_schema.ts";
import { outcomeOf } from "../html/report_header.ts";
import { percentText, shortNumber } from "../html/figure_text.ts";
import { escapeText } from "../html/markup.ts";
import { count, formatDuration, plainLine, showValue, stripEscapes } from "../../../core/text.ts";
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import type { ToolExercise } from "../../../../machines/model/tool_exercise.ts";
import { exerciseText, unexercised, unexercisedReason } from "../../exercise/exercise_text.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";

/** Most failures shown in full; GitHub takes 1 MB for a summary. */
const mostFailures = 20;
const mostUnexercised = 40;
const marks = {
  passed: "✅",
  failed: "❌",
  broken: "💥",
  cancelled: "💥",
  unexercised: "❌",
  empty: "⚪",
  untested: "⚪",
} as const satisfies Record<RunState, string>;

export function summaryMarkdown(report: Report): string {
  const parts = [
    heading(report),
    counts(report),
    ended(report),
    matrixMarkdown(report),
    failures(report.tests),
    exercised(report),
    flaky(report.tests),
    findings(report),
    measured(report),
  ];
  return parts.filter((part) => part !== "").join("\n\n") + "\n";
}

function heading(report: Report): string {
  const { plugin, environment, shard } = report;
  const where = environment === undefined ? [] : [`${environment.runtime} (${environment.image})`];
  const part = shard === undefined ? [] : [`part ${shard.index} of ${shard.of}`];
  const name = [plugin.name, ...(plugin.version === undefined ? [] : [plugin.version])].join(" ");
  const line = [name, ...where, ...part].map((text) => inlineMarkdown(text)).join(" · ");
  const { state, text } = outcomeOf(report);
  return `### ${marks[state]} ${text}\n\n${line}`;
}

const counts = ({ summary, duration_ms: took }: Report): string =>
  table(["Tests", "Passed", "Failed", "Skipped", "Flaky", "Time"], [[
    ...[summary.total, summary.passed, summary.failed, summary.skipped, summary.flaky].map(String),
    formatDuration(took ?? summary.duration_ms),
  ]]);

const ended = ({ error }: Report): string =>
  error === undefined
    ? ""
    : `**${inlineMarkdown(error.code)}**\n\n${
      inlineCode([error.message, error.output ?? ""].join("\n").trim())
    }`;

function failures(tests: readonly ReportTest[]): string {
  const failed = tests.filter(({ status }) => status === "failed");
  if (failed.length === 0) return "";
  const left = failed.length - mostFailures;
  return [
    "#### Failures",
    ...failed.slice(0, mostFailures).map(failure),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ]
    .join("\n\n");
}

function failure(test: ReportTest): string {
  const { message = "failed", expected, actual, file, line, category } = test;
  const compared = Object.entries({ expected, actual }).flatMap(([label, value]) =>
    value === undefined || message.includes(showValue(value).trim()) ? [] : [`${label}: ${showValue(value)}`]
  );
  const place = file === undefined ? [] : [`${file}${line === undefined ? "" : `:${line}`}`];
  const about = [...(category === undefined ? [] : [category]), ...place].map((text) => inlineMarkdown(text))
    .join(
      " · ",
    );
  return [
    `<details><summary>${escapeText(plainLine(test.name))}</summary>`,
    inlineCode([message, ...compared].join("\n")),
    ...(about === "" ? [] : [about]),
    "</details>",
  ].join("\n\n");
}

function flaky(tests: readonly ReportTest[]): string {
  const found = tests.filter(({ status }) => status === "flaky");
  if (found.length === 0) return "";
  const rows = found.slice(0, mostFailures).map(({ name, flakiness }) => [
    inlineMarkdown(name),
    flakiness === undefined ? "–" : `${flakiness.failures} of ${flakiness.attempts}`,
    flakiness === undefined
      ? "–"
      : `${Math.round(flakiness.rate * 100)} % of ${count(flakiness.runs, "run")}`,
  ]);
  return `#### Flaky\n\n${table(["Test", "Failed now", "Failed so far"], rows)}`;
}

function exercised({ exercise }: Report): string {
  if (exercise === undefined || exercise.length === 0) return "";
  const all = exercise as ToolExercise[];
  const left = unexercised(all);
  const line = `**${exerciseText(all)}**`;
  if (left.length === 0) return line;
  const rows = left.slice(0, mostUnexercised).map((each) => [
    inlineMarkdown(each.tool),
    inlineMarkdown(unexercisedReason(each), 160),
  ]);
  const more = left.length > mostUnexercised ? [`… and ${left.length - mostUnexercised} more`] : [];
  return [line, table(["Not exercised", "Why"], rows), ...more].join("\n\n");
}

function findings({ findings: all }: Report): string {
  if (all.length === 0) return "";
  const kinds = groupBy(all, ({ severity, code: name }) => `${severity} ${name}`);
  const rows = [...kinds.values()].map((found) => [
    found[0]!.severity,
    inlineMarkdown(found[0]!.code),
    String(found.length),
    inlineMarkdown(found[0]!.message, 160),
  ]);
  return `#### Findings\n\n${table(["Severity", "Kind", "Count", "For example"], rows)}`;
}

function measured({ contract, coverage, performance, token_cost: tokens, seed }: Report): string {
  const lines = [
    ...(coverage === undefined
      ? []
      : [`Coverage: ${
        (["lines", "functions", "branches"] as const).map((kind) => {
          const { covered, total } = coverage.totals[kind];
          return `${percentText(covered, total)} of ${kind}`;
        }).join(", ")
      }`]),
    ...(contract?.baseline === undefined || contract.changes.length === 0 ? [] : [
      `Contract: ${count(contract.changes.length, "change")}, ${contract.breaking} breaking`,
    ]),
    ...(performance?.outliers ?? []).map(({ dimension, message }) =>
      `Outlier, ${inlineMarkdown(dimension)}: ${inlineMarkdown(message)}`
    ),
    ...(tokens === undefined
      ? []
      : [`Token cost: the list of tools takes ${shortNumber(tokens.list.tokens)} tokens`]),
    ...(seed === undefined ? [] : [`Seed: ${seed}`]),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

const mostDifferences = 40;

function matrixMarkdown({ matrix: published }: Report): string {
  if (published === undefined) return "";
  const matrix = matrixOfReport(published);
  const left = matrix.differences.length - mostDifferences;
  return [
    `#### Matrix: ${inlineMarkdown(matrixVerdict(matrix))}`,
    markdownTable(entriesTable(matrix, formatDuration)),
    ...(matrix.differences.length === 0 ? [] : [markdownTable(differencesTable(matrix, mostDifferences))]),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ].join("\n\n");
}

const markdownTable = ({ head, rows }: TextTable): string =>
  table(
    head.map((cell) => inlineMarkdown(cell)),
    rows.map((row) => row.map((cell) => inlineMarkdown(cell, 160))),
  );

/** One line, fit for a table's cell. */
export const inlineMarkdown = (text: string, most = 300): string => {
  const line = plainLine(text);
  const cut = line.length > most ? `${line.slice(0, most)}…` : line;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]()#|~!@$>]|(?<=:)\/(?=\/)|(?<=\bwww)\./gi, "\\$&");
};

/** Lines in a block of code, whose fence is longer than any in the text. */
function inlineCode(text: string, most = 2000): string {
  const lines = stripEscapes(text).trimEnd();
  const cut = lines.length > most
    ? `${lines.slice(0, most)}\n… ${lines.length - most} more characters`
    : lines;
  const longest = Math.max(2, ...(cut.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${cut}\n${fence}`;
}

/** A table; its cells must be safe already. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
