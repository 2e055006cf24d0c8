/** Writes title and text of a pull request for the session branch; PTH itself pushes nothing. */
import { firstLine, truncate } from "../../core/text.ts";
import type { IterationRecord } from "../../../machines/model/iteration.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { RunReport } from "../../../machines/model/session.ts";
import { resultsVerdict, summarizeSuite } from "../../testing/report/results_verdict.ts";
import { cell } from "../markdown_table.ts";
import { reportPath } from "./session_report.ts";
import type { PullRequest } from "../../../machines/model/export.ts";

export const pullRequestPath = ".pth/PULL-REQUEST.md";

interface PullRequestFacts {
  report: RunReport;
  /** Commits of the session branch, newest first. */
  history: readonly FixRecord[];
  /** Oldest first. */
  iterations: readonly IterationRecord[];
}

const longestTitle = 72;
const mostFailures = 20;

/** The same facts give the same text. Secrets are the caller's to take out. */
export function pullRequest(facts: PullRequestFacts): PullRequest {
  const fixes = facts.history.filter(({ type, revertedBy }) => type === "fix" && revertedBy === undefined)
    .toReversed();
  const parts = [
    introduction(facts.report, fixes),
    ...section("Fixes", fixes.map(fixRow)),
    ...section("Tests", testRows(facts)),
    ...section("Still failing", failureRows(facts.report)),
    ...section("Also on this branch", otherRows(facts.history)),
  ];
  return { title: titleOf(facts.report, fixes), body: `${parts.join("\n\n")}\n` };
}

/** Pull request as a file: the title is the first heading. */
export const pullRequestText = ({ title, body }: PullRequest): string => `# ${title}\n\n${body}`;

function titleOf({ source }: RunReport, fixes: readonly FixRecord[]): string {
  const [only] = fixes;
  const title = fixes.length === 0
    ? `Add a test suite to ${source.name}`
    : fixes.length === 1
    ? `Fix: ${only!.title}`
    : `Fix ${fixes.length} faults of ${source.name}`;
  const line = cell(title);
  return truncate(line, longestTitle);
}

function introduction({ source, environment }: RunReport, fixes: readonly FixRecord[]): string {
  const what = fixes.length === 0
    ? "No fix was needed or made."
    : `${fixes.length === 1 ? "One fix" : `${fixes.length} fixes`}, each in a commit of its own.`;
  const where = environment ? ` on ${environment.handle.image} (${environment.handle.runtime})` : "";
  return `${cell(source.name)} was tested${where} with the Plugin Test Harness. ${what}`;
}

const fixRow = ({ commit, title, category, files, tests }: FixRecord): string => {
  const facts = [category, files.map((file) => `\`${cell(file)}\``).join(", "), testsOf(tests)].filter(
    Boolean,
  );
  return `- \`${commit.slice(0, 10)}\` **${cell(title)}**${facts.length > 0 ? ` — ${facts.join("; ")}` : ""}`;
};

function testsOf(tests: readonly string[]): string {
  if (tests.length === 0) return "";
  const [first, ...more] = tests;
  return `for "${cell(first!)}"${more.length > 0 ? ` and ${more.length} more` : ""}`;
}

function testRows({ report, iterations }: PullRequestFacts): string[] {
  const { results, tests, stale } = report;
  const summary = summarizeSuite(results, report.summary.durationMs);
  const { text } = resultsVerdict({ summary, tests: tests.length, stale });
  if (summary.total === 0) return [cell(text)];
  const before = iterations[0]?.before;
  return [
    `- now: ${cell(text)}`,
    ...before
      ? [
        before.loadError === undefined
          ? `- before: ${before.passed} of ${before.total} passed`
          : "- before: the plugin did not load",
      ]
      : [],
    ...iterations.length > 0 ? [`- iterations: ${iterations.length}`] : [],
  ];
}

function failureRows({ results }: RunReport): string[] {
  const failed = results.filter(({ status }) => status === "failed");
  const rows = failed.slice(0, mostFailures).map(({ name, category, message = "" }) =>
    `- ${cell(name)} (${category ?? "failed"}): ${cell(firstLine(message, 200))}`
  );
  return failed.length > mostFailures ? [...rows, `- … ${failed.length - mostFailures} more`] : rows;
}

function otherRows(history: readonly FixRecord[]): string[] {
  const reverted = history.filter(({ type, revertedBy }) => type === "fix" && revertedBy !== undefined);
  const byHand = history.filter(({ type }) => type === "other");
  return [
    `- the whole story: \`${reportPath}\``,
    ...reverted.length > 0
      ? [`- tried and reverted: ${reverted.map(({ title }) => cell(title)).join("; ")}`]
      : [],
    ...byHand.length > 0 ? [`- by hand: ${byHand.map(({ title }) => cell(title)).join("; ")}`] : [],
    ...[
      ...new Set(history.filter(({ type }) => type === "tests" || type === "docs").map(({ title }) => title)),
    ]
      .map((title) => `- ${cell(title)}`),
  ];
}

const section = (title: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : [`## ${title}\n\n${rows.join("\n")}`];
