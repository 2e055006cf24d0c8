/** Beside the verdicts: flaky tests, impact, performance and token cost, each in a few lines. */
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { count } from "../../../core/values.ts";
import type { FinishedRun } from "../../reporter.ts";
import { shortNumber } from "../html/figure_text.ts";
import { plainLine } from "../../../core/text.ts";
import type { TerminalStyle } from "./terminal_style.ts";

const mostFlaky = 10;
const mostOutliers = 8;
const dearestTools = 3;

export function renderMeasured({ report }: FinishedRun, style: TerminalStyle): string {
  if (report === undefined) return "";
  const { impact, performance, tokenCost } = report;
  return [
    section("Flaky", flaky(report.results), style),
    section(
      "Impact",
      impact === undefined ? [] : [
        `${count(Object.keys(impact.tests).length, "test")} ${
          impact.source === "measured" ? "mapped to what ran during each" : "mapped to source by reading it"
        }`,
        ...impact.notes,
      ],
      style,
    ),
    section("Performance", performance === undefined ? [] : outliers(performance), style),
    section("Token cost", tokenCost === undefined ? [] : [cost(tokenCost)], style),
  ].join("");
}

function section(heading: string, lines: readonly string[], style: TerminalStyle): string {
  if (lines.length === 0) return "";
  const text = lines.flatMap((line) => style.lines(plainLine(line), 2));
  return `\n${[style.bold(heading), ...text].join("\n")}\n`;
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
