/** A summary in Markdown: for the page of a CI job, a pull request or a chat. */
import { toReport } from "../report/report.ts";
import { defineReporter } from "../reporter.ts";
import { summaryMarkdown } from "./markdown/summary.ts";

export default defineReporter({
  name: "markdown",
  summary: "a short summary in Markdown: verdict, counts, failures, flaky tests",
  writes: "whole",
  create: (output) => ({ end: (run) => output.write(summaryMarkdown(toReport(run))) }),
});
