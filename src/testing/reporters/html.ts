/** One page for people: opens from disk, from a mail or from CI's artifacts. */
import { toReport } from "../report/report.ts";
import { defineReporter } from "../reporter.ts";
import { htmlDocument } from "./html/document.ts";

export default defineReporter({
  name: "html",
  summary: "one page: failures first with their differences, findings, coverage, impact, performance",
  writes: "whole",
  create: (output) => ({ end: (run) => output.write(htmlDocument(toReport(run))) }),
});
